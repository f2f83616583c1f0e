"""A graph in which a shared node's count misleads, with searches of it by the correct rule and by the wrong one.

At the start player 0 has the best move, a safe move that ends the game, and several others. After the best move player
0 chooses between a reply worth nothing, to which every other move leads as well, and a reply worth more than the safe
move. All values are certain, so playouts add no noise to the comparison.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from playout.engine.experiments.base.plain import plain
from playout.engine.search.searcher import Searcher

Rule = Literal["edge", "node"]
BEST, SAFE, SHARED = 0.6, 0.5, 0.0
EXPLORATION = 1.0


@dataclass(frozen=True)
class Crossroads:
    """Player 0 makes all moves; a state is the name of a place. Moves of the start: 0 best, 1 safe, the rest others."""

    others: int = 12

    @property
    def name(self) -> str:
        return "crossroads"

    def initial_state(self) -> str:
        return "start"

    def current_player(self, state: str) -> int:
        return 0

    def legal_actions(self, state: str) -> Sequence[int]:
        if state == "start":
            return range(2 + self.others)
        if state == "choice":
            return (0, 1)
        return (0,) if state.startswith("other") else ()

    def next_state(self, state: str, action: int) -> str:
        if state == "start":
            return ("choice", "safe")[action] if action < 2 else f"other {action}"
        return ("shared", "best")[action]

    def returns(self, state: str) -> tuple[float, float] | None:
        value = {"safe": SAFE, "shared": SHARED, "best": BEST}.get(state)
        return None if value is None else (value, -value)

    def key(self, state: str) -> str:
        return state


@dataclass(slots=True)
class _Node:
    """A position: visits N, value Q, and its edges by action, each with its own visits."""

    state: str
    visits: int = 0
    value: float = 0.0
    edges: dict[int, list[int]] = field(default_factory=dict)
    """Maps an action to [visits], in the order of first visits."""


def search(game: Crossroads, rule: Rule, simulations: int, seed: int) -> tuple[list[int], list[float]]:
    """Returns the visits and the values of the start's moves after a search by UCB1.

    With ``edge``, the weight of an edge, in exploration and in the parent's value, is its own visits. With ``node``, it
    is the visits of the child from all parents.
    """
    rng = random.Random(seed)
    graph = {"start": _Node("start")}
    for _ in range(simulations):
        _simulate(game, rule, graph, rng)
    start = graph["start"]
    counts = [start.edges[action][0] for action in game.legal_actions("start")]
    return counts, [graph[game.next_state("start", action)].value for action in game.legal_actions("start")]


def _simulate(game: Crossroads, rule: Rule, graph: dict[str, _Node], rng: random.Random) -> None:
    path, node = list[_Node](), graph["start"]
    while True:
        path.append(node)
        returns = game.returns(node.state)
        if returns is not None:
            node.value = returns[0]
            break
        action = _select(game, rule, graph, node, rng)
        node.edges.setdefault(action, [0])[0] += 1
        node = graph.setdefault(game.next_state(node.state, action), _Node(game.next_state(node.state, action)))
    for passed in reversed(path):
        passed.visits += 1
        if passed.edges:
            children = [graph[game.next_state(passed.state, action)] for action in passed.edges]
            weights = [
                _weight(rule, edge[0], child) for edge, child in zip(passed.edges.values(), children, strict=True)
            ]
            passed.value = sum(w * child.value for w, child in zip(weights, children, strict=True)) / sum(weights)


def _select(game: Crossroads, rule: Rule, graph: dict[str, _Node], node: _Node, rng: random.Random) -> int:
    untried = [action for action in game.legal_actions(node.state) if action not in node.edges]
    if untried:
        return rng.choice(untried)
    log = math.log(node.visits)

    def score(action: int) -> float:
        child = graph[game.next_state(node.state, action)]
        return child.value + EXPLORATION * math.sqrt(log / _weight(rule, node.edges[action][0], child))

    return max(node.edges, key=score)


def _weight(rule: Rule, edge_visits: int, child: _Node) -> int:
    return edge_visits if rule == "edge" else child.visits


def engine_choice(game: Crossroads, simulations: int, seed: int) -> tuple[list[int], float]:
    """Returns the visits of the start's moves, and the value of the best one, in the engine's search of the
    same graph.
    """
    # Without proofs, which would end the search before the statistics show the effect.
    searcher = Searcher(game, plain(seed=seed, exploration=EXPLORATION))
    searcher.set_position(None, [])
    searcher.prepare()
    moves = {move.move: move for move in searcher.run(nodes=simulations).info.moves}
    return [moves[str(action)].visits for action in game.legal_actions("start")], moves["0"].value
