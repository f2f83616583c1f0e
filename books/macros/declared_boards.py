"""Boards of games that declare ``cells``, for patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.macros.cell_boards import AS_DRAWN, SQUARE, CellBoard, Matrix, apply, known_board
from playout.games.game import HasCells, HasKey, HasSymmetries

MOST_SIDE = 25
"""Maximum number of columns and of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredBoard(CellBoard):
    """The board of a game that says which man stands on each cell, and which cell an action takes."""

    game: Any = None

    def stones(self, state: Any) -> tuple[int, int]:
        """Returns the cells of each player as bit sets."""
        sets = [0, 0]
        for cell, owner in enumerate(owner for row in self.game.cells(state) for owner in row):
            if owner in (0, 1):
                sets[owner] |= 1 << cell
        return sets[0], sets[1]

    def action(self, state: Any, cell: int) -> Any | None:
        """Returns the legal action that takes a cell; None if there is none."""
        place = (cell % self.columns, cell // self.columns)
        return next((a for a in self.game.legal_actions(state) if self.game.cell(state, a) == place), None)


def board_of(game: Any) -> CellBoard | None:
    """Returns the board of ``game``; None if patterns cannot apply to it.

    A game that is not the package's has a board if it declares ``cells``, and if its symmetries are some of those of
    the board's rectangle. Drawings apply in their images.
    """
    known = known_board(game)
    if known is not None:
        return known
    found = _matrices(game)
    if found is None:
        return None
    columns, rows, matrices = found
    images = tuple(dict.fromkeys(_product(matrix, AS_DRAWN) for matrix in matrices))
    return DeclaredBoard(columns, rows, "", images, game=game)


def cell_images(game: Any) -> tuple[int, int, list[list[int]]] | None:
    """Returns columns and rows of a declared board and, for each symmetry of the game, the image of each cell.

    Cells are numbered row by row from the bottom left. None if ``board_of`` gives no declared board.
    """
    found = _matrices(game)
    if found is None:
        return None
    columns, rows, matrices = found
    places = [(column, row) for row in range(rows) for column in range(columns)]
    return (
        columns,
        rows,
        [
            [row * columns + column for column, row in (_image(matrix, columns, rows, *place) for place in places)]
            for matrix in matrices
        ],
    )


def _matrices(game: Any) -> tuple[int, int, list[Matrix]] | None:
    """Returns columns and rows, and for each symmetry of the game the linear map of the grid that does the same."""
    if not isinstance(game, HasCells):
        return None
    state = game.initial_state()  # type: ignore[attr-defined]
    cells = game.cells(state)
    columns, rows = len(cells[0]) if cells else 0, len(cells)
    if not (1 <= columns <= MOST_SIDE and 1 <= rows <= MOST_SIDE) or any(len(row) != columns for row in cells):
        return None
    symmetries = game.symmetries() if isinstance(game, HasSymmetries) and isinstance(game, HasKey) else ()
    matrices = [SQUARE[0]]
    for symmetry in list(symmetries)[1:]:
        image = symmetry.state(state)
        pairs = [
            (game.cell(state, action), game.cell(image, symmetry.action(action)))
            for action in game.legal_actions(state)  # type: ignore[attr-defined]
        ]
        fits = (matrix for matrix in SQUARE if _maps(matrix, columns, rows, pairs))
        matrix = next(fits, None)
        if matrix is None:
            return None
        matrices.append(matrix)
    return columns, rows, matrices


def _maps(matrix: Matrix, columns: int, rows: int, pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether the linear map takes the rectangle to itself and the first cell of each pair to the second."""
    if matrix[0] == 0 and columns != rows:
        return False
    return all(
        one is other if one is None or other is None else _image(matrix, columns, rows, *one) == tuple(other)
        for one, other in pairs
    )


def _image(matrix: Matrix, columns: int, rows: int, column: int, row: int) -> tuple[int, int]:
    """Returns the image of a cell under the linear map, moved back onto the rectangle."""
    across, up = apply(matrix, column, row)
    least = [apply(matrix, *corner) for corner in ((0, 0), (columns - 1, 0), (0, rows - 1), (columns - 1, rows - 1))]
    return across - min(one for one, _ in least), up - min(other for _, other in least)


def _product(one: Matrix, other: Matrix) -> Matrix:
    """Returns the map that does ``other`` first."""
    a, b, c, d = one
    e, f, g, h = other
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h
