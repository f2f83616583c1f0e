"""Worked examples of UCB1 as trees that the engine searches, with all numbers read from its tree."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playout.engine.experiments.base.plain import plain
from playout.engine.search.searcher import Searcher

EXPLORATION = 2.0
"""C of the examples, with the logarithm to base 10."""
UNIT = 100.0
"""Results are divided by this to lie in [-1, 1]; C is, too, which leaves every choice as it is."""

State = tuple[int, ...]


@dataclass(frozen=True)
class Example:
    """A tree whose positions have the given results: what the first visit of each returns.

    A state is the actions that lead to it. Player 0 makes all moves. Positions without a result do not exist; after
    those without children one more move, worth the same, ends the game.
    """

    results: tuple[tuple[State, float], ...]

    @property
    def name(self) -> str:
        return "worked-example"

    @property
    def _known(self) -> Mapping[State, float]:
        return dict(self.results)

    def initial_state(self) -> State:
        return ()

    def current_player(self, state: State) -> int:
        return 0

    def legal_actions(self, state: State) -> Sequence[int]:
        if state and state not in self._known:
            return ()
        children = [known[-1] for known in self._known if known[:-1] == state]
        return children or [0]

    def next_state(self, state: State, action: int) -> State:
        return (*state, action)

    def returns(self, state: State) -> tuple[float, float] | None:
        if not state or state in self._known:
            return None
        value = self._known[state[:-1]] / UNIT
        return value, -value

    def key(self, state: State) -> State:
        return state

    def value(self, state: State) -> float:
        return self._known.get(state, 0.0) / UNIT

    def action_values(self, state: State, actions: Sequence[int]) -> Sequence[float]:
        return [-float(action) for action in actions]


THREE_VISITS = Example((((0,), 10), ((0, 0), 10), ((1,), 10), ((1, 0), 20)))
"""After three simulations: two visits worth 20 and one visit worth 10."""
TEN_AND_TWENTY = Example((((0,), 10), ((0, 0), 20), ((1,), 5)))
"""A child that returns 10, then 20; the other one returns 5."""


@dataclass(frozen=True, slots=True)
class Child:
    """A child of the root in the engine's tree."""

    simulations: int
    """N: visits of the root."""
    child: int
    total: float
    visits: int
    score: float
    """The score by the logarithm to base 10."""
    taken: bool
    """Whether the next simulation visits it."""


def trace(example: Example, simulations: int) -> list[Child]:
    """Returns the root's visited children after each simulation of the engine's search."""
    # With base 10 C is smaller by sqrt(ln 10). The result of a first visit is the position's H(s), so that it is given.
    searcher = Searcher(
        example,
        plain(
            exploration=EXPLORATION / UNIT / math.sqrt(math.log(10)),
            leaf_evaluation="static",
            expansion_order="preference",
        ),
    )
    searcher.set_position(None, [])
    seen = list[dict[int, tuple[int, float]]]()
    for _ in range(simulations + 1):
        searcher.prepare()
        info = searcher.run(nodes=1).info
        seen.append({int(move.move): (move.visits, move.value) for move in info.moves if move.visits})
    return [
        Child(
            simulations=number,
            child=child,
            total=value * visits * UNIT,
            visits=visits,
            score=value * UNIT + EXPLORATION * math.sqrt(math.log10(number) / visits),
            taken=after[child][0] > visits,
        )
        for number, (now, after) in enumerate(itertools.pairwise(seen), 1)
        for child, (visits, value) in sorted(now.items())
    ]
