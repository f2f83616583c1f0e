"""The decision trees of macros: the content of a file, with the place of each item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from playout.books.macros.words import Phrase
from playout.games.errors import BookError

T = TypeVar("T")

OTHERS = "else"
"""The reply that stands for every reply not named."""


@dataclass(frozen=True, slots=True)
class Marked(Generic[T]):
    """An item read from a file, with its place."""

    value: T
    text: str
    """The item as the file has it."""
    file: str
    line: int
    column: int
    """Both from 1."""

    def error(self, what: str) -> BookError:
        """Returns an error of one line: the place, what is wrong, and the offending text."""
        shown = " ".join(self.text.split())
        return BookError(
            f"{self.file}, line {self.line}, column {self.column}: "
            f"{what}: {shown if len(shown) <= 60 else shown[:57] + '...'!r}"
        )


@dataclass(frozen=True, slots=True)
class MacroTurn:
    """One turn of a macro: our move, if we are to move, and our answers to the replies."""

    play: Marked[str] | None
    """A letter of the pattern, or a move. None only at the top of a tree that begins with the opponent's replies."""
    replies: tuple[tuple[Marked[str], MacroTurn], ...] = ()
    conditions: tuple[Marked[Phrase], ...] = ()
    """Conditions of our move; in a tree that begins with a pattern only."""
    instead: MacroTurn | None = None
    """The turn that comes in place of this one where its move is not legal or its conditions do not hold."""
