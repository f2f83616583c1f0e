"""Boards of cells as patterns see them: stones as sets of bits, images of the grid, what lies beyond the edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from playout.games.game import Game

Matrix = tuple[int, int, int, int]
"""(a, b, c, d) takes (column, row) to (a column + b row, c column + d row)."""

SQUARE: tuple[Matrix, ...] = (
    (1, 0, 0, 1),
    (0, -1, 1, 0),
    (-1, 0, 0, -1),
    (0, 1, -1, 0),
    (-1, 0, 0, 1),
    (1, 0, 0, -1),
    (0, 1, 1, 0),
    (0, -1, -1, 0),
)
"""The eight images of a square grid."""
HEXAGONAL: tuple[Matrix, ...] = tuple(
    matrix
    for turn in ((1, 0, 0, 1), (0, -1, 1, 1), (-1, -1, 1, 0))
    for matrix in (
        turn,
        (-turn[0], -turn[1], -turn[2], -turn[3]),
        (turn[1], turn[0], turn[3], turn[2]),
        (-turn[1], -turn[0], -turn[3], -turn[2]),
    )
)
"""The twelve images of a grid of hexagons whose cells touch as those of Hex do."""
MIRROR: tuple[Matrix, ...] = ((1, 0, 0, 1), (-1, 0, 0, 1))
"""The two images of a grid on which stones fall."""


def apply(matrix: Matrix, column: int, row: int) -> tuple[int, int]:
    """The image of a cell."""
    a, b, c, d = matrix
    return a * column + b * row, c * column + d * row


@lru_cache(maxsize=64)
def _stones(board: str, marks: str) -> tuple[int, int]:
    """Many patterns ask of the same position; a text of digits is turned into bits much quicker than cell by cell."""
    digits = board[::-1]  # the first cell is the lowest bit
    first, second = (int(digits.translate(_OnlyOne({ord(mark): "1"})), 2) for mark in marks)
    return first, second


class _OnlyOne(dict[int, str]):
    """Translates all characters that it does not have to 0."""

    def __missing__(self, _: int) -> str:
        return "0"


@dataclass(frozen=True, slots=True)
class CellBoard:
    """The board of a game whose cells are numbered row by row."""

    columns: int
    rows: int
    marks: str
    """What stands for the stones of player 0 and of player 1 in ``State.board``."""
    images: tuple[Matrix, ...]
    owned_edges: bool = False
    """Whether what lies beyond top and bottom counts as player 0's stones, and beyond left and right as player 1's."""

    def stones(self, state: Any) -> tuple[int, int]:
        """The cells of each player, bit by bit."""
        return _stones(state.board, self.marks)

    def cell(self, column: int, row: int) -> int | None:
        """A cell's number; None beyond the edges."""
        return row * self.columns + column if 0 <= column < self.columns and 0 <= row < self.rows else None

    def beyond(self, column: int, row: int) -> int | None:
        """Whose edge a place beyond the board belongs to; None for corners, and where edges are nobody's."""
        aside, above = not 0 <= column < self.columns, not 0 <= row < self.rows
        return int(aside) if self.owned_edges and aside != above else None


def _sized(marks: str, images: tuple[Matrix, ...], owned_edges: bool = False) -> Callable[[Any], CellBoard]:
    return lambda game: CellBoard(game.columns, game.rows, marks, images, owned_edges)


_BOARDS: dict[str, Callable[[Any], CellBoard]] = {
    "tic_tac_toe": lambda _: CellBoard(3, 3, "xo", SQUARE),
    "go": _sized("XO", SQUARE),
    "hex": _sized("bw", HEXAGONAL, owned_edges=True),
}
BOARD_GAMES = tuple(_BOARDS)


def board_of(game: Game[Any, Any]) -> CellBoard | None:
    """The board of ``game``, whose actions are its cells' numbers; None if it has none that patterns can see."""
    make = _BOARDS.get(game.name.partition(":")[0])
    return None if make is None else make(game)
