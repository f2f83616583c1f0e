"""Transformations that leave a decision unchanged."""

from __future__ import annotations

import random

import pytest

from playout.engine.experiments import order
from playout.games import catalogue


@pytest.fixture(scope="module")
def result() -> order.Order:
    return order.run(games=120, runs=10)


@pytest.mark.long
def test_minimax_keeps_its_decisions_under_every_increasing_transformation(result: order.Order) -> None:
    for name, kind, minimax, _, shallow, _ in result.shares:
        if kind != "decreasing":
            assert (minimax, shallow) == (1.0, 1.0), name


def test_expectiminimax_keeps_its_decisions_under_positive_affine_ones_only(result: order.Order) -> None:
    for name, kind, _, expectiminimax, _, deep in result.shares:
        if kind == "positive affine":
            assert (expectiminimax, deep) == (1.0, 1.0), name
        else:
            assert expectiminimax < 0.98, name
    assert min(deep for _, kind, _, _, _, deep in result.shares if deep is not None) < 1.0


def test_the_examples_are_legal_plays_that_differ(result: order.Order) -> None:
    game = catalogue.load("backgammon")
    assert result.examples
    for example in result.examples:
        state = game.state_from_text(example.position)  # type: ignore[attr-defined]
        plays = {game.action_to_text(state, action) for action in game.legal_actions(state)}  # type: ignore[attr-defined]
        assert {example.play, example.other} <= plays
        assert example.play != example.other
        assert example.loss > 0


def test_decisions_of_trees() -> None:
    """The second move guards 3; the third has the greatest mean."""
    levels = "max", "min"
    assert order.decision([1, 9, 9, 3, 4, 5, 2, 20, 20], levels) == 1
    assert order.decision([1, 9, 9, 3, 4, 5, 2, 20, 20], ("max", "chance")) == 2


def test_rank_keeps_the_order() -> None:
    values = [random.Random(1).uniform(-1, 1) for _ in range(50)]
    ranks = order.rank(values)
    assert sorted(range(50), key=values.__getitem__) == sorted(range(50), key=ranks.__getitem__)
    assert order.rank([0.5, -1.0, 0.5]) == [1.0, 0.0, 1.0]
