"""The scale of a chart."""

from __future__ import annotations

import math
import random

import pytest

from playout.games.support.scale import LINES, ticks


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [
        (0.0, 10.0, [0, 2, 4, 6, 8, 10]),
        (-0.3, 0.9, [-0.0, 0.5]),
        (13.0, 14.0, [13, 13.2, 13.4, 13.6, 13.8, 14]),
        (100.0, 1e6, [200_000, 400_000, 600_000, 800_000, 1_000_000]),
    ],
)
def test_numbers_are_round(low: float, high: float, values: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(values)


def test_a_grid_has_some_lines_on_any_scale() -> None:
    rng = random.Random(1)
    for _ in range(1000):
        low = rng.uniform(-1, 1) * 10 ** rng.uniform(-3, 6)
        high = low + 10 ** rng.uniform(-3, 6)
        found = ticks(low, high)
        assert LINES // 2 - 1 <= len(found) <= LINES + 2
        assert all(low - 1e-9 <= value <= high * (1 + math.copysign(1e-9, high)) + 1e-9 for value in found)
