"""The trees of macros: what stands in a file, with its place there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from playout.games.errors import BookError

T = TypeVar("T")

OTHERS = "else"
"""The reply that stands for all that are not named."""


@dataclass(frozen=True, slots=True)
class Marked(Generic[T]):
    """Something read from a file, with its place."""

    value: T
    text: str
    """As it stands there."""
    file: str
    line: int
    column: int
    """Both from 1."""

    def error(self, what: str) -> BookError:
        """One line with the place, what is wrong, and the offending text."""
        shown = " ".join(self.text.split())
        return BookError(
            f"{self.file}, line {self.line}, column {self.column}: "
            f"{what}: {shown if len(shown) <= 60 else shown[:57] + '...'!r}"
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """Our move, if it is we who move, and our answers to the replies."""

    play: Marked[str] | None
    """A letter of the pattern or a move; None only at the top of a tree that begins with the opponent's replies."""
    replies: tuple[tuple[Marked[str], Turn], ...] = ()
