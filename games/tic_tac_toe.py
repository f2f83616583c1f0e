"""Tic-tac-toe. Cells are numbered ``row * 3 + column`` from the bottom left; X moves first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar

from playout.games.errors import GameError, IllegalMove
from playout.games.game import Box, Symmetry
from playout.games.support.symmetry import INVERSE, NAMES, board, square

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
CELLS = tuple(f"{column}{row}" for row in "123" for column in "abc")

EFFORT = 1100.0
"""Nodes to solve the empty board (``playout solve``), the most that any position takes."""


@dataclass(frozen=True, slots=True)
class State:
    """The marks ``x``, ``o`` or ``.`` of the nine cells, and the player to move: 0 (X) or 1 (O)."""

    board: str
    player: int


@dataclass(frozen=True)
class TicTacToe:
    """Three in a row on three by three."""

    kernel: ClassVar[str] = "tic_tac_toe"
    max_game_length: ClassVar[int] = 9

    @property
    def name(self) -> str:
        return "tic_tac_toe"

    def initial_state(self) -> State:
        return State("." * 9, 0)

    def current_player(self, state: State) -> int:
        return state.player

    def legal_actions(self, state: State) -> Sequence[int]:
        if self.returns(state) is not None:
            return ()
        return [cell for cell in range(9) if state.board[cell] == "."]

    def next_state(self, state: State, action: int) -> State:
        mark = "xo"[state.player]
        return State(state.board[:action] + mark + state.board[action + 1 :], 1 - state.player)

    def returns(self, state: State) -> Sequence[float] | None:
        for a, b, c in LINES:
            if state.board[a] != "." and state.board[a] == state.board[b] == state.board[c]:
                return (1.0, -1.0) if state.board[a] == "x" else (-1.0, 1.0)
        return None if "." in state.board else (0.0, 0.0)

    def key(self, state: State) -> State:
        return state

    def symmetries(self) -> Sequence[Symmetry[State, int]]:
        return _symmetries()

    def exact_effort(self, state: State) -> float:
        return EFFORT

    def with_player(self, state: State, player: int) -> State:
        return State(state.board, player)

    def action_to_text(self, state: State, action: int) -> str:
        return CELLS[action]

    def text_to_action(self, state: State, text: str) -> int:
        cell = text.strip().lower()
        if cell not in CELLS or CELLS.index(cell) not in self.legal_actions(state):
            raise IllegalMove(f"illegal move: {text.strip()!r} (an empty cell from a1 to c3)")
        return CELLS.index(cell)

    def book_state(self, state: State) -> State:
        return state

    def book_text(self, state: State) -> str:
        return f"{state.board} {state.player}"

    def state_to_text(self, state: State) -> str:
        """Rows from the top, digits for empty cells, then the player to move: ``"x2/1o1/3 x"``."""
        rows = [state.board[start : start + 3] for start in (6, 3, 0)]
        for run in ("...", "..", "."):
            rows = [row.replace(run, str(len(run))) for row in rows]
        return "/".join(rows) + " " + "xo"[state.player]

    def state_from_text(self, text: str) -> State:
        board, _, player = text.strip().partition(" ")
        for digit in "123":
            board = board.replace(digit, "." * int(digit))
        rows = board.split("/")
        if [len(row) for row in rows] != [3, 3, 3] or set(board) - set("xo./") or player.strip() not in ("x", "o"):
            raise GameError(f"not a tic-tac-toe position: {text.strip()!r} (as in 'x2/1o1/3 x')")
        return State("".join(reversed(rows)), "xo".index(player.strip()))

    def cells(self, state: State) -> Sequence[Sequence[int | None]]:
        return [[{"x": 0, "o": 1}.get(mark) for mark in state.board[start : start + 3]] for start in (0, 3, 6)]

    def cell(self, state: State, action: int) -> tuple[int, int]:
        return action % 3, action // 3

    def places(self, state: State) -> dict[str, Box]:
        from playout.games.picture.cells import LETTERS, places

        return places(self.cells(state), LETTERS)

    def clicks(self, state: State, action: int) -> list[list[str]]:
        return [[self.action_to_text(state, action)]]

    def svg(self, state: State) -> str:
        from playout.games.picture.cells import marks

        return marks(self.name, self.cells(state))

    def render(self, state: State) -> str:
        rows = [f"{row + 1} " + " ".join(state.board[row * 3 : row * 3 + 3]) for row in (2, 1, 0)]
        return "\n".join([*rows, "  a b c"])


def _map_state(number: int, state: State) -> State:
    return State(board(3, number, state.board), state.player)


@cache
def _symmetries() -> tuple[Symmetry[State, int], ...]:
    return tuple(
        Symmetry(
            name,
            partial(_map_state, number),
            partial(square, 3, number),
            partial(_map_state, INVERSE[number]),
            partial(square, 3, INVERSE[number]),
        )
        for number, name in enumerate(NAMES)
    )
