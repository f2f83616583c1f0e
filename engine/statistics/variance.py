"""Variance of the points that engines obtain, from the results of each pairing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from playout.engine.statistics.fit import Fit
from playout.engine.statistics.records import PRIOR, Record
from playout.engine.statistics.samples import ROUNDING

SUPPOSED = 4.0
"""Results that are added to those seen where a variance is estimated: about the square of 1.96, so that equal results
have an interval about as wide as Wilson's (Agresti and Coull 1998)."""


@dataclass(frozen=True, slots=True)
class _Spread:
    """Results of a record about their expectation, in points."""

    record: Record
    squares: float
    """Sum of their squares."""
    most: float
    """The greatest variance of a result with that expectation: that of results which are won or lost."""


def points_variance(records: Sequence[Record], fitted: Fit) -> list[list[float]]:
    """Returns the covariances of the points of each engine, and last of the side that moves first.

    They are computed from the results about their expectations. A pair of games is one result, so nothing is assumed of
    draws or of games from one opening. To each pairing some results are added that vary as those of all pairings do,
    because few results of one pairing are often equal by chance. Where draws are supposed, or where all results are as
    expected, the variance is the greatest that the expectation allows, as in Wilson's interval.
    """
    size = len(fitted.strengths) + 1
    found = [[0.0] * size for _ in range(size)]
    spreads = [_spread(record, fitted) for record in records]
    shares = {together: _share(spreads, together) for together in {record.results.together for record in records}}
    for spread in spreads:
        record, number = spread.record, spread.record.results.number
        share = shares[record.results.together]
        if record.supposed or share is None:
            variance = (number + record.supposed / record.results.together) * spread.most
        else:
            variance = number * (spread.squares + SUPPOSED * share * spread.most) / (number + SUPPOSED)
        signs = {record.first: 1, record.second: -1} | ({size - 1: 1} if record.starts else {})
        for one, its_sign in signs.items():
            for other, sign in signs.items():
                found[one][other] += its_sign * sign * variance
    found[-1][-1] += PRIOR * fitted.curve.at(fitted.advantage).slope
    return found


def _spread(record: Record, fitted: Fit) -> _Spread:
    score = fitted.expected(record).score
    results, together = record.results, record.results.together
    squares = math.fsum(
        count * (together * (place / (results.kinds - 1) - score)) ** 2
        for place, count in enumerate(results.by_score())
    )
    return _Spread(record, squares, together**2 * score * (1 - score))


def _share(spreads: Sequence[_Spread], together: int) -> float | None:
    """Returns the variance of the results of ``together`` games as a share of the greatest that is possible, over all
    pairings without supposed draws. None if all results are as expected, from which no variance can be estimated."""
    pooled = [one for one in spreads if one.record.results.together == together and not one.record.supposed]
    squares = math.fsum(one.squares for one in pooled)
    if squares < ROUNDING:
        return None
    added = SUPPOSED * together**2 / 4
    return (squares + added) / (math.fsum(one.record.results.number * one.most for one in pooled) + added)
