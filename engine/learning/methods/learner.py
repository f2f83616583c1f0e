"""The loop under all n-step methods: a store of n + 1 moments, and updates that come n steps late."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from typing import Generic, TypeAlias, TypeVar

from playout.engine.learning.methods.approximators import Approximator
from playout.engine.learning.methods.rules import Moment, Rule
from playout.engine.learning.methods.task import Policy, Task, drawn

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)


class NStepLearner(Generic[S, A]):
    """Learns from the moments of episodes by an n-step rule.

    Moment t has its place t mod (n + 1) in the store, where moment t - n - 1 was. Moment t + n brings the update of
    moment t, with the estimates as they are then; the end of an episode brings those of the last n moments at once. So
    there is no update in the first n steps, and one for each moment but the end.
    """

    def __init__(self, rule: Rule[S, A], n: int, alpha: float) -> None:
        """Prepares to learn; ``n`` >= 1 is the number of rewards in a return, ``alpha`` > 0 the step size."""
        if n < 1 or not alpha > 0.0:
            raise ValueError(f"n must be at least 1 and alpha positive: {n}, {alpha}")
        self.rule, self.n, self.alpha = rule, n, alpha
        self.updates = 0
        """Number of updates made."""
        self._store: list[Moment[S, A] | None] = [None] * (n + 1)
        self._time = -1

    def begin(self, state: S, action: A) -> None:
        """Begins an episode. What is left of one that did not end is dropped."""
        self._time = -1
        self._enter(Moment(0.0, 0.0, state, action))

    def observe(self, reward: float, discount: float, state: S, action: A) -> None:
        """Notes where the last action led, and the action taken there."""
        self._enter(Moment(reward, discount, state, action))
        if self._time >= self.n:
            self._update(self._time - self.n)

    def end(self, reward: float) -> None:
        """Notes that the last action ended the episode."""
        self._enter(Moment(reward, 0.0, None, None))
        for time in range(max(0, self._time - self.n), self._time):
            self._update(time)

    def _enter(self, moment: Moment[S, A]) -> None:
        self._time += 1
        self._store[self._time % (self.n + 1)] = moment

    def _update(self, time: int) -> None:
        """Updates the moment of ``time`` by all those after it."""
        moments = [self._store[step % (self.n + 1)] for step in range(time, self._time + 1)]
        known = [moment for moment in moments if moment is not None]
        key, function = self.rule.key(known[0]), self.rule.function
        weight = self.rule.weight(known)
        self.updates += 1
        if weight != 0.0:
            error = self.rule.target(known) - function.value(key)
            function.learn(key, self.alpha * weight * error)


class TDLambda(Generic[S]):
    """TD(lambda) prediction of state values with accumulating traces.

    lambda = 0 is one-step TD. With ``offline`` the updates of an episode are made at its end, with the errors of the
    estimates at its begin, which is exact for tables and linear functions: then lambda = 1 is Monte Carlo. Source:
    Sutton and Barto (2018), chapter 12.
    """

    def __init__(self, function: Approximator[S], decay: float, alpha: float, *, offline: bool = False) -> None:
        """Prepares to learn; ``decay`` is lambda, in [0, 1], and ``alpha`` > 0 the step size."""
        if not (0.0 <= decay <= 1.0 and alpha > 0.0):
            raise ValueError(f"lambda must be in [0, 1] and alpha positive: {decay}, {alpha}")
        self.function, self.decay, self.alpha, self.offline = function, decay, alpha, offline

    def begin(self, state: S, action: Hashable = None) -> None:
        """Begins an episode."""
        self._trace = self.function.trace()
        self._state, self._discount = state, 0.0
        self._late: list[tuple[S, float, float]] = []

    def observe(self, reward: float, discount: float, state: S, action: Hashable = None) -> None:
        """Notes where the last action led."""
        self._learn(reward + discount * self.function.value(state))
        self._state, self._discount = state, discount

    def end(self, reward: float) -> None:
        """Notes that the last action ended the episode."""
        self._learn(reward)
        for state, decay, amount in self._late:
            self._pass(state, decay, amount)

    def _learn(self, target: float) -> None:
        amount = self.alpha * (target - self.function.value(self._state))
        step = self._state, self._discount * self.decay, amount
        if self.offline:
            self._late.append(step)
        else:
            self._pass(*step)

    def _pass(self, state: S, decay: float, amount: float) -> None:
        self._trace.add(state, decay)
        self._trace.apply(amount)


Learner: TypeAlias = NStepLearner[S, A] | TDLambda[S]


def run_episode(
    task: Task[S, A],
    policy: Policy[S, A],
    learner: Learner[S, A],
    rng: random.Random,
    *,
    most_steps: int | None = None,
    on_step: Callable[[S], None] | None = None,
) -> int:
    """Acts by ``policy`` until the episode ends, or for ``most_steps``, while the learner learns.

    ``on_step`` is called with each state that was left. Returns the number of steps.
    """
    state = task.start(rng)
    action = drawn(policy.chances(state), rng)
    learner.begin(state, action)
    steps = 0
    while most_steps is None or steps < most_steps:
        outcome = task.step(state, action, rng)
        steps += 1
        if on_step is not None:
            on_step(state)
        if outcome.state is None:
            learner.end(outcome.reward)
            break
        state = outcome.state
        action = drawn(policy.chances(state), rng)
        learner.observe(outcome.reward, outcome.discount, state, action)
    return steps
