"""Tests of the cuts by learned functions: what is learned is better than nothing, and the search gains by it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from playout.engine.experiments import learned_cuts
from playout.engine.learning.methods.approximators import Linear
from playout.games.connect_four import ConnectFour


@pytest.fixture(scope="module")
def result() -> Iterator[learned_cuts.LearnedCuts]:
    """Fewer and smaller depths and breadths, and none of the engine's searches: the small tables have them all."""
    with pytest.MonkeyPatch.context() as patch:
        for name, few in {"DEPTHS": (1, 3), "BREADTH_DEPTH": 3, "BREADTHS": (1, 2, 5), "ENGINE": {}}.items():
            patch.setattr(learned_cuts, name, few)
        yield learned_cuts.run(episodes=400, positions=15)


def test_games_against_itself_teach_v_and_p(result: learned_cuts.LearnedCuts) -> None:
    first, last = result.stages[0], result.stages[-1]
    assert first[1] == 0.0
    assert last[1] > 0.2, "v goes with the exact values"
    assert last[2] > first[2] + 0.15, "p prefers a best action more often"
    assert last[3] < 0.8 * result.any_action


def test_less_breadth_means_fewer_leaves(result: learned_cuts.LearnedCuts) -> None:
    leaves = [row[1] for row in result.breadths]
    assert leaves == sorted(leaves)
    assert result.breadths[-1][1:] == result.depths[-1][1:], "all actions, three plies"


def test_the_regrets_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the plain search through all lines of a small board, after two moves."""
    monkeypatch.setattr(learned_cuts, "PLIES", (2, 2))
    monkeypatch.setattr(learned_cuts.Learned, "rules", ConnectFour(4, 4))
    (test,) = learned_cuts.tests_of(1, random.Random(5))
    game: Any = ConnectFour(4, 4)
    known: dict[Any, float] = {}

    def value(state: Any) -> float:
        """For player 0."""
        if state not in known:
            returns = game.returns(state)
            after = [value(game.next_state(state, action)) for action in game.legal_actions(state)]
            known[state] = returns[0] if returns is not None else (min if state.player else max)(after)
        return known[state]

    assert test.values == {
        action: value(game.next_state(test.state, action)) for action in game.legal_actions(test.state)
    }
    assert min(test.regret(action) for action in test.values) == 0.0


def test_lines_are_those_of_the_board() -> None:
    assert len(set(learned_cuts.LINES)) == 17
    for line in learned_cuts.LINES:
        columns, rows = zip(*((cell % 5, cell // 5) for cell in line), strict=True)
        steps = {(b - a, d - c) for a, b, c, d in zip(columns, columns[1:], rows, rows[1:], strict=False)}
        assert len(steps) == 1


def test_v_is_the_value_of_the_preferred_action() -> None:
    weights: Any = np.random.default_rng(1).normal(size=3)
    function: Any = Linear(lambda key: np.eye(3)[key[1] % 3], 3)
    function.weights[0][:] = weights
    game = learned_cuts.Learned(function)
    state = game.initial_state()
    assert game.value(state) == pytest.approx(min(1.0, weights.max()))
    logits = game.action_values(state, [0, 1, 2])
    assert logits == pytest.approx(list(weights / learned_cuts.TEMPERATURE))
