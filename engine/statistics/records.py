"""Results of engines against each other: as they are given, and as ratings are fitted to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from playout.engine.statistics.links import reach
from playout.engine.statistics.pairs import Pentanomial, Results, Trinomial
from playout.games.errors import PlayoutError

PRIOR = 1.0
"""Drawn games that are supposed where the results alone give no finite rating."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Results of two engines against each other, from the first one's point of view.

    Raises:
        PlayoutError: one line if it is one engine.
    """

    first: str
    second: str
    pairs: Pentanomial = field(default_factory=Pentanomial)
    """Pairs of games with one opening and both colours."""
    games: Trinomial = field(default_factory=Trinomial)
    """Single games, none of which is in ``pairs``."""
    starts: bool = False
    """Whether the first engine moved first in all of ``games``. Otherwise it is not known who did, and both are taken
    to have done so equally often. Games in which the second engine moved first are a pairing with the names swapped."""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise PlayoutError(f"a pairing of {self.first!r} with itself: allowed are two engines")


@dataclass(frozen=True)
class Record:
    """Results of two engines, which are numbers, from the first one's point of view."""

    first: int
    second: int
    starts: bool
    """Whether the first one moved first in all games; otherwise both did so equally often."""
    results: Results
    supposed: float = 0.0
    """Drawn games that are added to the results."""

    @cached_property
    def games(self) -> float:
        """Number of games."""
        return self.results.games + self.supposed

    @cached_property
    def points(self) -> float:
        """The first one's points; a win is 1."""
        return self.results.games * self.results.mean + self.supposed / 2


def records_of(pairings: Iterable[Pairing], places: Mapping[str, int]) -> list[Record]:
    """Returns the results with the engines' places for their names: one record for each kind of result of two
    engines, and for each who moved first."""
    pairs: dict[tuple[int, int], Pentanomial] = {}
    games: dict[tuple[int, int, bool], Trinomial] = {}
    for pairing in pairings:
        one, other = places[pairing.first], places[pairing.second]
        low, high = min(one, other), max(one, other)
        of_low = pairing.pairs if one == low else pairing.pairs.turned
        pairs[low, high] = pairs.get((low, high), Pentanomial()) + of_low
        key = (one, other, True) if pairing.starts else (low, high, False)
        singles = pairing.games if one == key[0] else pairing.games.turned
        games[key] = games.get(key, Trinomial()) + singles
    made = [Record(one, other, False, results) for (one, other), results in pairs.items()]
    made += [Record(one, other, starts, results) for (one, other, starts), results in games.items()]
    return [record for record in made if record.results.number]


def scored_against(number: int, records: Sequence[Record]) -> list[int]:
    """Returns, for each of ``number`` engines, those that it took points from, that these took points from, and so on,
    as bit masks; each engine is one of its own."""
    taken = []
    for record in records:
        if record.results.mean > 0:
            taken.append((record.first, record.second))
        if record.results.mean < 1:
            taken.append((record.second, record.first))
    return reach(number, taken)


def with_draws(records: Sequence[Record], scored: Sequence[int]) -> list[Record]:
    """Returns the records, some of them with supposed draws, so that there are finite ratings for them.

    Ratings are finite if each engine took points from each other one, directly or through others (Ford 1957, "Solution
    of a Ranking Problem from Binary Comparisons"). The engines fall into sets within which that is so. Between two sets
    one side took all points; there ``PRIOR`` draws are supposed, spread over the records in proportion to games.

    Args:
        records: the results.
        scored: what ``scored_against`` returns for them.
    """
    sets = [
        sum(1 << other for other, its in enumerate(scored) if mask >> other & 1 and its >> one & 1)
        for one, mask in enumerate(scored)
    ]
    played: dict[frozenset[int], int] = {}
    for record in records:
        between = frozenset((sets[record.first], sets[record.second]))
        played[between] = played.get(between, 0) + record.results.games
    made = []
    for record in records:
        between = frozenset((sets[record.first], sets[record.second]))
        share = record.results.games / played[between] if len(between) == 2 else 0.0
        made.append(replace(record, supposed=PRIOR * share))
    return made
