"""Levels of strength and their ratings."""

from __future__ import annotations

from bisect import bisect_right

FULL = 20
"""The level of full strength."""
ELO = ((800, 0.0), (1310, 4.0), (1800, 8.0), (1930, 12.0), (2000, 16.0))
"""Pairs of a rating and its level in chess (docs/strength.md). Between them levels are linear in the rating."""


def level_of(elo: int) -> float:
    """Returns the level in chess with that rating; beyond the ends of ``ELO`` the nearest."""
    place = bisect_right(ELO, (elo, float("inf")))
    if place == 0:
        return ELO[0][1]
    if place == len(ELO):
        return ELO[-1][1]
    (low, first), (high, last) = ELO[place - 1 : place + 1]
    return first + (last - first) * (elo - low) / (high - low)
