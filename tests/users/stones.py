"""Users' games on boards of points: none of them has a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from playout.games.errors import GameError, IllegalMove
from playout.games.go import Go
from playout.games.hex import Hex
from playout.games.support import sgf
from playout.games.support.go import handicap
from playout.games.support.go.board import EMPTY, Stones

COLUMNS = "ABCDEFGHJKLMNOPQRST"


@dataclass(frozen=True)
class StoneGo(Go):
    """Go as it may have been once: stones on the board count, and nothing else; no komi unless it is given."""

    komi: float = 0.0

    kernel = None

    @property
    def name(self):
        return f"stone_go:{self.size}"

    def score(self, state, dead=()):
        black, white = (len(stones - set(dead)) for stones in self.stones(state))
        return black - white - self.komi


@dataclass(frozen=True)
class Rex(Hex):
    """Hex in which the player who joins his edges has lost."""

    swap: bool = True

    kernel = None

    @property
    def name(self):
        return f"rex:{self.size}"

    def returns(self, state):
        result = super().returns(state)
        return None if result is None else (-result[0], -result[1])


@dataclass(frozen=True)
class CaptureGo:
    """The player who first captures a stone wins; a player who cannot move loses.

    It has points, a setup, handicaps and records, but no territory: there are no passes and no komi. A state: the
    board, X, O or a dot for each point from the bottom left; who is to move; who has taken a stone, None if nobody.
    """

    size: int = 5

    shape = "rectangle"
    sgf_number = 1
    sgf_size = 19

    @property
    def columns(self):
        return self.size

    @property
    def rows(self):
        return self.size

    def initial_state(self):
        return ("." * self.size**2, 0, None)

    def current_player(self, state):
        return state[1]

    def legal_actions(self, state):
        board, player, winner = state
        if winner is not None:
            return []
        return [point for point in range(self.size**2) if board[point] == "." and self._after(board, point, player)]

    def next_state(self, state, action):
        board, player, _ = state
        after = self._after(board, action, player)
        return (after, 1 - player, player if after.count("OX"[player]) < board.count("OX"[player]) else None)

    def returns(self, state):
        if state[2] is None and self.legal_actions(state):
            return None
        winner = 1 - state[1] if state[2] is None else state[2]
        return (1, -1) if winner == 0 else (-1, 1)

    def key(self, state):
        return state

    def action_to_text(self, state, action):
        row, column = divmod(action, self.size)
        return f"{COLUMNS[column]}{row + 1}"

    def text_to_action(self, state, text):
        for action in self.legal_actions(state):
            if self.action_to_text(state, action) == text.strip().upper():
                return action
        raise IllegalMove(f"illegal move: {text.strip()!r} (an empty point)")

    def state_to_text(self, state):
        return f"{state[0]} {'bw'[state[1]]}"

    def state_from_text(self, text):
        board, _, mover = text.strip().partition(" ")
        if len(board) != self.size**2 or set(board) - set("XO.") or mover not in ("b", "w"):
            raise GameError(f"not a position: {text!r}")
        return (board, "bw".index(mover), None)

    def with_player(self, state, player):
        return (state[0], player, state[2])

    def board_rows(self):
        return [range(start, start + self.size) for start in range(self.size * (self.size - 1), -1, -self.size)]

    def set_up(self, stones, player):
        return ("".join("XO"[stones[p]] if p in stones else "." for p in range(self.size**2)), player, None)

    def handicap_points(self, number):
        return handicap.points(self.size, self.size, number)

    def free_handicap_points(self, number):
        return handicap.free(self.size, self.size, number)

    def move_from_sgf(self, value):
        return sgf.go_point(value, self.size, self.size)

    def move_to_sgf(self, text):
        return sgf.go_value(text, self.size)

    def _after(self, board, point, player):
        """The board after a stone, without those that it takes; empty if it is suicide."""
        stones = Stones(self.size, self.size)
        stones.points = ["XO.".index(mark) for mark in board]
        stones.play(point, player)
        return "".join("XO."[what] for what in stones.points) if stones.points[point] != EMPTY else ""
