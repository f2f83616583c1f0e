"""Expected scores from differences in strength: the logistic curve, and Davidson's with draws."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playout.engine.statistics.elo import PER_LOGIT


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectations of one game, from the first side's point of view."""

    score: float
    """Expected score, in [0, 1]."""
    slope: float
    """Its derivative by the difference in strength, which is also the variance of the score."""
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

    @property
    def elo(self) -> float:
        """Elo of a difference of 1: at equal strength the expected score has the slope of the Elo scale."""
        return PER_LOGIT * 2 / (2 + self.nu)

    @property
    def drawn_of_even_pair(self) -> float:
        """Chance that a pair of games with one point for each side was two draws rather than a win and a loss."""
        return self.nu**2 / (self.nu**2 + 2)

    def at(self, difference: float) -> Expected:
        """Returns the expectations for a side that is stronger by ``difference``."""
        # Weights relative to the stronger side's, which cannot overflow.
        weaker = math.exp(-abs(difference))
        draw = self.nu * math.exp(-abs(difference) / 2)
        total = 1 + weaker + draw
        won = 1 if difference >= 0 else weaker
        return Expected((won + draw / 2) / total, (weaker + draw * (1 + weaker) / 4) / total**2, draw / total)
