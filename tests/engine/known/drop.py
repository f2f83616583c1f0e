"""A game in Python with a board of cells and a symmetry: three in a row of falling men."""

from __future__ import annotations

from typing import Any

from playout.games.game import Symmetry


class Drop:
    """Three in a row on four columns of three cells into which men fall, written in Python, with its mirror."""

    name = "drop"
    max_game_length = 12

    def initial_state(self) -> Any:
        return ("." * 12, 0)

    def current_player(self, state: Any) -> int:
        return int(state[1])

    def legal_actions(self, state: Any) -> list[int]:
        return [] if self.returns(state) else [column for column in range(4) if state[0][8 + column] == "."]

    def next_state(self, state: Any, action: int) -> Any:
        column, row = self.cell(state, action)
        cell = row * 4 + column
        return (state[0][:cell] + "xo"[state[1]] + state[0][cell + 1 :], 1 - state[1])

    def returns(self, state: Any) -> Any:
        rows = [state[0][start : start + 4] for start in (0, 4, 8)]
        lines = [*rows, *("".join(row[column] for row in rows) for column in range(4))]
        for mark, result in (("xxx", (1.0, -1.0)), ("ooo", (-1.0, 1.0))):
            if any(mark in line for line in lines):
                return result
        return None if "." in state[0] else (0.0, 0.0)

    def key(self, state: Any) -> Any:
        return state

    def symmetries(self) -> Any:
        def mirrored(state: Any) -> Any:
            return ("".join(state[0][start : start + 4][::-1] for start in (0, 4, 8)), state[1])

        def turned(column: int) -> int:
            return 3 - column

        same = Symmetry[Any, Any](
            "same", lambda state: state, lambda action: action, lambda state: state, lambda action: action
        )
        return [same, Symmetry[Any, Any]("mirror", mirrored, turned, mirrored, turned)]

    def cells(self, state: Any) -> Any:
        return [[{"x": 0, "o": 1}.get(mark) for mark in state[0][start : start + 4]] for start in (0, 4, 8)]

    def cell(self, state: Any, action: int) -> tuple[int, int]:
        return action, sum(mark != "." for mark in state[0][action::4])
