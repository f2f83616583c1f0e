"""Levels of strength and what they are rated."""

from __future__ import annotations

from bisect import bisect_right

FULL = 20
"""The level without any bound."""
ELO = ((770, 0.0), (1110, 4.0), (1540, 8.0), (1800, 12.0), (2040, 16.0))
"""Ratings of levels in chess (docs/strength.md), between which levels are linear."""


def level_of(elo: int) -> float:
    """The level in chess with that rating; beyond the ends the nearest."""
    place = bisect_right(ELO, (elo, float("inf")))
    if place == 0:
        return ELO[0][1]
    if place == len(ELO):
        return ELO[-1][1]
    (low, first), (high, last) = ELO[place - 1 : place + 1]
    return first + (last - first) * (elo - low) / (high - low)
