"""The symmetries of a board of Go, as maps of states and actions."""

from __future__ import annotations

import dataclasses
from functools import cache, partial
from typing import Any

from playout.games.game import Symmetry
from playout.games.support.symmetry import INVERSE, board, names, rectangle


@cache
def symmetries(columns: int, rows: int) -> tuple[Symmetry[Any, int], ...]:
    """The symmetries of a board: 8 of a square, 4 of another rectangle."""
    return tuple(
        Symmetry(
            name,
            partial(_map_state, columns, rows, number),
            partial(_map_action, columns, rows, number),
            partial(_map_state, columns, rows, INVERSE[number]),
            partial(_map_action, columns, rows, INVERSE[number]),
        )
        for number, name in enumerate(names(columns, rows))
    )


def _map_action(columns: int, rows: int, number: int, action: int) -> int:
    return action if action == columns * rows else rectangle(columns, rows, number, action)


def _map_state(columns: int, rows: int, number: int, state: Any) -> Any:
    """Maps all that lies on the board: the stones, the ko point and the boards of the history."""
    area = columns * rows
    return dataclasses.replace(
        state,
        board=board(columns, number, state.board),
        ko=None if state.ko is None else rectangle(columns, rows, number, state.ko),
        history=tuple(board(columns, number, memory[:area]) + memory[area:] for memory in state.history),
    )
