"""Errors fall, and the exact values they are measured against are exact."""

from __future__ import annotations

import math

import pytest

from playout.engine.experiments import convergence
from playout.engine.experiments.base.exact import exact_values
from playout.engine.experiments.base.random_tree import RandomTree
from playout.games import catalogue
from playout.games.check.checker import check
from playout.games.errors import GameError

GAMES = "tic_tac_toe", "random-tree"


@pytest.fixture(scope="module")
def result() -> convergence.Convergence:
    return convergence.run(game=GAMES, simulations=3000, runs=1)


def test_the_error_falls_for_the_policies_that_promise_it(result: convergence.Convergence) -> None:
    promised = [name for name, policy in convergence.POLICIES.items() if not policy.why_not]
    assert "ucb1" in promised
    for game in GAMES:
        for policy in promised:
            line = result.line(game, policy)
            early = max(one.error for one in line if one.simulations <= 300)
            assert line[-1].error <= 0.7 * early, (game, policy)


def test_minimax_is_exact_once_it_sees_the_whole_tree(result: convergence.Convergence) -> None:
    line = result.line("random-tree", "minimax")
    assert line[0].error > 0.05
    assert line[-1].error < 1e-6
    assert line[-1].regret == 0


def test_the_error_stays_for_the_policies_that_do_not(result: convergence.Convergence) -> None:
    for policy in ("flat", "mc-eval", "ucb1-sampled"):
        assert convergence.POLICIES[policy].why_not
        line = result.line("random-tree", policy)
        assert line[-1].error > 0.6 * line[-3].error
        assert line[-1].error > 3 * result.line("random-tree", "ucb1")[-1].error


def test_rave_is_not_asked_where_dice_decide() -> None:
    result = convergence.run(game=["random-tree-chance"], simulations=1000, runs=2)
    without = {name for name, policy in convergence.POLICIES.items() if policy.chance}
    assert {one.policy for one in result.points} == without
    assert without == set(convergence.POLICIES) - {"rave", "ucb1+rave"}
    errors = [one.error for one in result.line("random-tree-chance", "ucb1")]
    assert errors[-1] < 0.5 * max(errors)


def test_every_policy_was_measured_in_every_game(result: convergence.Convergence) -> None:
    counts = [10, 30, 100, 300, 1000, 3000]
    for game in GAMES:
        for policy in convergence.POLICIES:
            line = result.line(game, policy)
            assert [one.simulations for one in line] == counts
            assert all(one.error >= 0 and one.regret >= 0 for one in line)


def test_the_same_seed_gives_the_same_errors() -> None:
    first, second = (
        convergence.run(game=["random-tree"], policy=["ucb1"], simulations=300, runs=2, seed=seed) for seed in (5, 5)
    )
    assert first == second


@pytest.mark.parametrize("wrong", [{"game": ["chess"]}, {"policy": ["alpha-beta"]}])
def test_an_unknown_game_or_policy_is_refused(wrong: dict[str, list[str]]) -> None:
    with pytest.raises(GameError, match="one of"):
        convergence.run(simulations=10, runs=1, **wrong)  # type: ignore[arg-type]


def test_exact_values() -> None:
    assert set(exact_values(catalogue.load("tic_tac_toe")).values()) == {0.0}
    assert exact_values(catalogue.load("hex:3"))["b2"] == 1.0
    assert exact_values(catalogue.load("connect_four:4,rows=4")) == dict.fromkeys("abcd", 0.0)


@pytest.mark.parametrize("chance", [False, True])
def test_the_exact_values_of_a_random_tree_are_those_of_its_leaves(chance: bool) -> None:
    game = RandomTree(branching=2, depth=2, seed=7, chance=chance)
    leaves = [game.returns((2, place)) for place in range(4)]
    values = [leaf[0] for leaf in leaves if leaf is not None]
    join = (lambda a, b: (a + b) / 2) if chance else min
    expected = {"0": join(values[0], values[1]), "1": join(values[2], values[3])}
    assert exact_values(game) == pytest.approx(expected)


@pytest.mark.parametrize("chance", [False, True])
def test_a_random_tree_is_a_game(chance: bool) -> None:
    assert check(RandomTree(branching=3, depth=4, seed=1, chance=chance), games=5) == []


def test_leaves_are_spread_over_all_values() -> None:
    values = [leaf[0] for place in range(4**5) if (leaf := RandomTree().returns((5, place))) is not None]
    assert len(values) == 1024
    mean = sum(values) / 1024
    assert abs(mean) < 4 * math.sqrt(1 / 3 / 1024)
    assert min(values) < -0.98
    assert max(values) > 0.98


def test_the_slope_of_a_power_law() -> None:
    line = [
        convergence.Point("game", "policy", count, 3 * count**-0.5, 0.0, 0.0, 0.0)
        for count in (10, 100, 1000, 3000, 10_000)
    ]
    assert convergence.slope(line) == pytest.approx(-0.5)
    assert convergence.slope(line[:1]) is None
