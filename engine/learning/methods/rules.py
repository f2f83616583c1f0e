"""The n-step methods, each as what it does with one moment of an episode.

All returns are built backwards from the horizon h = t + n, with the discount gamma of each transition:

    G(t) = R(t+1) + gamma(t+1) X(t+1)

A rule says what X is at the horizon, where the estimate stands for the rest, and what it is before, from G(t+1); by
which importance ratios the update is multiplied; and whether states or actions are judged. Sources: Sutton and Barto,
Reinforcement Learning, 2nd edition (2018), chapter 7, whose equations are named below; De Asis, Hernandez-Garcia,
Holland and Sutton, Multi-step Reinforcement Learning: A Unifying Algorithm (2018).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from playout.engine.learning.methods.approximators import Approximator
from playout.engine.learning.methods.task import Policy

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)


class Moment(NamedTuple, Generic[S, A]):
    """A time step of an episode."""

    reward: float
    """Reward of the transition that led here."""
    discount: float
    """Discount of that transition; 0 if the episode ended with it."""
    state: S | None
    """None at the end of the episode."""
    action: A | None
    """The action taken here; None at the end of the episode."""


class Rule(ABC, Generic[S, A]):
    """A method."""

    function: Approximator[Any]
    """The function that learns."""

    @abstractmethod
    def key(self, moment: Moment[S, A]) -> Hashable:
        """The key that is judged at a moment: the state, or the state with the action."""

    @abstractmethod
    def end(self, moment: Moment[S, A]) -> float:
        """X at the horizon, which is not the end of the episode."""

    def inside(self, moment: Moment[S, A], later: float) -> float:
        """X before the horizon, where ``later`` is the return G from this moment on."""
        return later

    def weight(self, moments: Sequence[Moment[S, A]]) -> float:
        """The factor of the update of the first moment; the last is the horizon or the end of the episode."""
        return 1.0

    def target(self, moments: Sequence[Moment[S, A]]) -> float:
        """The return G of the first moment; the last is the horizon or the end of the episode."""
        last = moments[-1]
        total = last.reward + (last.discount * self.end(last) if last.discount else 0.0)
        for moment in reversed(moments[1:-1]):
            total = moment.reward + moment.discount * self.inside(moment, total)
        return total


@dataclass(frozen=True)
class Ratios(Generic[S, A]):
    """The importance ratios of a target policy pi, of which is learned, and a behaviour b, which acts."""

    target: Policy[S, A]
    behaviour: Policy[S, A]

    def ratio(self, moment: Moment[S, A]) -> float:
        """pi(A|S) / b(A|S) of the action taken; 1 at the end of the episode."""
        if moment.state is None or moment.action is None:
            return 1.0
        wanted = self.target.chances(moment.state).get(moment.action, 0.0)
        return wanted / self.behaviour.chances(moment.state)[moment.action]

    def product(self, moments: Sequence[Moment[S, A]]) -> float:
        """The product of the ratios."""
        total = 1.0
        for moment in moments:
            total *= self.ratio(moment)
        return total


@dataclass(frozen=True)
class TD(Rule[S, A]):
    """n-step TD prediction of state values (7.2); with ``ratios`` off-policy (7.9), or with control variates (7.13)."""

    function: Approximator[S]
    ratios: Ratios[S, A] | None = None
    control_variate: bool = False

    def key(self, moment: Moment[S, A]) -> Hashable:
        return moment.state

    def end(self, moment: Moment[S, A]) -> float:
        return self._value(moment)

    def inside(self, moment: Moment[S, A], later: float) -> float:
        if self.ratios is None or not self.control_variate:
            return later
        ratio = self.ratios.ratio(moment)
        return ratio * later + (1.0 - ratio) * self._value(moment)

    def weight(self, moments: Sequence[Moment[S, A]]) -> float:
        """The ratios of the actions from the first moment up to that before the last."""
        if self.ratios is None:
            return 1.0
        return self.ratios.product(moments[:1] if self.control_variate else moments[:-1])

    def _value(self, moment: Moment[S, A]) -> float:
        assert moment.state is not None
        return self.function.value(moment.state)


@dataclass(frozen=True)
class _ActionRule(Rule[S, A]):
    """A method that judges actions."""

    function: Approximator[tuple[S, A]]

    def key(self, moment: Moment[S, A]) -> Hashable:
        return moment.state, moment.action

    def _taken(self, moment: Moment[S, A]) -> float:
        """Q of the action taken."""
        assert moment.state is not None and moment.action is not None
        return self.function.value((moment.state, moment.action))

    def _expected(self, moment: Moment[S, A], policy: Policy[S, A]) -> float:
        """The mean of Q over a policy's actions."""
        state = moment.state
        assert state is not None
        return sum(chance * self.function.value((state, action)) for action, chance in policy.chances(state).items())


@dataclass(frozen=True)
class Sarsa(_ActionRule[S, A]):
    """n-step Sarsa (7.4, 7.5); with ``ratios`` off-policy (7.11), or with control variates (7.14).

    The update of Q(S(t), A(t)) is multiplied by the ratios of A(t+1) to A(t+n): A(t) is given, and A(t+n), whose value
    ends the return, was drawn from the behaviour. The other indexing that is in print, which leaves A(t+n) out, is
    right for Expected Sarsa only.
    """

    ratios: Ratios[S, A] | None = None
    control_variate: bool = False

    def end(self, moment: Moment[S, A]) -> float:
        if self.ratios is not None and self.control_variate:
            return self._expected(moment, self.ratios.target)
        return self._taken(moment)

    def inside(self, moment: Moment[S, A], later: float) -> float:
        if self.ratios is None or not self.control_variate:
            return later
        expected = self._expected(moment, self.ratios.target)
        return self.ratios.ratio(moment) * (later - self._taken(moment)) + expected

    def weight(self, moments: Sequence[Moment[S, A]]) -> float:
        return 1.0 if self.ratios is None or self.control_variate else self.ratios.product(moments[1:])


@dataclass(frozen=True)
class ExpectedSarsa(_ActionRule[S, A]):
    """n-step Expected Sarsa (7.7, 7.8); with ``behaviour`` off-policy.

    The ratios end with A(t+n-1): no action was drawn at the horizon.
    """

    target_policy: Policy[S, A]
    behaviour: Policy[S, A] | None = None

    def end(self, moment: Moment[S, A]) -> float:
        return self._expected(moment, self.target_policy)

    def weight(self, moments: Sequence[Moment[S, A]]) -> float:
        if self.behaviour is None:
            return 1.0
        return Ratios(self.target_policy, self.behaviour).product(moments[1:-1])


@dataclass(frozen=True)
class TreeBackup(_ActionRule[S, A]):
    """n-step Tree Backup (7.16): off-policy without ratios, whatever the behaviour. Source: Precup, Sutton, Singh 2000.

    With n = 1 and a greedy target policy it is Q-learning.
    """

    target_policy: Policy[S, A]

    def end(self, moment: Moment[S, A]) -> float:
        return self._expected(moment, self.target_policy)

    def inside(self, moment: Moment[S, A], later: float) -> float:
        assert moment.state is not None and moment.action is not None
        chance = self.target_policy.chances(moment.state).get(moment.action, 0.0)
        return self._expected(moment, self.target_policy) + chance * (later - self._taken(moment))


@dataclass(frozen=True)
class QSigma(_ActionRule[S, A]):
    """n-step Q(sigma): at each step a share sigma of a sample and a share 1 - sigma of an expectation.

    With ``control_variate`` the returns are those of Sutton and Barto (7.17): sigma = 0 is Tree Backup, sigma = 1 is
    Sarsa with control variates. Without, they are those of De Asis et al.: sigma = 0 is Tree Backup, sigma = 1 is
    Sarsa, and the update is multiplied by sigma rho + 1 - sigma of each step; off-policy it is biased in between.
    """

    ratios: Ratios[S, A]
    sigma: Callable[[S], float]
    """The share of a state, in [0, 1]."""
    control_variate: bool = True

    def end(self, moment: Moment[S, A]) -> float:
        assert moment.state is not None
        sigma = 0.0 if self.control_variate else self.sigma(moment.state)
        expected = self._expected(moment, self.ratios.target) if sigma < 1.0 else 0.0
        return expected if sigma == 0.0 else sigma * self._taken(moment) + (1.0 - sigma) * expected

    def inside(self, moment: Moment[S, A], later: float) -> float:
        assert moment.state is not None and moment.action is not None
        sigma, taken = self.sigma(moment.state), self._taken(moment)
        chance = self.ratios.target.chances(moment.state).get(moment.action, 0.0)
        expected = self._expected(moment, self.ratios.target)
        if self.control_variate:
            return (sigma * self.ratios.ratio(moment) + (1.0 - sigma) * chance) * (later - taken) + expected
        return (sigma + (1.0 - sigma) * chance) * (later - taken) + sigma * taken + (1.0 - sigma) * expected

    def weight(self, moments: Sequence[Moment[S, A]]) -> float:
        total = 1.0
        if not self.control_variate:
            for moment in moments[1:]:
                if moment.state is not None:
                    sigma = self.sigma(moment.state)
                    total *= sigma * self.ratios.ratio(moment) + 1.0 - sigma
        return total
