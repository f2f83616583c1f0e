"""The chances of the policies, worked out by hand."""

from __future__ import annotations

import random

import pytest

from playout.engine.learning.methods.approximators import Table
from playout.engine.learning.methods.policies import EpsilonGreedy, Soft
from playout.engine.learning.methods.task import Outcome


class Choice:
    """One state with three actions."""

    def start(self, rng: random.Random) -> str:
        return "s"

    def actions(self, state: str) -> str:
        return "abc"

    def step(self, state: str, action: str, rng: random.Random) -> Outcome[str]:
        return Outcome(0.0, 0.0, None)


def values(**entries: float) -> Table[tuple[str, str]]:
    table: Table[tuple[str, str]] = Table()
    table.entries = {("s", action): value for action, value in entries.items()}
    return table


def test_the_best_actions_share_what_chance_leaves() -> None:
    policy = EpsilonGreedy(Choice(), values(a=1.0, b=0.5, c=1.0), epsilon=0.3)
    assert policy.chances("s") == pytest.approx({"a": 0.45, "b": 0.1, "c": 0.45})
    assert EpsilonGreedy(Choice(), values(a=-2.0, b=-1.0, c=-3.0)).chances("s") == {"a": 0.0, "b": 1.0, "c": 0.0}


def test_odds_of_a_soft_policy_are_powers_of_e() -> None:
    chances = Soft(Choice(), values(a=1.0, b=2.0, c=1000.0), temperature=0.5).chances("s")
    assert chances["c"] == 1.0  # and no power overflows
    chances = Soft(Choice(), values(a=1.0, b=2.0, c=1.5), temperature=0.5).chances("s")
    assert sum(chances.values()) == pytest.approx(1.0)
    assert chances["b"] / chances["a"] == pytest.approx(7.3890561)
    assert chances["c"] / chances["a"] == pytest.approx(2.7182818)
