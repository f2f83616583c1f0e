"""Levels of strength and their ratings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

FULL = 20
"""The level of full strength."""
ELO = (
    *((600, 0.0), (1040, 2.0), (1420, 4.0), (1740, 6.0), (1880, 8.0), (1950, 10.0)),
    *((2060, 12.0), (2160, 13.0), (2230, 15.0), (2380, 16.0), (2500, 17.0)),
)
"""Pairs of a rating and its level in chess (docs/strength.md). Between them levels are linear in the rating."""


def level_of(elo: float) -> float:
    """Returns the level in chess with that rating; beyond the ends of ``ELO`` the nearest."""
    return _between(ELO, elo)


def ratings() -> list[int]:
    """Returns the rating in chess of each level from 0 on, as far as levels have one."""
    levels = [(level, float(elo)) for elo, level in ELO]
    return [round(_between(levels, level)) for level in range(int(levels[-1][0]) + 1)]


def _between(points: Sequence[tuple[float, float]], value: float) -> float:
    """Returns what points in ascending order say of a value: linear between them, beyond the ends as at the nearest."""
    place = bisect_right(points, (value, float("inf")))
    if place == 0:
        return points[0][1]
    if place == len(points):
        return points[-1][1]
    (low, first), (high, last) = points[place - 1 : place + 1]
    return first + (last - first) * (value - low) / (high - low)
