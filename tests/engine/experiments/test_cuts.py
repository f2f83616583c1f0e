"""Tests of the two cuts of the tree: values cut the depth, samples of the actions the breadth."""

from __future__ import annotations

import itertools
import random

import pytest

from playout.engine.experiments import cuts
from playout.engine.experiments.base.exact import exact_values
from playout.engine.experiments.base.judged_tree import JudgedTree
from playout.games.check.checker import check


@pytest.fixture(scope="module")
def result() -> cuts.Cuts:
    return cuts.run(games=8)


def test_an_exact_value_cuts_the_depth_for_nothing(result: cuts.Cuts) -> None:
    assert {means[0] for _, means in result.depths} == {0.0}
    assert set(result.depths[-1][1]) == {0.0}, "the whole tree needs no v"


def test_noise_in_v_costs_and_any_action_costs_more(result: cuts.Cuts) -> None:
    for _, means in result.depths[:-1]:
        assert 0 < means[1] < means[3] < result.any_action


def test_samples_of_p_are_worth_more_than_uniform_ones(result: cuts.Cuts) -> None:
    for number, (by_p, uniform, _) in result.breadths[:-1]:
        assert by_p < uniform / 2, number
    for one, two in itertools.pairwise([means[1] for _, means in result.breadths]):
        assert two <= one + 0.02, "more samples lose less"


def test_both_cuts_save_nearly_all_leaves(result: cuts.Cuts) -> None:
    whole, *cut = result.both
    assert whole[2] == 0.0
    assert all(mean < result.any_action / 3 for _, _, mean, _ in cut)


def test_the_engine_gains_by_the_cut_of_its_breadth(result: cuts.Cuts) -> None:
    means = {name: mean for name, mean, _ in result.engine}
    assert means["breadth: the 3 of greatest p"] < means["plain"]


def test_draws_follow_the_policy() -> None:
    """The first of the actions drawn is each with its probability."""
    tree, rng = JudgedTree(4, 2, 3, temperature=0.3), random.Random(2)
    root = tree.initial_state()
    weights = [2.718281828459045**logit for logit in tree.action_values(root, range(4))]
    draws = [cuts.drawn(tree, root, 2, rng) for _ in range(8_000)]
    for action, weight in enumerate(weights):
        assert sum(one[0] == action for one in draws) / 8_000 == pytest.approx(weight / sum(weights), abs=0.015)
    assert all(len(set(one)) == 2 for one in draws)


def test_a_judged_tree_is_a_game_with_the_values_that_it_says() -> None:
    tree = JudgedTree(3, 3, 1)
    assert check(tree, games=5) == []
    assert exact_values(tree) == pytest.approx({str(action): tree.exact[1][action] for action in range(3)})
