from __future__ import annotations

import math

import pytest

from playout.protocols.base.centipawns import centipawns


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, 0), (0.25, 37), (-0.25, -37), (1.0, 12780), (-1.0, -12780), (7.0, 12780), (math.nan, 0)],
)
def test_centipawns_are_whole_and_bounded(value: float, expected: int) -> None:
    assert centipawns(value) == expected
