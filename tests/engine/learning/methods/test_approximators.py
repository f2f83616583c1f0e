from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from playout.engine.learning.methods.approximators import Approximator, Linear, Perceptron, Table
from playout.engine.learning.methods.learner import NStepLearner, TDLambda, run_episode
from playout.engine.learning.methods.policies import Uniform
from playout.engine.learning.methods.random_walk import RandomWalk
from playout.engine.learning.methods.rules import TD

SIZE = 6


def features(key: int) -> Any:
    return np.random.default_rng(key).normal(size=SIZE)


def one_hot(key: int) -> Any:
    return np.eye(20)[key]


@pytest.mark.parametrize("steps", [1, 5])
def test_a_gradient_is_the_slope(steps: int) -> None:
    net: Perceptron[int] = Perceptron(features, SIZE, 4, np.random.default_rng(1))
    for key in range(steps):
        net.learn(key, 0.5)
    for weights, slopes in zip(net.weights, net.gradient(9), strict=True):
        for place in np.ndindex(weights.shape):
            before, width = weights[place], 1e-5
            weights[place] = before + width
            above = net.value(9)
            weights[place] = before - width
            below = net.value(9)
            weights[place] = before
            assert slopes[place] == pytest.approx((above - below) / (2 * width), abs=1e-8)


@pytest.mark.parametrize("decay", [None, 0.0, 0.8])
def test_a_linear_function_of_single_features_is_a_table(decay: float | None) -> None:
    found = []
    for function in (Table[int](), Linear[int](one_hot, 20)):
        learner: Any = NStepLearner(TD(function), 3, 0.3) if decay is None else TDLambda(function, decay, 0.3)
        rng = random.Random(1)
        for _ in range(20):
            run_episode(RandomWalk(), Uniform(RandomWalk()), learner, rng)
        found.append([function.value(state) for state in range(1, 20)])
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0] != pytest.approx([0.0] * 19)


@pytest.mark.parametrize("kind", ["table", "linear", "perceptron"])
def test_every_function_comes_near_the_values_of_the_walk(kind: str) -> None:
    task, ones = RandomWalk(7), np.eye(8)
    functions: dict[str, tuple[Approximator[int], float]] = {
        "table": (Table(), 0.04),
        "linear": (Linear(lambda state: np.array([1.0, state / 4 - 1]), 2), 0.02),
        "perceptron": (Perceptron(lambda state: ones[state], 8, 5, np.random.default_rng(2)), 0.03),
    }
    function, alpha = functions[kind]
    learner = NStepLearner(TD[int, int](function), 4, alpha)
    rng = random.Random(3)
    for _ in range(500):
        run_episode(task, Uniform(task), learner, rng)
    errors = [function.value(state) - task.value(state) for state in range(1, 8)]
    assert max(map(abs, errors)) < 0.15, errors
