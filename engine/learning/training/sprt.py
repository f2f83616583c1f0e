"""Matches of pairs: Elo with its error, and a sequential test of which side is stronger."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ERROR = 0.05
"""Chance of each of the two wrong decisions of a test."""
SPREAD = 0.1
"""Pairs of each kind that are added to those played, so that a few equal results have a variance."""
KINDS = (0.0, 0.25, 0.5, 0.75, 1.0)


def expected(elo: float) -> float:
    """Returns the mean score, in [0, 1], of a side that is stronger by ``elo``."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Returns the difference in Elo that a mean score stands for."""
    score = min(max(score, 1e-3), 1 - 1e-3)
    return 400 * math.log10(score / (1 - score))


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of pairs of games, with one opening and both colours each."""

    scores: tuple[float, ...] = ()
    """Scores of the pairs, in [0, 1]."""

    def add(self, results: Sequence[float]) -> Tally:
        """Returns the tally with a pair more; results of games are in [-1, 1]."""
        return Tally((*self.scores, sum((result + 1) / 2 for result in results) / len(results)))

    @property
    def score(self) -> float:
        """Mean score."""
        return sum(self.scores) / len(self.scores) if self.scores else 0.5

    def _moments(self) -> tuple[float, float]:
        values = [(score, 1.0) for score in self.scores] + [(kind, SPREAD) for kind in KINDS]
        count = sum(weight for _, weight in values)
        mean = sum(score * weight for score, weight in values) / count
        return mean, sum(weight * (score - mean) ** 2 for score, weight in values) / count

    @property
    def error(self) -> float:
        """Half of the 95 % interval of the score."""
        return 1.96 * math.sqrt(self._moments()[1] / max(len(self.scores), 1))

    @property
    def elo(self) -> float:
        """Difference in Elo."""
        return elo_of(self.score)

    def interval(self) -> tuple[float, float]:
        """Returns the 95 % interval of the difference in Elo."""
        return elo_of(self.score - self.error), elo_of(self.score + self.error)

    def log_likelihood_ratio(self, elo: tuple[float, float]) -> float:
        """Returns how much likelier the second difference makes the results than the first one, by the normal
        approximation."""
        mean, variance = self._moments()
        low, high = map(expected, elo)
        return len(self.scores) * (high - low) * (2 * mean - low - high) / (2 * variance)

    def decision(self, elo: tuple[float, float]) -> bool | None:
        """Returns whether the difference is the second one rather than the first; None while that is open.

        Each answer is wrong with a chance of about ERROR at most.
        """
        bound = math.log((1 - ERROR) / ERROR)
        ratio = self.log_likelihood_ratio(elo)
        return None if abs(ratio) < bound else ratio > 0

    def __str__(self) -> str:
        low, high = self.interval()
        return (
            f"{100 * self.score:.1f} % +- {100 * self.error:.1f} of {len(self.scores)} pairs, "
            f"{self.elo:+.0f} Elo ({low:+.0f} to {high:+.0f})"
        )
