"""UCB1's worked example, and the engine beside the formula."""

from __future__ import annotations

import math

import pytest

from playout.engine.experiments import ucb1
from playout.engine.experiments.base.worked_example import TEN_AND_TWENTY, THREE_VISITS, trace
from playout.games.check.checker import check


def test_the_worked_example() -> None:
    scores = {name: (ten, natural) for name, _, _, ten, natural in ucb1.run(simulations=10).scores}
    assert scores["two visits"] == (pytest.approx(10.98, abs=0.005), pytest.approx(10 + 2 * math.sqrt(math.log(3) / 2)))
    assert scores["one visit"] == (pytest.approx(11.38, abs=0.005), pytest.approx(10 + 2 * math.sqrt(math.log(3))))
    assert scores["not seen"] == (math.inf, math.inf)
    for base in (0, 1):
        assert scores["two visits"][base] < scores["one visit"][base] < scores["not seen"][base]


def test_the_engines_tree_has_the_scores_of_the_example() -> None:
    """After three simulations two visits worth 20 and one visit worth 10: the fourth goes to the latter."""
    tree = trace(THREE_VISITS, 4)
    third = [one for one in tree if one.simulations == 3]
    assert [(round(one.total), one.visits) for one in third] == [(20, 2), (10, 1)]
    assert [round(one.score, 2) for one in third] == [10.98, 11.38]
    assert [one.taken for one in third] == [False, True]
    assert [(one.visits, round(one.total)) for one in tree if one.simulations == 4] == [(2, 20), (2, 30)]


def test_a_child_that_returns_ten_then_twenty() -> None:
    first = {one.simulations: one for one in trace(TEN_AND_TWENTY, 3) if one.child == 0}
    assert (round(first[1].score, 2), round(first[3].score, 2)) == (10.0, 15.98)
    assert (first[3].visits, round(first[3].total)) == (2, 30)


def test_the_engine_takes_the_child_of_the_greatest_score() -> None:
    for example in (THREE_VISITS, TEN_AND_TWENTY):
        for simulations in (2, 3, 4, 5, 6):
            children = [one for one in trace(example, 6) if one.simulations == simulations]
            best = max(one.score for one in children)
            assert [one.score for one in children if one.taken] == [pytest.approx(best)]


def test_the_examples_are_games() -> None:
    assert check(THREE_VISITS, games=3) == []


@pytest.mark.parametrize("seed", range(5))
def test_the_engine_draws_arms_as_the_formula_does(seed: int) -> None:
    arms = ucb1.run(seed=seed, simulations=20_000).arms
    assert [total for total, *_ in arms] == [10, 100, 1000, 10_000, 20_000]
    for total, good, bad, engine_good, engine_bad in arms:
        assert good + bad == engine_good + engine_bad == total
        # The engine's logarithm is good to 1e-4: a draw may come one step earlier or later.
        assert abs(good - engine_good) <= 1
