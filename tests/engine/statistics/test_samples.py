"""Means, intervals and the Elo scale."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.engine.statistics.elo import NORMALIZED, elo, expected
from playout.engine.statistics.samples import Estimate, mean_and_error, normal, wilson


def test_mean_and_error_of_a_sample() -> None:
    assert mean_and_error([1.0, 0.5, 0.5, 0.0]) == (0.5, pytest.approx(math.sqrt(0.5 / 4 / 3)))
    assert mean_and_error([0.7]) == (0.7, 0.0)


def test_wilsons_interval_of_single_games() -> None:
    # 10 of 10 and 7 of 10 at 95 %: 10 / (10 + z^2), and the roots of (p - 0.7)^2 = z^2 p (1 - p) / 10.
    assert wilson(1.0, 0.0, 10) == (pytest.approx(0.722467, abs=1e-6), 1.0)
    assert wilson(0.7, math.sqrt(0.7 * 0.3 / 10), 10) == pytest.approx((0.396778, 0.892209), abs=1e-6)


def test_wilsons_interval_needs_no_results() -> None:
    assert wilson(0.5, math.inf, 0) == (0.0, 1.0)


def test_rounding_is_no_error() -> None:
    mean, error = mean_and_error([0.1] * 7)
    assert wilson(mean, error + 1e-17, 7) == pytest.approx(wilson(0.1, 0.0, 7))


@given(st.floats(0.001, 0.999), st.integers(1, 10**6))
def test_wilsons_interval_turns_with_the_sides(mean: float, number: int) -> None:
    low, high = wilson(mean, 0.0, number)
    assert 0 <= low < mean < high <= 1
    assert wilson(1 - mean, 0.0, number) == pytest.approx((1 - high, 1 - low))


def test_the_error_is_half_the_interval() -> None:
    assert Estimate(10.0, 0.0, 30.0).error == 15.0
    assert Estimate(math.inf, 5.0, math.inf).error == math.inf


def test_shares_of_a_normal_distribution() -> None:
    assert normal(0.0) == 0.5
    assert normal(1.959964) == pytest.approx(0.975, abs=1e-7)
    assert (normal(-math.inf), normal(math.inf)) == (0.0, 1.0)


def test_the_elo_scale_is_logistic() -> None:
    assert expected(400) == pytest.approx(10 / 11)
    assert elo(0.75) == pytest.approx(190.85, abs=0.005)
    assert pytest.approx(347.43559, abs=1e-5) == NORMALIZED
    assert (elo(0.0), elo(1.0)) == (-math.inf, math.inf)
    assert (expected(-math.inf), expected(-1e9), expected(1e9), expected(math.inf)) == (0.0, 0.0, 1.0, 1.0)


@given(st.floats(-2000, 2000))
def test_elo_and_the_expected_score_are_inverse(difference: float) -> None:
    assert elo(expected(difference)) == pytest.approx(difference, abs=1e-6)
    assert expected(difference) + expected(-difference) == pytest.approx(1)
