"""Pig, a game of dice: throw as often as you like, but a 1 loses what the turn has brought. 30 points win.

    python examples/pig.py              # what to do at the start of the game, and with 12 points in hand

A state is the points of both players, the points in hand, the player on turn, and whether the die is to be thrown next.
A game with chance says so by the constant ``CHANCE`` as its player and by the hook ``chance_outcomes``.
"""

from __future__ import annotations

from typing import NamedTuple

import playout
from playout.games.game import CHANCE

THROW, HOLD = 7, 8
"""The player's actions; the die's are 1 to 6."""


class Turn(NamedTuple):
    points: tuple[int, int] = (0, 0)
    hand: int = 0
    player: int = 0
    thrown: bool = False
    """Whether the die is in the air."""


class Pig:
    """Pig. An action is ``THROW``, ``HOLD``, or what the die shows."""

    goal = 30

    def initial_state(self) -> Turn:
        return Turn()

    def current_player(self, state: Turn) -> int:
        return CHANCE if state.thrown else state.player

    def legal_actions(self, state: Turn) -> list[int]:
        if self.returns(state) is not None:
            return []
        if state.thrown:
            return [1, 2, 3, 4, 5, 6]
        return [THROW, HOLD] if state.hand else [THROW]

    def chance_outcomes(self, state: Turn) -> list[tuple[int, float]]:
        return [(face, 1 / 6) for face in range(1, 7)]

    def next_state(self, state: Turn, action: int) -> Turn:
        if action == THROW:
            return state._replace(thrown=True)
        if action == HOLD:
            points = list(state.points)
            points[state.player] += state.hand
            return Turn((points[0], points[1]), 0, 1 - state.player)
        if action == 1:
            return Turn(state.points, 0, 1 - state.player)
        return state._replace(hand=state.hand + action, thrown=False)

    def returns(self, state: Turn) -> tuple[int, int] | None:
        for player, points in enumerate(state.points):
            if points >= self.goal:
                return (1, -1) if player == 0 else (-1, 1)
        return None

    def key(self, state: Turn) -> Turn:
        return state

    def action_to_text(self, state: Turn, action: int) -> str:
        return {THROW: "throw", HOLD: "hold"}.get(action, str(action))

    def text_to_action(self, state: Turn, text: str) -> int:
        known = {self.action_to_text(state, action): action for action in self.legal_actions(state)}
        if text.strip().lower() not in known:
            raise playout.IllegalMove(f"illegal move: {text!r}; allowed: {', '.join(known)}")
        return known[text.strip().lower()]


def main() -> None:
    with playout.Engine(Pig()) as engine:
        print("at the start:", engine.think(nodes=2000).move)
        for move in ("throw", "6", "throw", "6"):
            engine.play(move)
        result = engine.think(nodes=20_000)
        print(f"with 12 in hand: {result.move}, value {result.value:+.2f}")


if __name__ == "__main__":
    main()
