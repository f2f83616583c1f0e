"""Backgammon positions analysed two plays deep: the player's play, the opponent's roll and best reply."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from playout.engine import _core
from playout.engine.terms.kernel import kernel_params
from playout.games.backgammon import ROLLS, Backgammon, State
from playout.games.game import CHANCE

GAME = Backgammon()
SHORTEST, LONGEST = 4, 24
"""Number of random plies, rolls included, that lead to a position."""


@dataclass(frozen=True, slots=True)
class PlayValues:
    """A position with its roll, its plays, and the values H of the positions after them, from the point of view of the
    player who rolled.

    The opponent's best reply is the one with the least H, also under any increasing transformation. Therefore only its
    value is kept.
    """

    text: str
    plays: tuple[str, ...]
    after: tuple[float, ...]
    """H after each play."""
    replies: tuple[tuple[float, ...], ...]
    """For each play, H after the opponent's best reply to each roll."""
    weights: tuple[float, ...]
    """Probabilities of the rolls."""

    def transformed(self, transformation: Callable[[list[float]], list[float]]) -> PlayValues:
        """Returns the lines with an increasing function applied to all values of each depth."""
        values = transformation([value for replies in self.replies for value in replies])
        rolls = len(self.weights)
        replies = tuple(tuple(values[start : start + rolls]) for start in range(0, len(values), rolls))
        return replace(self, after=tuple(transformation(list(self.after))), replies=replies)

    def value(self, play: int, depth: int) -> float:
        """Value of ``play`` from the positions after it (depth 1) or from the replies to each roll (depth 2)."""
        if depth == 1:
            return self.after[play]
        return math.fsum(p * value for p, value in zip(self.weights, self.replies[play], strict=True))

    def best(self, depth: int) -> int:
        """Returns the play with the greatest value, the first among equals."""
        return max(range(len(self.plays)), key=lambda play: self.value(play, depth))

    def loss(self, play: int) -> float:
        """Loss of ``play`` against the best play, at depth 2."""
        return self.value(self.best(depth=2), depth=2) - self.value(play, depth=2)


def random_lines(rng: random.Random) -> PlayValues:
    """Returns the lines of a position of a random game, with at least two plays."""
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


def lines(state: State) -> PlayValues:
    """Returns the lines of ``state``, whose dice have been rolled."""
    player = state.player
    position = _core.Position(GAME.kernel, kernel_params(GAME), GAME.state_to_text(state))
    reached = [_after(position, action) for action in position.actions()]
    return PlayValues(
        text=GAME.state_to_text(state),
        plays=tuple(position.action_text(action) for action in position.actions()),
        after=tuple(_value(after, player, on_roll=1 - player) for after in reached),
        replies=tuple(tuple(_best_reply(after, roll, player) for roll in ROLLS) for after in reached),
        weights=tuple(1 / 36 if roll % 11 == 0 else 2 / 36 for roll in ROLLS),
    )


def _best_reply(after: _core.Position, roll: int, player: int) -> float:
    """Returns the value for ``player`` after the opponent's best reply to ``roll``."""
    if after.result() is not None:
        return _value(after, player, on_roll=player)
    rolled = _after(after, roll)
    return min(_value(_after(rolled, reply), player, on_roll=player) for reply in rolled.actions())


def _value(position: _core.Position, player: int, on_roll: int) -> float:
    """Returns H for ``player``, or the result if the game is over."""
    result = position.result()
    if result is not None:
        return -result if player else result
    value = position.evaluate()
    assert value is not None
    return value if on_roll == player else -value


def _after(position: _core.Position, action: int) -> _core.Position:
    after = position.copy()
    after.play(action)
    return after
