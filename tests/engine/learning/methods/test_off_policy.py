"""Off-policy returns are right on average: at the exact values the mean of all updates is 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from playout.engine.learning.methods.approximators import Table
from playout.engine.learning.methods.policies import Listed
from playout.engine.learning.methods.rules import (
    TD,
    ExpectedSarsa,
    Moment,
    QSigma,
    Ratios,
    Rule,
    Sarsa,
    TreeBackup,
)

ENDS: dict[tuple[str, str], Sequence[tuple[float, float, float, str | None]]] = {
    ("a", "x"): [(0.5, 1.0, -0.9, "b"), (0.5, 0.0, 0.9, "a")],
    ("a", "y"): [(1.0, -2.0, -0.9, "c")],
    ("b", "x"): [(0.7, 3.0, 0.9, "c"), (0.3, 1.0, 0.0, None)],
    ("b", "y"): [(1.0, 0.5, -0.9, "a")],
    ("c", "x"): [(0.6, 2.0, 0.0, None), (0.4, -1.0, 0.9, "b")],
    ("c", "y"): [(1.0, 1.0, -0.9, "a")],
}
"""State and action: probability, reward, discount and next state of what may follow. Some steps change the player."""
TARGET = Listed[str, str]({"a": {"x": 0.9, "y": 0.1}, "b": {"x": 0.2, "y": 0.8}, "c": {"x": 0.5, "y": 0.5}})
BEHAVIOUR = Listed[str, str]({"a": {"x": 0.3, "y": 0.7}, "b": {"x": 0.6, "y": 0.4}, "c": {"x": 0.8, "y": 0.2}})
RATIOS = Ratios(TARGET, BEHAVIOUR)


def exact() -> tuple[Table[Any], Table[Any]]:
    """The values of states and of actions under the target policy."""
    states, actions = Table[Any](), Table[Any]()
    for _ in range(2000):
        for (state, action), ends in ENDS.items():
            mean = sum(p * (reward + discount * states.value(there)) for p, reward, discount, there in ends)
            actions.entries[state, action] = mean
        for state, chances in TARGET.table.items():
            states.entries[state] = sum(p * actions.value((state, action)) for action, p in chances.items())
    return states, actions


def ways(moments: tuple[Moment[str, str], ...], n: int) -> Iterator[tuple[float, tuple[Moment[str, str], ...]]]:
    """All ways to go on for ``n`` steps under the behaviour policy, with their probabilities."""
    last = moments[-1]
    if n == 0 or last.state is None or last.action is None:
        yield 1.0, moments
        return
    for p, reward, discount, there in ENDS[last.state, last.action]:
        actions = {None: 1.0} if there is None else BEHAVIOUR.table[there]
        for action, chance in actions.items():
            for rest, found in ways((*moments, Moment(reward, discount, there, action)), n - 1):
                yield p * chance * rest, found


def mean_error(rule: Rule[str, str], n: int, judges_actions: bool) -> float:
    """The greatest mean of an update, of all states or actions."""
    worst = 0.0
    for state, chances in BEHAVIOUR.table.items():
        starts = [(1.0, action) for action in chances] if judges_actions else [(p, a) for a, p in chances.items()]
        total = 0.0
        for chance, action in starts:
            for p, moments in ways((Moment(0.0, 0.0, state, action),), n):
                error = rule.target(moments) - rule.function.value(rule.key(moments[0]))
                total += chance * p * rule.weight(moments) * error
            if judges_actions:
                worst, total = max(worst, abs(total)), 0.0
        worst = max(worst, abs(total))
    return worst


class CutShort(Sarsa[str, str]):
    """Sarsa with the other indexing that is in print, whose ratios end with that of A(t+n-1)."""

    def weight(self, moments: Sequence[Moment[str, str]]) -> float:
        return RATIOS.product(moments[1:-1])


STATES, ACTIONS = exact()
UNBIASED: dict[str, Rule[str, str]] = {
    "TD": TD(STATES, RATIOS),
    "TD with control variates": TD(STATES, RATIOS, control_variate=True),
    "Sarsa": Sarsa(ACTIONS, RATIOS),
    "Sarsa with control variates": Sarsa(ACTIONS, RATIOS, control_variate=True),
    "Expected Sarsa": ExpectedSarsa(ACTIONS, TARGET, BEHAVIOUR),
    "Tree Backup": TreeBackup(ACTIONS, TARGET),
    "Q(0.3)": QSigma(ACTIONS, RATIOS, lambda _: 0.3),
    "Q(sigma by state)": QSigma(ACTIONS, RATIOS, {"a": 1.0, "b": 0.0, "c": 0.6}.__getitem__),
    "Q(1) of De Asis": QSigma(ACTIONS, RATIOS, lambda _: 1.0, control_variate=False),
}
BIASED: dict[str, Rule[str, str]] = {
    "TD without ratios": TD(STATES),
    "Sarsa without ratios": Sarsa(ACTIONS),
    "Sarsa whose ratios end one early": CutShort(ACTIONS, RATIOS),
    "Q(0.5) of De Asis": QSigma(ACTIONS, RATIOS, lambda _: 0.5, control_variate=False),
}


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", UNBIASED)
def test_the_mean_update_at_the_exact_values_is_nothing(name: str, n: int) -> None:
    assert mean_error(UNBIASED[name], n, not isinstance(UNBIASED[name], TD)) < 1e-9


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", BIASED)
def test_where_a_method_is_biased_this_check_sees_it(name: str, n: int) -> None:
    assert mean_error(BIASED[name], n, not isinstance(BIASED[name], TD)) > 0.01
