"""The random walk of Sutton and Barto (2018), example 7.1, on which n-step methods are compared."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from playout.engine.learning.methods.task import Outcome


@dataclass(frozen=True)
class RandomWalk:
    """States 1 to ``states`` in a row. An episode starts in the middle and ends beyond an end: -1 left, +1 right.

    The actions are -1 and 1. Under the uniform policy the value of state i is 2 i / (states + 1) - 1.
    """

    states: int = 19

    def start(self, rng: random.Random) -> int:
        """The middle."""
        return (self.states + 1) // 2

    def actions(self, state: int) -> Sequence[int]:
        """Left and right."""
        return -1, 1

    def step(self, state: int, action: int, rng: random.Random) -> Outcome[int]:
        """Goes one state in the direction of ``action``."""
        there = state + action
        if 1 <= there <= self.states:
            return Outcome(0.0, 1.0, there)
        return Outcome(float(action), 0.0, None)

    def value(self, state: int) -> float:
        """The exact value under the uniform policy."""
        return 2 * state / (self.states + 1) - 1
