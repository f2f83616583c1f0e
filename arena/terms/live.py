"""Games in progress, for those who watch a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec


class Stage(NamedTuple):
    """The progress of a pair."""

    number: int
    """The game of the pair that is played, 0 or 1."""
    moves: Sequence[str]
    """Its moves and rolls so far, with those of the opening."""


class InProgress(msgspec.Struct, frozen=True):
    """A game in progress."""

    id: str
    game: str
    """Name of the game that is played."""
    names: tuple[str, str]
    """The players; the first one moved first."""
    start: str | None
    """The position in which the game began; None is the game's own start."""
    moves: tuple[str, ...]
    worker: str

    def __str__(self) -> str:
        """The game in a line."""
        return f"{self.id}: {' - '.join(self.names)}, ply {len(self.moves)}"
