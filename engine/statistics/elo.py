"""The Elo scale: scores that differences in Elo stand for, and the other way round."""

from __future__ import annotations

import math

PER_LOGIT = 400 / math.log(10)
"""Difference in Elo for which the odds of the expected score change by the factor e."""
NORMALIZED = 2 * PER_LOGIT
"""Normalised Elo of a mean score that is one standard deviation of a game above one half (Van den Bergh, "Normalized
Elo")."""
ROUNDING = 1e-9
"""Distance from 0 or 1 within which a computed score counts as 0 or 1."""


def elo(score: float) -> float:
    """Returns the difference in Elo at which the mean score ``score``, in [0, 1], is expected; infinite at 0 and 1."""
    if not ROUNDING < score < 1 - ROUNDING:
        return math.copysign(math.inf, score - 0.5)
    return PER_LOGIT * math.log(score / (1 - score))


def expected(difference: float) -> float:
    """Returns the expected score, in [0, 1], of a side that is stronger by ``difference`` Elo; it may be infinite."""
    # The power of a positive exponent overflows.
    odds = 10 ** (-abs(difference) / 400)
    return (1 if difference >= 0 else odds) / (1 + odds)
