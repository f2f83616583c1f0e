"""Means of samples and their standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Returns the mean and its standard error. The error is 0 for a single value, from which none can be estimated."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values) / max(1, len(values) - 1))
