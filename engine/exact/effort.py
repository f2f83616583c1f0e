"""The effort of exact solving: what a game says of a position, or else an estimate from random lines of play."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass
from typing import Any

from playout.games.game import CHANCE, Game, HasExactEffort, is_over

LINES = 16
"""Random lines of play that an estimate takes."""
SLACK = 4.0
"""Nodes that alpha-beta searches for each node of its smallest tree, as it is estimated."""
GLANCE = 0.02
"""Share of the time for solving that an estimate may take."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Expected effort to solve a position."""

    nodes: float
    """Positions to search; infinite where exact play is not to begin."""
    speed: float | None = None
    """Positions a second, as far as the estimate has shown it."""


FAR = Effort(math.inf)
"""The effort where exact play is not to begin."""


def expected_effort(game: Game[Any, Any], state: Any, *, most: float, seconds: float) -> Effort:
    """Returns the expected effort to solve ``state``.

    A game without ``exact_effort`` is estimated, which ends as soon as the effort exceeds ``most`` nodes, or after a
    small share of ``seconds``: the effort is then infinite.

    Raises:
        Exception: what the game raises.
    """
    if not isinstance(game, HasExactEffort):
        return estimate(game, state, most=most, seconds=GLANCE * seconds)
    nodes = game.exact_effort(state)
    return FAR if nodes is None or math.isnan(nodes) else Effort(float(nodes))


def estimate(game: Game[Any, Any], state: Any, *, most: float, seconds: float) -> Effort:
    """Returns the estimated nodes of the tree that alpha-beta searches below ``state``, and the speed of the game.

    In a random line each node stands for as many nodes as the product of the numbers of choices before it (Knuth 1975),
    a player's choice for the square root of their number: of a tree of width b and depth d alpha-beta searches no more
    than some b^(d/2) nodes with the best order of moves (Knuth and Moore 1975). Dice count whole. The estimate is the
    mean over lines.
    """
    rng, begun = random.Random(0), time.perf_counter()
    total, steps, passed = 0.0, 0, 0.0
    for finished in range(LINES):
        nodes, here = 1.0, state
        while not is_over(game, here):
            choices = game.legal_actions(here)
            dice = game.current_player(here) == CHANCE
            nodes *= len(choices) if dice else math.sqrt(len(choices))
            total += nodes
            steps += 1
            passed = time.perf_counter() - begun
            if SLACK * total > LINES * most or (passed > seconds and not finished):
                return FAR
            here = game.next_state(here, rng.choice(choices))
        if passed > seconds:
            break
    return Effort(SLACK * total / (finished + 1), steps / passed if passed > 0 else None)
