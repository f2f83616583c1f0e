"""The time of a move by what a look-ahead finds."""

from __future__ import annotations

import pytest

from playout.engine.exact.pace import BEGIN, CALM, Pace

SOFT, HARD = 1.0, 2.5
EFFORT = 0.75
"""The share of positions after the best move at which it neither lengthens nor shortens the time."""


def paced(*values: float, moves: str = "", effort: float = EFFORT) -> float:
    pace = Pace(SOFT, HARD)
    for value, move in zip(values, moves or "a" * len(values), strict=True):
        pace.goes_on(move, value, effort, 0.0)
    return pace.seconds


def test_the_time_shrinks_while_the_move_stays() -> None:
    times = [paced(*[0.1] * depths) for depths in range(1, len(CALM) + 3)]
    assert times == pytest.approx([SOFT * factor for factor in (*CALM, CALM[-1], CALM[-1])])
    assert paced(0.1, 0.1, 0.1, moves="aab") == times[0]


def test_the_time_grows_where_the_value_falls_and_never_beyond_the_hard_bound() -> None:
    assert paced(0.1, 0.1, 0.1) < paced(0.1, 0.1, 0.0) < paced(0.1, 0.1, -0.1)
    assert paced(0.1, 0.1, 0.3) == paced(0.1, 0.1, 0.1)  # A rise is no reason to think on.
    assert paced(0.9, -0.9, moves="ab", effort=0.0) == HARD


def test_the_time_shrinks_where_the_rivals_are_soon_refuted() -> None:
    assert paced(0.1, effort=0.95) < paced(0.1) < paced(0.1, effort=0.3)


def test_a_depth_is_not_begun_late() -> None:
    pace = Pace(SOFT, HARD)
    wanted = SOFT * CALM[0]
    assert pace.goes_on("a", 0.0, EFFORT, BEGIN * wanted - 0.01)
    assert not Pace(SOFT, HARD).goes_on("a", 0.0, EFFORT, BEGIN * wanted + 0.01)
