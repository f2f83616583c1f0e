"""Means of samples and their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error; an error of 0 for a single value, which shows none."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values) / max(1, len(values) - 1))
