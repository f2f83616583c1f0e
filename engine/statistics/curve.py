"""Expected scores from differences in strength: the logistic curve, and Davidson's with draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from playout.engine.statistics.elo import PER_LOGIT


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectations of one game, from the first side's point of view."""

    score: float
    """Expected score, in [0, 1]."""
    slope: float
    """Its derivative by the difference in strength."""
    by_advantage: float
    """Its derivative by the first move's advantage."""
    drawn: float
    """Chance of a draw, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Davidson's model: with strengths p and q a win has the weight p, a loss q, and a draw nu sqrt(p q) (Davidson
    1970, "On Extending the Bradley-Terry Model to Accommodate Ties"). With ``nu`` 0 it is the logistic curve, on which
    a draw is half a win.

    Differences are logarithms of p / q.
    """

    nu: float = 0.0
    """Weight of draws, at least 0; at equal strength a share nu / (2 + nu) of the games is drawn."""
    advantage: float = 0.0
    """Difference by which the side that moves first is stronger."""

    @property
    def elo(self) -> float:
        """Elo of a difference of 1: at equal strength the expected score has the slope of the Elo scale."""
        return PER_LOGIT * 2 / (2 + self.nu)

    def at(self, difference: float, *, starts: bool) -> Expected:
        """Returns the expectations for a side that is stronger by ``difference``.

        Args:
            difference: difference in strength, without the advantage of the first move.
            starts: whether the side moves first. Otherwise the mean over both colours is returned.
        """
        as_first = self._plain(difference + self.advantage)
        if starts:
            return as_first
        if not self.advantage:
            return replace(as_first, by_advantage=0.0)
        as_second = self._plain(difference - self.advantage)
        return Expected(
            (as_first.score + as_second.score) / 2,
            (as_first.slope + as_second.slope) / 2,
            (as_first.slope - as_second.slope) / 2,
            (as_first.drawn + as_second.drawn) / 2,
        )

    def drawn_of_even_pair(self) -> float:
        """Returns the chance that a pair of games with one point each was two draws rather than a win and a loss."""
        lesser = math.exp(-abs(self.advantage))
        return self.nu**2 * lesser / (self.nu**2 * lesser + 1 + lesser**2)

    def _plain(self, difference: float) -> Expected:
        # Weights relative to the stronger side's, which cannot overflow.
        weaker = math.exp(-abs(difference))
        draw = self.nu * math.exp(-abs(difference) / 2)
        total = 1 + weaker + draw
        won = 1 if difference >= 0 else weaker
        slope = (weaker + draw * (1 + weaker) / 4) / total**2
        return Expected((won + draw / 2) / total, slope, slope, draw / total)
