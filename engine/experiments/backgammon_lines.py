"""Backgammon positions looked at two plays deep: own play, the other's roll, his best reply."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from playout.games.backgammon import ROLLS, Backgammon, State, plays
from playout.games.backgammon_id import ALL, BAR, OFF, Checkers
from playout.games.game import CHANCE

GAME = Backgammon()
WEIGHTS = [(divmod(roll, 10), 1 / 36 if roll % 11 == 0 else 2 / 36) for roll in ROLLS]
"""The rolls and their probabilities."""
SHORTEST, LONGEST = 4, 24
"""Plies of the random games that lead to a position, rolls included."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A position with its roll, its plays, and the values H, for the player who rolled, of where they lead.

    The reply that is best for the other player is the one with the least H, and stays so under an increasing
    transformation: only its value is kept.
    """

    text: str
    plays: tuple[str, ...]
    after: tuple[float, ...]
    """H after each play."""
    replies: tuple[tuple[float, ...], ...]
    """For each play, H after the other's best reply to each roll."""
    weights: tuple[float, ...]
    """The probabilities of the rolls."""

    def transformed(self, transformation: Callable[[list[float]], list[float]]) -> Lines:
        """The same lines with all values of one depth transformed together, by an increasing function."""
        values = transformation([value for replies in self.replies for value in replies])
        rolls = len(self.weights)
        replies = tuple(tuple(values[start : start + rolls]) for start in range(0, len(values), rolls))
        return replace(self, after=tuple(transformation(list(self.after))), replies=replies)

    def value(self, play: int, depth: int) -> float:
        """What ``play`` is worth by the values after it (depth 1) or after the replies to each roll (depth 2)."""
        if depth == 1:
            return self.after[play]
        return math.fsum(p * value for p, value in zip(self.weights, self.replies[play], strict=True))

    def best(self, depth: int) -> int:
        """The play of the greatest value, the first of equals."""
        return max(range(len(self.plays)), key=lambda play: self.value(play, depth))

    def loss(self, play: int) -> float:
        """What ``play`` gives away at depth 2."""
        return self.value(self.best(depth=2), depth=2) - self.value(play, depth=2)


def static_value(own: Checkers, other: Checkers) -> float:
    """H for the owner of ``own``: the lead in pips, less what his blots stand to lose."""
    lead = _pips(other) - _pips(own)
    at_risk = sum(BAR - point for point in range(1, BAR) if own[point] == 1 and any(other[: BAR - point : -1]))
    return math.tanh((lead - 0.3 * at_risk) / 50)


def _pips(checkers: Checkers) -> int:
    return sum(point * count for point, count in enumerate(checkers))


def random_lines(rng: random.Random) -> Lines:
    """The lines from a position of a random game, with at least two plays."""
    while True:
        state, plies = GAME.initial_state(), rng.randint(SHORTEST, LONGEST)
        while GAME.returns(state) is None and (plies > 0 or GAME.current_player(state) == CHANCE):
            if GAME.current_player(state) == CHANCE:
                outcomes = GAME.chance_outcomes(state)
                state = GAME.next_state(state, rng.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0])
            else:
                state = GAME.next_state(state, rng.choice(GAME.legal_actions(state)))
            plies -= 1
        if GAME.returns(state) is None and len(GAME.legal_actions(state)) > 1:
            return lines(state)


def lines(state: State) -> Lines:
    """The lines from ``state``, whose dice have been thrown."""
    assert state.dice is not None
    own, other = state.checkers[state.player], state.checkers[1 - state.player]
    reached = sorted(plays(own, other, state.dice).items(), key=lambda item: -item[1])
    return Lines(
        text=GAME.state_to_text(state),
        plays=tuple(GAME.action_to_text(state, action) for _, action in reached),
        after=tuple(_value(mine, theirs) for (mine, theirs), _ in reached),
        replies=tuple(tuple(_best_reply(mine, theirs, roll) for roll, _ in WEIGHTS) for (mine, theirs), _ in reached),
        weights=tuple(weight for _, weight in WEIGHTS),
    )


def _best_reply(own: Checkers, other: Checkers, roll: tuple[int, int]) -> float:
    """The value after the reply to ``roll`` that is best for the owner of ``other``."""
    if own[OFF] == ALL:
        return _value(own, other)
    return min(_value(mine, theirs) for theirs, mine in plays(other, own, roll))


@lru_cache(maxsize=1 << 14)
def _value(own: Checkers, other: Checkers) -> float:
    """H for the owner of ``own``; the result where the game is over."""
    returns = GAME.returns(State((own, other), 0, None))
    return returns[0] if returns is not None else static_value(own, other)
