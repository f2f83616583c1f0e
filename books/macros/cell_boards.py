"""Boards of cells as patterns see them: stones as bit sets, symmetries of the grid, and the owners of the edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from playout.games.game import Game

Matrix = tuple[int, int, int, int]
"""A linear map: (a, b, c, d) takes (column, row) to (a column + b row, c column + d row)."""

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
"""The eight symmetries of a square grid."""
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
"""The twelve symmetries of a hexagonal grid with the adjacency of Hex."""
UPRIGHT: tuple[Matrix, ...] = ((1, 0, 0, -1), (-1, 0, 0, -1))
"""Symmetries of a grid on which men fall. Drawings have the top row first; cells are numbered from the bottom."""


OUTSIDE = -1
"""See ``CellBoard.places``."""


def apply(matrix: Matrix, column: int, row: int) -> tuple[int, int]:
    """Returns the image of a cell."""
    a, b, c, d = matrix
    return a * column + b * row, c * column + d * row


@lru_cache(maxsize=64)
def _stones(board: str, marks: str) -> tuple[int, int]:
    """Cached, because many patterns ask about the same position. A string of digits converts to bits much faster than a
    loop over cells.
    """
    digits = board[::-1]  # the first cell is the lowest bit
    first, second = (int(digits.translate(_OnlyOne({ord(mark): "1"})), 2) for mark in marks)
    return first, second


class _OnlyOne(dict[int, str]):
    """A translation table that maps every character it lacks to 0."""

    def __missing__(self, _: int) -> str:
        return "0"


@dataclass(frozen=True, slots=True)
class CellBoard:
    """The board of a game whose cells are numbered row by row."""

    columns: int
    rows: int
    marks: str
    """The characters for stones of player 0 and player 1 in ``State.board``."""
    images: tuple[Matrix, ...]
    owned_edges: bool = False
    """Whether places beyond top and bottom count as player 0's stones, and beyond left and right as player 1's."""
    falling: bool = False
    """Whether an action is a column, and its man comes to rest on the lowest empty cell. Else it is a cell's number."""
    directed: tuple[Matrix, ...] = ()
    """The images of drawings with a direction, as those with pawns."""
    second: Matrix | None = None
    """The map from player 0's view of the board to player 1's, after each image; None where they are the same."""
    by_kernel: bool = False
    """Whether drawings need kinds of men, or relations, that only the game's kernel knows."""

    def stones(self, state: Any) -> tuple[int, int]:
        """Returns the cells of each player as bit sets."""
        return _stones(state.board, self.marks)

    def action(self, state: Any, cell: int) -> int | None:
        """Returns the action by which a man would come to rest on a cell, if it is legal; None if there is none."""
        if not self.falling:
            return cell
        lands = state.board[cell] == "." and (cell < self.columns or state.board[cell - self.columns] != ".")
        return cell % self.columns if lands else None

    def cell(self, column: int, row: int) -> int | None:
        """Returns a cell's number, or None beyond the edges."""
        return row * self.columns + column if 0 <= column < self.columns and 0 <= row < self.rows else None

    def beyond(self, column: int, row: int) -> int | None:
        """Returns the owner of a place beyond the board; None for corners, and where edges belong to nobody."""
        aside, above = not 0 <= column < self.columns, not 0 <= row < self.rows
        return int(aside) if self.owned_edges and aside != above else None

    def places(self, margin: int) -> dict[tuple[int, int], int]:
        """Returns the cells by column and row, and the places up to ``margin`` beyond the edges: ``OUTSIDE`` less the
        owner's number, or less 2 without an owner."""
        found = {}
        for column in range(-margin, self.columns + margin):
            for row in range(-margin, self.rows + margin):
                cell, owner = self.cell(column, row), self.beyond(column, row)
                found[column, row] = cell if cell is not None else OUTSIDE - (2 if owner is None else owner)
        return found


def _sized(
    marks: str, images: tuple[Matrix, ...], *, owned_edges: bool = False, falling: bool = False
) -> Callable[[Any], CellBoard]:
    return lambda game: CellBoard(game.columns, game.rows, marks, images, owned_edges, falling)


AS_DRAWN: Matrix = (1, 0, 0, -1)
"""From a drawing, with the top row first, to cells, with the bottom row first."""
_BACKWARDS: Matrix = (-1, 0, 0, 1)
_BOARDS: dict[str, Callable[[Any], CellBoard]] = {
    "tic_tac_toe": lambda _: CellBoard(3, 3, "xo", SQUARE),
    "connect_four": _sized("xo", UPRIGHT, falling=True),
    "go": _sized("XO", SQUARE),
    "hex": _sized("bw", HEXAGONAL, owned_edges=True),
    "chess": lambda _: CellBoard(8, 8, "", SQUARE, directed=UPRIGHT, second=AS_DRAWN, by_kernel=True),
    # Points from 24 to 1, as the player to move counts them.
    "backgammon": lambda _: CellBoard(24, 1, "", (_BACKWARDS,), second=_BACKWARDS, by_kernel=True),
}


def known_board(game: Game[Any, Any]) -> CellBoard | None:
    """Returns the board of one of the package's games; None for other games, and those without a board of cells."""
    make = _BOARDS.get(game.name.partition(":")[0])
    return None if make is None else make(game)
