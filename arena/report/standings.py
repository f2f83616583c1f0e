"""The standings of an event, computed from the pairs that were played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from playout.arena.forms.form import Places
from playout.engine.statistics.pairs import Pentanomial, Trinomial
from playout.engine.statistics.ratings import rate
from playout.engine.statistics.records import Pairing
from playout.engine.statistics.samples import Z95, Estimate, mean_and_error


@dataclass(frozen=True, slots=True)
class PairScore:
    """A pair of games with what it has brought so far."""

    first: int
    """Number of the player who begins the first game."""
    second: int
    results: tuple[float, ...]
    """Results of the games for ``first``, in [-1, 1]."""
    whole: bool
    """Whether all its games were played."""
    games: int = 2
    """Number of its games."""


@dataclass(slots=True)
class Score:
    """Results of one player against one other, or against all."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[float] = field(default_factory=list)
    """Mean score, in [0, 1], of each whole pair."""
    margins: list[float] = field(default_factory=list)
    """Mean result, in [-1, 1], of each whole pair; for games that are won by points."""

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """1 for each game won, 0.5 for each draw."""
        return self.wins + 0.5 * self.draws

    @property
    def share(self) -> float:
        """Share of the points; 0.5 without a game."""
        return self.points / self.games if self.games else 0.5

    def add(self, pair: PairScore, sign: int) -> None:
        """Adds a pair; ``sign`` is 1 for its first player and -1 for its second."""
        points = []
        for result in pair.results:
            own = sign * result
            self.wins += own > 0
            self.draws += own == 0
            self.losses += own < 0
            points.append(0.5 + 0.5 * ((own > 0) - (own < 0)))
        if pair.whole and points:
            self.pairs.append(sum(points) / len(points))
            self.margins.append(sign * sum(pair.results) / len(points))

    def gained(self, points: int) -> Estimate | None:
        """Returns the mean of the points gained in a game, of which a result of 1 stands for ``points``, with its 95 %
        interval; None without a whole pair."""
        if not self.margins:
            return None
        mean, error = mean_and_error(self.margins)
        return Estimate(points * mean, points * (mean - Z95 * error), points * (mean + Z95 * error))

    @property
    def statistic(self) -> Pentanomial | Trinomial:
        """The counts of pairs; of single games where the event has no pairs, or no pair is whole."""
        if self.pairs and len(self.pairs) < self.games:
            return Pentanomial.of(self.pairs)
        return Trinomial(self.wins, self.draws, self.losses)


@dataclass(frozen=True, slots=True)
class Standings:
    """Scores of an event's players."""

    names: tuple[str, ...]
    scores: tuple[Score, ...]
    """Score of each player against all others."""
    duels: tuple[tuple[Score, ...], ...]
    """Score of each player (row) against each other (column)."""

    elo: tuple[Estimate, ...]
    """Elo of each player with its 95 % interval: of two their difference, of more the joint ratings with the mean 0."""
    points: int = 1
    """Points that a result of 1 stands for; more than 1 in a game that is won by points, such as backgammon."""
    places: Places | None = None
    """The places that the form gives; None where the shares of the points decide."""

    @property
    def order(self) -> list[int]:
        """The players' numbers, the leader first: by the form, by share of the points, by points, then as listed."""
        ranks = [0.0] * len(self.names) if self.places is None else self.places.ranks
        scores = self.scores
        return sorted(range(len(ranks)), key=lambda one: (ranks[one], -scores[one].share, -scores[one].points, one))

    @property
    def winner(self) -> str | None:
        """Name of the player who has won, in a form that names one."""
        won = None if self.places is None else self.places.winner
        return None if won is None else self.names[won]

    def total(self, player: int) -> float:
        """Returns the points of a player, with those for rounds in which it rested."""
        return self.scores[player].points + (0.0 if self.places is None else self.places.rests[player])


def standings(
    names: Sequence[str], pairs: Sequence[PairScore], points: int = 1, places: Places | None = None
) -> Standings:
    """Returns the standings of players called ``names``, in a game in which a result of 1 stands for ``points``.

    ``places`` are those that the form of the event gives.
    """
    scores = tuple(Score() for _ in names)
    duels = tuple(tuple(Score() for _ in names) for _ in names)
    for pair in pairs:
        for own, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            scores[own].add(pair, sign)
            duels[own][other].add(pair, sign)
    if len(names) == 2:
        return Standings(
            tuple(names), scores, duels, (scores[0].statistic.elo, scores[1].statistic.elo), points, places
        )
    rated = rate(_pairings(names, duels), names).estimates
    return Standings(tuple(names), scores, duels, tuple(rated[name] for name in names), points, places)


def _pairings(names: Sequence[str], duels: Sequence[Sequence[Score]]) -> list[Pairing]:
    """Returns the results of each two players as ratings take them: whole pairs by pairs, others by games."""
    found = []
    for one, other in combinations(range(len(names)), 2):
        counts = duels[one][other].statistic
        if isinstance(counts, Pentanomial):
            found.append(Pairing(names[one], names[other], pairs=counts))
        else:
            found.append(Pairing(names[one], names[other], games=counts))
    return found
