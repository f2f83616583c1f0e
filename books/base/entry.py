"""A position of a book with its moves: the form in which formats exchange books."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from playout.books.base.book import BookMove


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A position with its moves, as one format passes it to another."""

    state: Any
    moves: Sequence[BookMove]
    line: tuple[Any, ...] | None = None
    """Actions from the game's start to the position, where the source knows them."""

    def without_results(self) -> BookEntry:
        """Returns the entry without its moves' counts of games, whose results say nothing. Weights stay."""
        return replace(self, moves=[replace(move, wins=0, draws=0, losses=0) for move in self.moves])
