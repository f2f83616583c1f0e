"""Statistics of a book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from playout.books.base.entry import BookEntry


@dataclass(slots=True)
class Measures:
    """Numbers of positions, moves and games of a book."""

    positions: int = 0
    moves: int = 0
    never: int = 0
    """Moves of weight 0."""
    games: int = 0
    """Wins, draws and losses of the moves at the start of the game: the games that were counted from there."""
    with_results: int = 0
    """Moves that have wins, draws or losses."""
    depths: Counter[int] = field(default_factory=Counter)
    """Number of positions by their distance from the start in plies (rolls of dice included); positions off all lines
    excluded.
    """

    @property
    def off_lines(self) -> int:
        """Number of positions that no known line reaches."""
        return self.positions - self.depths.total()


def counted(entries: Iterable[BookEntry], into: Measures) -> Iterator[BookEntry]:
    """Yields the entries and counts each one as it passes."""
    for entry in entries:
        into.positions += 1
        into.moves += len(entry.moves)
        into.never += sum(move.weight == 0 for move in entry.moves)
        played = [move.wins + move.draws + move.losses for move in entry.moves]
        into.with_results += sum(map(bool, played))
        if entry.line is not None and not entry.line:
            into.games += sum(played)
        if entry.line is not None:
            into.depths[len(entry.line)] += 1
        yield entry


def measure(entries: Iterable[BookEntry]) -> Measures:
    """Returns the statistics of the entries."""
    found = Measures()
    for _ in counted(entries, found):
        pass
    return found
