"""Without exploration the first luck decides; with it the search comes back."""

from __future__ import annotations

import math

import pytest

from playout.engine.experiments import commitment
from playout.games.check.checker import check


@pytest.fixture(scope="module")
def lines() -> dict[float, commitment.Line]:
    return {one.exploration: one for one in commitment.run(simulations=1000, runs=60).lines}


def test_without_exploration_no_misled_run_ever_comes_back(lines: dict[float, commitment.Line]) -> None:
    greedy = lines[0.0]
    assert greedy.misled >= 5
    assert (greedy.returned, greedy.right) == (0, 0)
    assert greedy.shares == pytest.approx([1 / count for count in (10, 30, 100, 300, 1000)])


@pytest.mark.parametrize("exploration", [0.7, 1.0, 2.0])
def test_with_exploration_every_run_comes_back_and_plays_the_better_door(
    exploration: float, lines: dict[float, commitment.Line]
) -> None:
    one = lines[exploration]
    assert one.returned == one.misled >= 5
    assert one.right >= 0.8 * one.misled
    assert one.shares[-1] > 0.7


def test_a_small_constant_takes_as_long_as_the_formula_says(lines: dict[float, commitment.Line]) -> None:
    assert lines[0.2].expected_return > 1e6
    assert lines[0.2].returned == 0
    assert lines[0.4].expected_return == pytest.approx(math.exp(4))
    assert lines[0.4].returned == lines[0.4].misled


def test_the_same_runs_are_misled_whatever_the_constant(lines: dict[float, commitment.Line]) -> None:
    assert len({one.misled for one in lines.values()}) == 1


def test_the_doors_are_a_game() -> None:
    assert check(commitment.Doors(), games=5) == []
