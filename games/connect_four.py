"""Connect four. Columns count from the left, cells ``row * columns + column`` from the bottom left; X moves first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, TypeVar

from playout.games.errors import GameError, IllegalMove
from playout.games.game import Box, Symmetry

T = TypeVar("T")

LETTERS = "abcdefghi"
POINT_LETTERS = "abcdefghj"
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Steps (columns, rows) from one cell of a four to the next: across, up, and the two diagonals."""

EFFORT = 6e6, 34
"""Third quartile of the nodes to solve a random position with 34 empty cells. Each cell more doubles them (measured on
20 positions at each of 7 plies from 8 to 16)."""


@dataclass(frozen=True, slots=True)
class State:
    """The marks ``x``, ``o`` or ``.`` of all cells, and the player to move: 0 (X) or 1 (O)."""

    board: str
    player: int


@dataclass(frozen=True)
class ConnectFour:
    """Four in a row with falling discs: 1 to 9 columns and rows, ``columns * (rows + 1)`` at most 64."""

    columns: int = 7
    rows: int = 6

    kernel: ClassVar[str] = "connect_four"

    def __post_init__(self) -> None:
        for name, count in (("columns", self.columns), ("rows", self.rows)):
            if not 1 <= count <= 9:
                raise GameError(f"connect_four: {name}={count} is not in 1 to 9")
        if self.columns * (self.rows + 1) > 64:
            raise GameError(
                f"connect_four: {self.columns} columns of {self.rows} rows are too many: columns * (rows + 1) <= 64"
            )

    @property
    def name(self) -> str:
        columns = f"{self.columns}" if self.columns != 7 else ""
        rows = f"rows={self.rows}" if self.rows != 6 else ""
        return ":".join(filter(None, ("connect_four", ",".join(filter(None, (columns, rows))))))

    @property
    def max_game_length(self) -> int:
        return self.columns * self.rows

    def initial_state(self) -> State:
        return State("." * (self.columns * self.rows), 0)

    def current_player(self, state: State) -> int:
        return state.player

    def legal_actions(self, state: State) -> Sequence[int]:
        """The columns that are not full."""
        if self.returns(state) is not None:
            return ()
        return [column for column, top in enumerate(state.board[-self.columns :]) if top == "."]

    def next_state(self, state: State, action: int) -> State:
        cell = action + self.columns * sum(mark != "." for mark in state.board[action :: self.columns])
        return State(state.board[:cell] + "xo"[state.player] + state.board[cell + 1 :], 1 - state.player)

    def returns(self, state: State) -> Sequence[float] | None:
        if _has_four(self.columns, self.rows, state.board, "x"):
            return (1.0, -1.0)
        if _has_four(self.columns, self.rows, state.board, "o"):
            return (-1.0, 1.0)
        return None if "." in state.board else (0.0, 0.0)

    def key(self, state: State) -> State:
        return state

    def symmetries(self) -> Sequence[Symmetry[State, int]]:
        def mirror_state(state: State) -> State:
            return State("".join(row[::-1] for row in self._rows(state)), state.player)

        def mirror_action(column: int) -> int:
            return self.columns - 1 - column

        return (
            Symmetry("identity", _same, _same, _same, _same),
            Symmetry("mirror columns", mirror_state, mirror_action, mirror_state, mirror_action),
        )

    def exact_effort(self, state: State) -> float:
        nodes, cells = EFFORT
        return nodes * 2.0 ** (state.board.count(".") - cells)

    def with_player(self, state: State, player: int) -> State:
        return State(state.board, player)

    def action_to_text(self, state: State, action: int) -> str:
        return LETTERS[action]

    def text_to_action(self, state: State, text: str) -> int:
        """Accepts a column as a letter from ``a`` or a number from 1, or the cell where its disc lands, such
        as ``d1``.
        """
        name = text.strip().lower()
        legal = self.legal_actions(state)
        for column in legal:
            if name in (LETTERS[column], str(column + 1), self._landing(state, column)):
                return column
        columns = ", ".join(LETTERS[column] for column in legal)
        raise IllegalMove(
            f"illegal move: {text.strip()!r} ({f'a column with room: {columns}' if legal else 'game over'})"
        )

    def book_state(self, state: State) -> State:
        return state

    def book_text(self, state: State) -> str:
        return f"{state.board} {state.player}"

    def state_to_text(self, state: State) -> str:
        """Rows from the top, digits for empty cells, then the player to move: ``"7/7/7/7/3o3/2xx3 o"``."""
        rows = [re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in reversed(self._rows(state))]
        return "/".join(rows) + " " + "xo"[state.player]

    def state_from_text(self, text: str) -> State:
        def bad(what: str) -> GameError:
            return GameError(f"not a connect four position: {text.strip()!r} ({what})")

        fields = text.split()
        if len(fields) != 2 or fields[1] not in ("x", "o"):
            raise bad("rows from the top and the mover, as in '7/7/7/7/3o3/2xx3 o'")
        rows = re.sub(r"[1-9]", lambda run: "." * int(run[0]), fields[0]).split("/")
        if set(fields[0]) - set("xo/123456789") or [len(row) for row in rows] != [self.columns] * self.rows:
            raise bad(f"{self.rows} rows of {self.columns} cells: x, o and digits for empty cells")
        board = "".join(reversed(rows))
        for cell, mark in enumerate(board[self.columns :]):
            if mark != "." and board[cell] == ".":
                raise bad(f"nothing under the disc in column {LETTERS[cell % self.columns]}")
        if all(_has_four(self.columns, self.rows, board, mark) for mark in "xo"):
            raise bad("both sides have four in a row")
        return State(board, "xo".index(fields[1]))

    def cells(self, state: State) -> Sequence[Sequence[int | None]]:
        return [[{"x": 0, "o": 1}.get(mark) for mark in row] for row in self._rows(state)]

    def cell(self, state: State, action: int) -> tuple[int, int]:
        return action, sum(mark != "." for mark in state.board[action :: self.columns])

    def places(self, state: State) -> dict[str, Box]:
        from playout.games.picture.cells import column_places

        return column_places(self.rows, LETTERS[: self.columns])

    def clicks(self, state: State, action: int) -> list[list[str]]:
        return [[LETTERS[action]]]

    def svg(self, state: State) -> str:
        from playout.games.picture.cells import discs

        return discs(self.name, self.cells(state), LETTERS)

    def render(self, state: State) -> str:
        rows = [f"{number} {' '.join(row)}" for number, row in enumerate(self._rows(state), 1)]
        return "\n".join([*reversed(rows), "  " + " ".join(LETTERS[: self.columns])])

    def _landing(self, state: State, column: int) -> str:
        """Returns the cell where a disc in ``column`` lands, as a point of GTP (whose columns skip I)."""
        return f"{POINT_LETTERS[column]}{self.cell(state, column)[1] + 1}"

    def _rows(self, state: State) -> list[str]:
        """Returns the rows of the board from the bottom."""
        return [state.board[start : start + self.columns] for start in range(0, len(state.board), self.columns)]


def _same(thing: T) -> T:
    return thing


@cache
def _fours(columns: int, rows: int) -> tuple[tuple[int, ...], ...]:
    """Returns the cells of each four in a row that fits on the board."""
    return tuple(
        tuple((row + i * up) * columns + column + i * across for i in range(4))
        for row in range(rows)
        for column in range(columns)
        for across, up in STEPS
        if column + 3 * across < columns and 0 <= row + 3 * up < rows
    )


@lru_cache(maxsize=1024)
def _has_four(columns: int, rows: int, board: str, mark: str) -> bool:
    return any(
        board[a] == mark and board[b] == mark and board[c] == mark and board[d] == mark
        for a, b, c, d in _fours(columns, rows)
    )
