"""A game without a name and hooks: players take one to three matches; the player who takes the last one wins."""

from __future__ import annotations

from typing import Any


class Nim:
    def __init__(self, matches: int = 7) -> None:
        self.matches = matches

    def initial_state(self) -> Any:
        return (self.matches, 0)

    def current_player(self, state: Any) -> int:
        player: int = state[1]
        return player

    def legal_actions(self, state: Any) -> list[int]:
        return list(range(1, min(3, state[0]) + 1))

    def next_state(self, state: Any, action: int) -> Any:
        return (state[0] - action, 1 - state[1])

    def returns(self, state: Any) -> tuple[int, int] | None:
        matches, player = state
        if matches:
            return None
        return (-1, 1) if player == 0 else (1, -1)
