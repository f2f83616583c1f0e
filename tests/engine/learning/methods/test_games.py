"""Methods learn to play: whoever takes the last man of a heap wins, so a heap of a multiple of four is lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from playout.engine.learning.methods.approximators import Table
from playout.engine.learning.methods.learner import NStepLearner, run_episode
from playout.engine.learning.methods.policies import EpsilonGreedy
from playout.engine.learning.methods.rules import ExpectedSarsa, QSigma, Ratios, Rule, Sarsa, TreeBackup
from playout.engine.learning.methods.task import GameTask, Policy


@dataclass(frozen=True)
class Heap:
    """Takes one, two or three from a heap of ten. ``bonus`` gives whoever takes one from nine another turn."""

    bonus: bool = False
    name = "heap"

    def initial_state(self) -> tuple[int, int]:
        return 10, 0

    def current_player(self, state: tuple[int, int]) -> int:
        return state[1]

    def legal_actions(self, state: tuple[int, int]) -> Sequence[int]:
        return range(1, min(3, state[0]) + 1)

    def next_state(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        left, mover = state
        again = self.bonus and (left, action) == (9, 1)
        return left - action, mover if again else 1 - mover

    def returns(self, state: tuple[int, int]) -> tuple[float, float] | None:
        if state[0]:
            return None
        return (-1.0, 1.0) if state[1] == 0 else (1.0, -1.0)

    def exact(self, state: tuple[int, int]) -> float:
        """The value for the player to move."""
        values = []
        for action in self.legal_actions(state):
            after = self.next_state(state, action)
            if not after[0]:
                return 1.0
            values.append(self.exact(after) * (1 if after[1] == state[1] else -1))
        return max(values)


MAKE: dict[str, Callable[[Table[Any], Policy[Any, Any], Policy[Any, Any]], Rule[Any, Any]]] = {
    "Sarsa": lambda q, greedy, acting: Sarsa(q, Ratios(greedy, acting), control_variate=True),
    "Sarsa by ratios": lambda q, greedy, acting: Sarsa(q, Ratios(greedy, acting)),
    "Expected Sarsa": lambda q, greedy, acting: ExpectedSarsa(q, greedy, acting),
    "Tree Backup": lambda q, greedy, acting: TreeBackup(q, greedy),
    "Q(0.5)": lambda q, greedy, acting: QSigma(q, Ratios(greedy, acting), lambda _: 0.5),
}


@pytest.mark.parametrize("bonus", [False, True])
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("name", MAKE)
def test_a_game_is_learned_off_policy(name: str, n: int, bonus: bool) -> None:
    game = Heap(bonus)
    task, table = GameTask(game), Table[Any]()
    greedy, acting = EpsilonGreedy(task, table), EpsilonGreedy(task, table, 0.6)
    learner: NStepLearner[Any, Any] = NStepLearner(MAKE[name](table, greedy, acting), n, 0.15)
    rng = random.Random(4)
    for _ in range(700):
        run_episode(task, acting, learner, rng)
    met = {state for state, _ in table.entries}
    assert len(met) >= 15
    for state in met:
        best = max(table.value((state, action)) for action in game.legal_actions(state))
        assert best == pytest.approx(game.exact(state), abs=0.25), state
