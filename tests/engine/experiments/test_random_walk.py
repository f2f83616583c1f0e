from __future__ import annotations

import random

import numpy as np
import pytest

from playout.engine.experiments import random_walk
from playout.engine.experiments.random_walk import ALPHAS, STEPS
from playout.engine.learning.methods.approximators import Table
from playout.engine.learning.methods.learner import NStepLearner
from playout.engine.learning.methods.rules import TD

PUBLISHED = {1: 0.3456, 2: 0.2779, 4: 0.2651, 8: 0.2780, 16: 0.3128, 32: 0.3643, 64: 0.4160, 128: 0.4633, 512: 0.4851}
"""The least error of each n, computed elsewhere from 100 to 2,000 runs."""


@pytest.fixture(scope="module")
def walked() -> random_walk.Walked:
    return random_walk.run(seed=1, runs=40)


def test_the_least_errors_are_those_that_were_found_elsewhere(walked: random_walk.Walked) -> None:
    least = {n: min(errors) for n, errors in zip(STEPS, walked.errors, strict=True)}
    assert {n: least[n] for n in PUBLISHED} == pytest.approx(PUBLISHED, abs=0.02)
    assert walked.errors[STEPS.index(4)][ALPHAS.index(0.4)] == pytest.approx(0.265, abs=0.02)


def test_n_and_alpha_between_the_ends_are_best(walked: random_walk.Walked) -> None:
    least = [min(errors) for errors in walked.errors]
    best = least.index(min(least))
    assert STEPS[best] == 4
    assert least[: best + 1] == sorted(least[: best + 1], reverse=True) and least[best:] == sorted(least[best:])
    for errors in walked.errors[:6]:
        assert 0 < errors.index(min(errors)) < len(ALPHAS) - 1


@pytest.mark.parametrize("n", [1, 3, 16, 512])
def test_arrays_learn_what_the_learner_of_one_episode_learns(n: int) -> None:
    alpha, rng = 0.3, random.Random(n)
    walks = random_walk._walks(np.random.default_rng(n), 3, 5)
    _, values = random_walk.learned(walks, n, np.array([0.7, alpha]))
    for run in range(3):
        table: Table[int] = Table()
        learner: NStepLearner[int, int] = NStepLearner(TD(table), n, alpha)
        for walk in walks:
            states = [int(state) for state in walk[:, run]]
            states = states[: 1 + next(place for place, state in enumerate(states) if state in (0, 20))]
            learner.begin(states[0], 0)
            for state in states[1:-1]:
                learner.observe(0.0, 1.0, state, rng.choice((-1, 1)))
            learner.end(1.0 if states[-1] == 20 else -1.0)
        assert [table.value(state) for state in range(1, 20)] == pytest.approx(values[1, run, 1:-1], abs=1e-12)
