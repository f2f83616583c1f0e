"""Means of samples, their standard errors and their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z95 = 1.959964
"""Half-width of the 95 % interval of a normal distribution, in standard errors."""
ROUNDING = 1e-9
"""Standard error below which a sample counts as one of equal values."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval. All three may be infinite; ``low`` is less than infinity, ``high`` greater than
    minus infinity, and ``low <= value <= high``."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half of the interval's width: the number that match runners print after +/-."""
        return (self.high - self.low) / 2


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Returns the mean of one value or more, and its standard error.

    The error is 0 for a single value, from which none can be estimated.
    """
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values) / max(1, len(values) - 1))


def wilson(mean: float, error: float, number: int) -> tuple[float, float]:
    """Returns the ends of the 95 % interval of a mean score, both in [0, 1] (Wilson 1927).

    Args:
        mean: mean score, in [0, 1].
        error: its standard error. It says how many games that are won or lost, and independent, would have the same
            error; Wilson's interval is that of these games.
        number: number of results. It takes the place of that number if all results are equal, so that the error is 0.
            Without any result the interval is all of [0, 1].
    """
    if number == 0:
        return 0.0, 1.0
    alike = mean * (1 - mean) / error**2 if error > ROUNDING else number
    centre = (mean + Z95**2 / (2 * alike)) / (1 + Z95**2 / alike)
    half = Z95 * math.sqrt(mean * (1 - mean) / alike + (Z95 / (2 * alike)) ** 2) / (1 + Z95**2 / alike)
    # Rounding leaves neither the mean nor [0, 1] outside.
    return max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half))


def normal(deviation: float) -> float:
    """Returns the share of a normal distribution below ``deviation`` standard deviations, in [0, 1]."""
    return math.erfc(-deviation / math.sqrt(2)) / 2
