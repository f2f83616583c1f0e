"""Policies: uniform, soft, and greedy with or without chance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from playout.engine.learning.methods.approximators import Approximator
from playout.engine.learning.methods.task import Task

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)


@dataclass(frozen=True)
class Uniform(Generic[S, A]):
    """All actions with the same chance."""

    task: Task[S, A]

    def chances(self, state: S) -> Mapping[A, float]:
        """The probability of each action."""
        actions = self.task.actions(state)
        return {action: 1.0 / len(actions) for action in actions}


def action_values(task: Task[S, A], function: Approximator[tuple[S, A]], state: S) -> dict[A, float]:
    """Returns Q of each action of a state."""
    return {action: function.value((state, action)) for action in task.actions(state)}


@dataclass(frozen=True)
class EpsilonGreedy(Generic[S, A]):
    """The actions of the greatest Q share 1 - epsilon, and all share epsilon. With epsilon = 0 it is greedy."""

    task: Task[S, A]
    function: Approximator[tuple[S, A]]
    epsilon: float = 0.0

    def chances(self, state: S) -> Mapping[A, float]:
        """The probability of each action."""
        values = action_values(self.task, self.function, state)
        best = max(values.values())
        share = (1.0 - self.epsilon) / list(values.values()).count(best)
        rest = self.epsilon / len(values)
        return {action: rest + share * (value == best) for action, value in values.items()}


@dataclass(frozen=True)
class Soft(Generic[S, A]):
    """Actions by the softmax of Q / temperature."""

    task: Task[S, A]
    function: Approximator[tuple[S, A]]
    temperature: float = 1.0

    def chances(self, state: S) -> Mapping[A, float]:
        """The probability of each action."""
        values = action_values(self.task, self.function, state)
        best = max(values.values())
        weights = {action: math.exp((value - best) / self.temperature) for action, value in values.items()}
        total = sum(weights.values())
        return {action: weight / total for action, weight in weights.items()}


@dataclass(frozen=True)
class Listed(Generic[S, A]):
    """The chances that a table lists for each state."""

    table: Mapping[S, Mapping[A, float]]

    def chances(self, state: S) -> Mapping[A, float]:
        """The probability of each action."""
        return self.table[state]
