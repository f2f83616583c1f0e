"""The scale of a chart."""

from __future__ import annotations

import math

LINES = 5
"""Number of lines of a grid, about."""


def ticks(low: float, high: float) -> list[float]:
    """Returns round numbers from ``low`` to a greater ``high``: the multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / LINES
    power: float = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
