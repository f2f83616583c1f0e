"""The contract of a book: moves known for a position. ``books/formats.py`` lists the formats that implement it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class BookMove:
    """One move of a book, with the book's data about it."""

    action: Any
    """The action, as the game defines it."""
    weight: float
    """Relative preference among the book's moves for the position; 0 means never play it."""
    wins: int = 0
    """Games won by the player who made the move, among the games the book counts."""
    draws: int = 0
    losses: int = 0
    learn: int = 0
    """Adjustment from the engine's own games."""
    value: float | None = None
    """Value found by search or solving, in [-1, 1], from the point of view of the player who makes the move; None if
    unknown.
    """
    depth: int | None = None
    """Depth of the analysis behind the value: plies, or simulations for a search that samples."""
    source: str = ""
    """Origin of the move, for display."""
    comment: str = ""
    """Free text for display, on one line."""


class Book(Protocol):
    """Moves for positions. An implementation answers for every symmetry image of the positions it holds."""

    @property
    def name(self) -> str:
        """Name for display, usually the file's name."""

    def lookup(self, state: Any) -> Sequence[BookMove]:
        """Returns the moves for ``state``, best first; empty if the book does not know it. Never raises for a legal
        state.
        """

    def close(self) -> None:
        """Closes the book's files. Afterwards the book knows no position."""


@runtime_checkable
class KeyedBook(Protocol):
    """A book that finds a position by its key, so that the search can ask it at each node that it makes."""

    def keys(self) -> Iterable[int]:
        """Yields the key (``Place.key``) of each position, in any order."""

    def at(self, key: int) -> Sequence[BookMove]:
        """Returns the moves at the position with this key, best first; empty if the book does not know it. Their
        actions are those at the book's image of the position: numbers or, if the game's are no numbers, texts. Any
        thread.
        """


@runtime_checkable
class SharedKeyBook(Protocol):
    """A book with the keys of a format that other programs share; the kernel makes the same ones."""

    def shared_keys(self) -> Iterable[int]:
        """Yields the key of each position, in any order."""


@runtime_checkable
class LearningBook(Protocol):
    """A book that can be written to."""

    def learn(self, moves: Sequence[tuple[Any, Any]], result: float) -> None:
        """Adds a finished game. Each of its ``moves`` is a state from the game's start on, with the action played
        there; ``result`` is player 0's, in [-1, 1]. The file stays whole at every moment.

        Raises:
            BookError: one line, if the file cannot be written.
        """
