"""What a book has, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from playout.books.base.entry import BookEntry


@dataclass(slots=True)
class Measures:
    """Positions and moves of a book."""

    positions: int = 0
    moves: int = 0
    never: int = 0
    """Moves of weight 0."""
    games: int = 0
    """Wins, draws and losses of all moves."""
    depths: Counter[int] = field(default_factory=Counter)
    """How many positions stand how many plies (rolls of dice too) from the start; those off all lines in none."""

    @property
    def off_lines(self) -> int:
        """Positions that no known line reaches."""
        return self.positions - self.depths.total()


def counted(entries: Iterable[BookEntry], into: Measures) -> Iterator[BookEntry]:
    """The entries, counted as they pass."""
    for entry in entries:
        into.positions += 1
        into.moves += len(entry.moves)
        into.never += sum(move.weight == 0 for move in entry.moves)
        into.games += sum(move.wins + move.draws + move.losses for move in entry.moves)
        if entry.line is not None:
            into.depths[len(entry.line)] += 1
        yield entry


def measure(entries: Iterable[BookEntry]) -> Measures:
    """Counts what the entries have."""
    found = Measures()
    for _ in counted(entries, found):
        pass
    return found
