"""A game of one move: a bandit with deterministic arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playout.engine.options.config import SearchConfig
from playout.engine.search.searcher import Searcher

ROOT = -1


@dataclass(frozen=True)
class Bandit:
    """Player 0 chooses one of ``values``, in [-1, 1], which is the result. A state is the choice, or ``ROOT`` before
    it.
    """

    values: tuple[float, ...]

    @property
    def name(self) -> str:
        return "bandit"

    def initial_state(self) -> int:
        return ROOT

    def current_player(self, state: int) -> int:
        return 0

    def legal_actions(self, state: int) -> Sequence[int]:
        return range(len(self.values)) if state == ROOT else ()

    def next_state(self, state: int, action: int) -> int:
        return action

    def returns(self, state: int) -> tuple[float, float] | None:
        return None if state == ROOT else (self.values[state], -self.values[state])

    def key(self, state: int) -> int:
        return state


def engine_counts(bandit: Bandit, config: SearchConfig, totals: Sequence[int]) -> list[list[int]]:
    """Returns the visits of each arm in the engine's search after each of ``totals`` simulations (in
    increasing order). ``config`` is without the solver, because a proof would end the search.
    """
    searcher = Searcher(bandit, config)
    searcher.set_position(None, [])
    done, counts = 0, []
    for total in totals:
        searcher.prepare()
        info = searcher.run(nodes=total - done).info
        done = total
        visits = {move.move: move.visits for move in info.moves}
        counts.append([visits.get(str(arm), 0) for arm in range(len(bandit.values))])
    return counts
