"""Results of a match: counts of pairs or of single games, and points. Each is from the first side's point of view."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from playout.engine.statistics.elo import NORMALIZED, elo
from playout.engine.statistics.samples import Z95, Estimate, mean_and_error, normal, wilson
from playout.games.errors import PlayoutError


class Results(ABC):
    """Counts of results by their score: the statistics that pairs and single games have in common.

    Without any result the score is 1/2 and all intervals are infinite. No figure is ever NaN.
    """

    __slots__ = ()

    kinds: ClassVar[int]
    """Number of scores that a result may have, in equal steps from 0 to 1."""
    together: ClassVar[int]
    """Games of one result."""

    @abstractmethod
    def by_score(self) -> tuple[int, ...]:
        """Returns the number of results of each score, the lowest score first."""

    @classmethod
    @abstractmethod
    def of_counts(cls, counts: tuple[int, ...]) -> Self:
        """Returns the results with that many of each score, the lowest score first."""

    @classmethod
    def of(cls, scores: Iterable[float]) -> Self:
        """Counts results.

        Args:
            scores: the first side's mean score over the games of each result, in [0, 1]. The score of a pair of a win
                and a draw is 0.75.

        Raises:
            PlayoutError: one line if there is no result with such a score.
        """
        counts = [0] * cls.kinds
        for score in scores:
            place = score * (cls.kinds - 1)
            if place not in range(cls.kinds):
                allowed = ", ".join(f"{kind / (cls.kinds - 1):g}" for kind in range(cls.kinds))
                raise PlayoutError(f"the score {score:g} is none of {allowed}")
            counts[int(place)] += 1
        return cls.of_counts(tuple(counts))

    def __add__(self, other: Self) -> Self:
        """Returns both results together."""
        return self.of_counts(tuple(map(sum, zip(self.by_score(), other.by_score(), strict=True))))

    @property
    def turned(self) -> Self:
        """The same results from the other side's point of view."""
        return self.of_counts(self.by_score()[::-1])

    @property
    def number(self) -> int:
        """Number of results: of pairs, or of single games."""
        return sum(self.by_score())

    @property
    def games(self) -> int:
        """Number of games."""
        return self.together * self.number

    @property
    def mean(self) -> float:
        """Mean score, in [0, 1]."""
        if not self.number:
            return 0.5
        return sum(place * count for place, count in enumerate(self.by_score())) / (self.kinds - 1) / self.number

    @property
    def variance(self) -> float:
        """Variance of the score of one result; 0 without any."""
        mean, last = self.mean, self.kinds - 1
        squares = math.fsum(count * (place / last - mean) ** 2 for place, count in enumerate(self.by_score()))
        return squares / (self.number or 1)

    @property
    def error(self) -> float:
        """Standard error of the mean score, as fastchess computes it; infinite without any result, and 0 if all results
        are equal."""
        return math.sqrt(self.variance / self.number) if self.number else math.inf

    @property
    def score(self) -> Estimate:
        """Mean score with its 95 % interval, in [0, 1].

        The interval is that of a normal distribution. Where all results are equal, or where it would run over 0 or 1,
        it is Wilson's (``samples.wilson``).
        """
        mean, error = self.mean, self.error
        low, high = mean - Z95 * error, mean + Z95 * error
        if error == 0 or not 0 < low < high < 1:
            low, high = wilson(mean, error, self.number)
        return Estimate(mean, low, high)

    @property
    def elo(self) -> Estimate:
        """Difference in Elo with its 95 % interval, as fastchess computes it from the interval of the score.

        A side that won every game has infinite Elo and a finite lower end.
        """
        score = self.score
        return Estimate(elo(score.value), elo(score.low), elo(score.high))

    @property
    def normalized(self) -> Estimate:
        """Difference in normalised Elo with its 95 % interval (Van den Bergh, "Normalized Elo").

        Normalised Elo measures the mean score in standard deviations of one game. Its error depends on the number of
        games alone; at 130 normalised Elo it is 5 % too small. If all results are equal and not drawn, the standard
        deviation is 0 and the difference infinite; the finite end of the interval is then that of Wilson's score with
        the greatest deviation that it can have.
        """
        mean, variance = self.mean, self.variance
        if not self.number:
            return Estimate(0.0, -math.inf, math.inf)
        if variance == 0 and mean != 0.5:
            above = mean > 0.5
            end = self.score.low if above else self.score.high
            finite = NORMALIZED * (end - 0.5) / math.sqrt(self.together * end * (1 - end))
            return Estimate(math.inf, finite, math.inf) if above else Estimate(-math.inf, -math.inf, finite)
        value = NORMALIZED * (mean - 0.5) / math.sqrt(self.together * variance) if variance else 0.0
        error = Z95 * NORMALIZED / math.sqrt(self.games)
        return Estimate(value, value - error, value + error)

    @property
    def los(self) -> float:
        """Likelihood of superiority: the chance that the first side is the stronger one, in [0, 1], as fastchess
        computes it.

        If all results are equal, the deviation is taken to be the greatest that a score of 1/2 can have, as in Wilson's
        interval.
        """
        if not self.number:
            return 0.5
        return normal((self.mean - 0.5) / (self.error or math.sqrt(0.25 / self.number)))

    @property
    def draw_ratio(self) -> float:
        """Share of the results that score 1/2, in [0, 1]; 0 without any. A pair of a win and a loss is one of them."""
        return self.by_score()[self.kinds // 2] / (self.number or 1)


@dataclass(frozen=True, slots=True)
class Pentanomial(Results):
    """Pairs of games with one opening and both colours, counted by the first side's points.

    Games of one opening are not independent, so a pair counts as one result.

    Raises:
        PlayoutError: one line if there are not five counts, or one is not a whole number from 0.
    """

    kinds = 5
    together = 2

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    """Number of pairs with 0, 1/2, 1, 1 1/2 and 2 points."""

    def __post_init__(self) -> None:
        if len(self.counts) != self.kinds:
            raise PlayoutError(f"{len(self.counts)} numbers of pairs: needed are 5, of 0, 1/2, 1, 1 1/2 and 2 points")
        _check("pairs", self.counts)

    def by_score(self) -> tuple[int, ...]:
        return self.counts

    @classmethod
    def of_counts(cls, counts: tuple[int, ...]) -> Self:
        lost, worse, even, better, won = counts
        return cls((lost, worse, even, better, won))

    @property
    def pairs_ratio(self) -> float:
        """Pairs with more than one point for each pair with less; 1 without either, infinite without the latter."""
        lost, worse, _, better, won = self.counts
        if lost + worse == 0:
            return math.inf if better + won else 1.0
        return (better + won) / (lost + worse)


@dataclass(frozen=True, slots=True)
class Trinomial(Results):
    """Single games, counted by their results.

    Raises:
        PlayoutError: one line if a count is not a whole number from 0.
    """

    kinds = 3
    together = 1

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        _check("games", (self.wins, self.draws, self.losses))

    def by_score(self) -> tuple[int, ...]:
        return self.losses, self.draws, self.wins

    @classmethod
    def of_counts(cls, counts: tuple[int, ...]) -> Self:
        losses, draws, wins = counts
        return cls(wins, draws, losses)


@dataclass(frozen=True, slots=True)
class Points:
    """Results without a greatest value, such as the points of backgammon for each pair of games."""

    values: tuple[float, ...]
    """The first side's points, one number for each result."""

    @property
    def mean(self) -> float:
        """Mean points of a result; 0 without any."""
        return mean_and_error(self.values)[0] if self.values else 0.0

    @property
    def error(self) -> float:
        """Standard error of the mean; infinite with fewer than two results, and 0 if all are equal."""
        return mean_and_error(self.values)[1] if len(self.values) > 1 else math.inf

    @property
    def estimate(self) -> Estimate:
        """Mean points of a result with their 95 % interval, that of a normal distribution."""
        mean, half = self.mean, Z95 * self.error
        return Estimate(mean, mean - half, mean + half)


def _check(what: str, counts: Iterable[int]) -> None:
    for count in counts:
        if not isinstance(count, int) or count < 0:
            raise PlayoutError(f"{count!r} is no number of {what}: allowed are whole numbers from 0")
