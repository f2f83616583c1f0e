"""Sampled UCB1 sharpens as the counts grow."""

from __future__ import annotations

import pytest

from playout.engine.experiments import sampled


@pytest.fixture(scope="module")
def result() -> sampled.Sampled:
    return sampled.run(simulations=3000, runs=20)


def test_the_shares_are_the_claimed_ones(result: sampled.Sampled) -> None:
    (good, bad, first), (many, few, last) = result.claimed
    assert (good, bad, many, few) == (1, 1, 870, 130)
    assert first == pytest.approx(0.875, abs=0.001)
    assert last == pytest.approx(0.957, abs=0.001)


def test_the_policy_sharpens(result: sampled.Sampled) -> None:
    """From ten visits on; before that ln N grows faster than the counts."""
    draws = [row[1] for row in result.grown if row[0] >= 10]
    assert draws == sorted(draws)
    assert draws[-1] > 0.95


def test_draws_follow_the_formula(result: sampled.Sampled) -> None:
    for visits, _, expected, drawn, _, _ in result.grown:
        assert drawn == pytest.approx(expected, abs=0.05 if visits >= 100 else 0.15), visits


def test_the_engine_draws_as_the_formula(result: sampled.Sampled) -> None:
    for visits, _, expected, _, engine, error in result.grown:
        # Four standard errors: one seed, and the expected counts are those of the mean.
        assert engine == pytest.approx(expected, abs=4 * error + 0.005), visits


def test_negative_scores_count_as_nothing() -> None:
    assert sampled.share(10, 10, exploration=0.0, values=(0.5, -0.5)) == 1.0


def test_any_seed_is_taken() -> None:
    assert sampled.run(seed=10**7, simulations=3000, runs=1).grown
