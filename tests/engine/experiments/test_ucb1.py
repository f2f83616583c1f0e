"""UCB1's worked example, and the engine beside the formula."""

from __future__ import annotations

import math

import pytest

from playout.engine.experiments import ucb1


def test_the_worked_example() -> None:
    scores = {name: (ten, natural) for name, _, _, ten, natural in ucb1.run(simulations=10).scores}
    assert scores["two visits"] == (pytest.approx(10.98, abs=0.005), pytest.approx(10 + 2 * math.sqrt(math.log(3) / 2)))
    assert scores["one visit"] == (pytest.approx(11.38, abs=0.005), pytest.approx(10 + 2 * math.sqrt(math.log(3))))
    assert scores["not seen"] == (math.inf, math.inf)
    for base in (0, 1):
        assert scores["two visits"][base] < scores["one visit"][base] < scores["not seen"][base]


@pytest.mark.parametrize("seed", range(5))
def test_the_engine_draws_arms_as_the_formula_does(seed: int) -> None:
    arms = ucb1.run(seed=seed, simulations=20_000).arms
    assert [total for total, *_ in arms] == [10, 100, 1000, 10_000, 20_000]
    for total, good, bad, engine_good, engine_bad in arms:
        assert good + bad == engine_good + engine_bad == total
        # The engine's logarithm is good to 1e-4: a draw may come one step earlier or later.
        assert abs(good - engine_good) <= 1
