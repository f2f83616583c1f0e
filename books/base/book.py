"""What a book is: moves known for a position. Formats register themselves beside this file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class BookMove:
    """One move that a book knows, with what it knows about it."""

    action: Any
    """The action, of the game's definition."""
    weight: float
    """How much the book wants it played, relative to its other moves; 0 never."""
    wins: int = 0
    """Games won by the player who moved, of those that the book counts."""
    draws: int = 0
    losses: int = 0
    learn: int = 0
    """Adjustment from the engine's own games."""
    value: float | None = None
    """What search or solving found the move worth, in [-1, 1] from the mover's point of view; None if nothing did."""
    depth: int | None = None
    """What stands behind the value: plies, or simulations of a search that samples."""
    source: str = ""
    """Where the book has the move from, for people."""
    comment: str = ""
    """For people, on one line."""


class Book(Protocol):
    """Moves for positions. Implementations answer for every symmetric image of what they hold."""

    @property
    def name(self) -> str:
        """For people: the file's name, mostly."""

    def lookup(self, state: Any) -> Sequence[BookMove]:
        """The moves for ``state``, best first; empty if the book does not know it. Never raises for a legal state."""

    def close(self) -> None:
        """Gives files back. The book knows nothing afterwards."""


@runtime_checkable
class LearningBook(Protocol):
    """A book that can be written to."""

    def learn(self, moves: Sequence[tuple[Any, Any]], result: float) -> None:
        """Adds a finished game: its states, each with the action played there, from the start on, and player 0's
        result in [-1, 1]. The file is whole at every moment.

        Raises:
            BookError: one line, if it cannot be written.
        """
