"""Methods that are the same, by theory, give the same numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from playout.engine.learning.methods.approximators import Table
from playout.engine.learning.methods.learner import NStepLearner, TDLambda, run_episode
from playout.engine.learning.methods.policies import EpsilonGreedy, Uniform
from playout.engine.learning.methods.random_walk import RandomWalk
from playout.engine.learning.methods.rules import TD, ExpectedSarsa, QSigma, Ratios, Rule, Sarsa, TreeBackup
from playout.engine.learning.methods.task import GameTask, Outcome, Policy, Task, drawn
from playout.games import catalogue
from playout.games.game import CHANCE


@dataclass(frozen=True)
class Race:
    """The first player at 3 wins. A turn begins with a roll of 1 or 2; the player goes as far, or half as far."""

    name = "race"

    def initial_state(self) -> tuple[float, float, int, int]:
        return 0.0, 0.0, 0, 0

    def current_player(self, state: tuple[float, float, int, int]) -> int:
        return state[2] if state[3] else CHANCE

    def chance_outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        return (1, 0.75), (2, 0.25)

    def legal_actions(self, state: tuple[float, float, int, int]) -> Sequence[Any]:
        if self.returns(state) is not None:
            return ()
        return (0.5, 1.0) if state[3] else (1, 2)

    def next_state(self, state: tuple[float, float, int, int], action: Any) -> tuple[float, float, int, int]:
        one, other, mover, roll = state
        if not roll:
            return one, other, mover, action
        gone = action * roll
        return (one + gone, other, 1, 0) if mover == 0 else (one, other + gone, 0, 0)

    def returns(self, state: tuple[float, float, int, int]) -> tuple[float, float] | None:
        if max(state[:2]) < 3:
            return None
        return (1.0, -1.0) if state[0] >= 3 else (-1.0, 1.0)


class Ring:
    """Five states in a circle, without an end. A step forth to state 0 pays 1; one step of five goes nowhere."""

    def start(self, rng: random.Random) -> int:
        return 2

    def actions(self, state: int) -> tuple[int, int]:
        return -1, 1

    def step(self, state: int, action: int, rng: random.Random) -> Outcome[int]:
        there = state if rng.random() < 0.2 else (state + action) % 5
        return Outcome(1.0 if there == 0 and action == 1 else 0.0, 0.9, there)


TASKS: dict[str, Task[Any, Any]] = {
    "episodic": RandomWalk(7),
    "of two players": GameTask(catalogue.load("tic_tac_toe"), gamma=0.9),
    "with dice": GameTask(Race()),
    "continuing": Ring(),
}


def learned(make: Callable[[Task[Any, Any]], tuple[Any, Policy[Any, Any]]], task: Task[Any, Any]) -> Any:
    """The estimates after some episodes. The same policy draws the same episodes."""
    learner, policy = make(task)
    rng = random.Random(5)
    for _ in range(6):
        run_episode(task, policy, learner, rng, most_steps=60)
    return learner.function.entries if isinstance(learner, TDLambda) else learner.rule.function.entries


def by(rule: Callable[[Table[Any], Task[Any, Any]], Rule[Any, Any]], n: int) -> Callable[..., Any]:
    """A maker of a learner by a rule, with a policy that does not depend on what is learned."""

    def make(task: Task[Any, Any]) -> tuple[Any, Policy[Any, Any]]:
        return NStepLearner(rule(Table(), task), n, 0.1), Uniform(task)

    return make


@dataclass(frozen=True)
class Skewed:
    """A policy that prefers the later actions: the first has the weight 3, the next one 4, and so on."""

    task: Task[Any, Any]

    def chances(self, state: Any) -> Mapping[Any, float]:
        weights = {action: place for place, action in enumerate(self.task.actions(state), 3)}
        total = sum(weights.values())
        return {action: weight / total for action, weight in weights.items()}


def uniform(task: Task[Any, Any]) -> Ratios[Any, Any]:
    return Ratios(Uniform(task), Uniform(task))


SAME: dict[str, tuple[Any, Any]] = {
    "TD, b = pi": (lambda v, task: TD(v), lambda v, task: TD(v, uniform(task))),
    "TD with control variates, b = pi": (lambda v, task: TD(v), lambda v, task: TD(v, uniform(task), True)),
    "Sarsa, b = pi": (lambda q, task: Sarsa(q), lambda q, task: Sarsa(q, uniform(task))),
    "Expected Sarsa, b = pi": (
        lambda q, task: ExpectedSarsa(q, Uniform(task)),
        lambda q, task: ExpectedSarsa(q, Uniform(task), Uniform(task)),
    ),
    "Q(0) is Tree Backup": (
        lambda q, task: TreeBackup(q, Skewed(task)),
        lambda q, task: QSigma(q, Ratios(Skewed(task), Uniform(task)), lambda _: 0.0),
    ),
    "Q(0) of De Asis is Tree Backup": (
        lambda q, task: TreeBackup(q, Skewed(task)),
        lambda q, task: QSigma(q, Ratios(Skewed(task), Uniform(task)), lambda _: 0.0, False),
    ),
    "Q(1) is Sarsa with control variates": (
        lambda q, task: Sarsa(q, Ratios(Skewed(task), Uniform(task)), True),
        lambda q, task: QSigma(q, Ratios(Skewed(task), Uniform(task)), lambda _: 1.0),
    ),
    "Q(1) of De Asis is Sarsa": (
        lambda q, task: Sarsa(q, Ratios(Skewed(task), Uniform(task))),
        lambda q, task: QSigma(q, Ratios(Skewed(task), Uniform(task)), lambda _: 1.0, False),
    ),
}


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", SAME)
def test_two_methods_are_one(name: str, task: str, n: int) -> None:
    one, other = (learned(by(rule, n), TASKS[task]) for rule in SAME[name])
    assert one and one == pytest.approx(other, abs=1e-12)
    if "b = pi" in name and "control" not in name:
        assert one == other


def episodes(task: Task[Any, Any], count: int = 6) -> list[list[tuple[Any, Any, float, float]]]:
    """The episodes of ``learned`` under the uniform policy: of each step state, action, reward and discount."""
    rng, policy, found = random.Random(5), Uniform(task), []
    for _ in range(count):
        steps, state = [], task.start(rng)
        action = drawn(policy.chances(state), rng)
        while state is not None:
            outcome = task.step(state, action, rng)
            steps.append((state, action, outcome.reward, outcome.discount))
            state = outcome.state
            if state is not None:
                action = drawn(policy.chances(state), rng)
        found.append(steps)
    return found


EPISODIC = ("episodic", "of two players", "with dice")


@pytest.mark.parametrize("task", EPISODIC)
@pytest.mark.parametrize("judged", ["states", "actions", "actions by expectation"])
def test_a_return_longer_than_the_episode_is_that_of_monte_carlo(judged: str, task: str) -> None:
    rules: dict[str, Any] = {
        "states": lambda v, task: TD(v),
        "actions": lambda q, task: Sarsa(q),
        "actions by expectation": lambda q, task: ExpectedSarsa(q, Uniform(task)),
    }
    estimates: Table[Any] = Table()
    for steps in episodes(TASKS[task]):
        for place, (state, action, _, _) in enumerate(steps):
            total, factor = 0.0, 1.0
            for _, _, reward, discount in steps[place:]:
                total, factor = total + factor * reward, factor * discount
            key = state if judged == "states" else (state, action)
            estimates.learn(key, 0.1 * (total - estimates.value(key)))
    assert learned(by(rules[judged], 500), TASKS[task]) == pytest.approx(estimates.entries, abs=1e-12)


@pytest.mark.parametrize("task", EPISODIC)
def test_one_step_of_greedy_tree_backup_is_q_learning(task: str) -> None:
    def make(task: Task[Any, Any]) -> tuple[Any, Policy[Any, Any]]:
        estimates: Table[Any] = Table()
        return NStepLearner(TreeBackup(estimates, EpsilonGreedy(task, estimates)), 1, 0.1), Uniform(task)

    estimates: Table[Any] = Table()
    for steps in episodes(TASKS[task]):
        for place, (state, action, reward, discount) in enumerate(steps):
            target = reward
            if discount:
                there = steps[place + 1][0]
                target += discount * max(estimates.value((there, other)) for other in TASKS[task].actions(there))
            estimates.learn((state, action), 0.1 * (target - estimates.value((state, action))))
    assert learned(make, TASKS[task]) == pytest.approx(estimates.entries, abs=1e-12)


@pytest.mark.parametrize("task", TASKS)
def test_td_lambda_without_a_trace_is_one_step_td(task: str) -> None:
    one = learned(by(lambda v, _: TD(v), 1), TASKS[task])
    other = learned(lambda task: (TDLambda(Table(), 0.0, 0.1), Uniform(task)), TASKS[task])
    # The learner of n steps has not learned from the last step of an episode that was broken off.
    assert one == pytest.approx(other, abs=0.02 if task == "continuing" else 1e-12)


@pytest.mark.parametrize("task", EPISODIC)
def test_td_lambda_with_the_whole_trace_is_monte_carlo_offline(task: str) -> None:
    estimates: Table[Any] = Table()
    for steps in episodes(TASKS[task]):
        known = dict(estimates.entries)
        for place, (state, _, _, _) in enumerate(steps):
            total, factor = 0.0, 1.0
            for _, _, reward, discount in steps[place:]:
                total, factor = total + factor * reward, factor * discount
            estimates.learn(state, 0.1 * (total - known.get(state, 0.0)))
    found = learned(lambda task: (TDLambda(Table(), 1.0, 0.1, offline=True), Uniform(task)), TASKS[task])
    assert found == pytest.approx(estimates.entries, abs=1e-12)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_updates_come_n_steps_late_and_one_for_each_step(n: int) -> None:
    learner: NStepLearner[int, int] = NStepLearner(TD(Table()), n, 0.5)
    learner.begin(0, 0)
    for step in range(1, 30):
        learner.observe(1.0, 1.0, step, 0)
        assert learner.updates == max(0, step - n + 1)
    learner.end(1.0)
    assert learner.updates == 30
    learner.begin(0, 0)
    learner.end(1.0)
    assert learner.updates == 31


@pytest.mark.parametrize(("n", "alpha"), [(0, 0.1), (-1, 0.1), (1, 0.0), (1, float("nan"))])
def test_a_learner_needs_a_step(n: int, alpha: float) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        NStepLearner(TD(Table()), n, alpha)
