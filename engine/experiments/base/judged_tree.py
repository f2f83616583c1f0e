"""A random tree that has a v(s) and a p(a|s): its exact values with noise."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from playout.engine.experiments.base.random_tree import Node, UniformTree

Levels = tuple[tuple[float, ...], ...]
"""A number for each node, by depth."""


@dataclass(frozen=True)
class JudgedTree(UniformTree):
    """A tree of ``depth`` plies with ``branching`` actions at each node. Player 0 and player 1 move in turn.

    Each action is worth a random number for player 0, and a leaf the sum of the actions that lead to it, as material
    adds up in chess: a position foretells what is below it.
    """

    branching: int
    depth: int
    seed: int
    value_noise: float = 0.1
    """Standard deviation of v(s) around the exact value."""
    prior_noise: float = 0.1
    """Standard deviation of the values whose softmax p(a|s) is."""
    temperature: float = 0.1
    """Temperature of that softmax."""

    @property
    def name(self) -> str:
        return f"judged-tree:{self.branching},{self.depth},{self.seed}"

    @cached_property
    def _sums(self) -> Levels:
        """The sums of the actions that lead to each node."""
        rng = random.Random(self.seed)
        levels: list[tuple[float, ...]] = [(0.0,)]
        for _ in range(self.depth):
            step = 1 / self.depth
            levels.append(tuple(one + rng.uniform(-step, step) for one in levels[-1] for _ in range(self.branching)))
        return tuple(levels)

    @cached_property
    def exact(self) -> Levels:
        """The exact values for player 0."""
        levels, b = [self._sums[-1]], self.branching
        for depth in reversed(range(self.depth)):
            best, below = max if depth % 2 == 0 else min, levels[-1]
            levels.append(tuple(best(below[start : start + b]) for start in range(0, len(below), b)))
        return tuple(reversed(levels))

    @cached_property
    def _noise(self) -> tuple[Levels, Levels]:
        """Standard normal numbers for v(s) and for p(a|s)."""
        rng = random.Random(-1 - self.seed)
        one, other = (tuple(tuple(rng.gauss(0, 1) for _ in level) for level in self._sums) for _ in range(2))
        return one, other

    def estimate(self, state: Node, noise: float) -> float:
        """Returns v(s) for player 0 with this standard deviation, cut to [-1, 1]."""
        depth, place = state
        return max(-1.0, min(1.0, self.exact[depth][place] + noise * self._noise[0][depth][place]))

    def current_player(self, state: Node) -> int:
        return state[0] % 2

    def returns(self, state: Node) -> tuple[float, float] | None:
        if state[0] < self.depth:
            return None
        value = self._sums[-1][state[1]]
        return value, -value

    def value(self, state: Node) -> float:
        return self._sign(state) * self.estimate(state, self.value_noise)

    def action_values(self, state: Node, actions: Sequence[int]) -> Sequence[float]:
        sign, (depth, first) = self._sign(state), self.next_state(state, 0)
        places = range(first, first + self.branching)
        noisy = [self.exact[depth][place] + self.prior_noise * self._noise[1][depth][place] for place in places]
        return [sign * noisy[action] / self.temperature for action in actions]

    def _sign(self, state: Node) -> int:
        return 1 if self.current_player(state) == 0 else -1
