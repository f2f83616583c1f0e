"""Rectangular boards of cells, for any game that declares ``cells`` and for the package's own games on grids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from playout.games.game import GAP, Box, Cell
from playout.games.picture.canvas import MEN, Canvas
from playout.games.support.columns import COLUMNS

SIDE = 40.0
MARGIN = 24.0
LETTERS = COLUMNS.lower()
GROUND, RULE = "#f3ead7", "#9b8a6b"
DISCS = ("#d33f3f", "#f2c230")
HOLE, FRAME = "#ffffff", "#2f5fa8"
CROSS, NOUGHT = "#b0413e", "#2f5fa8"

Rows = Sequence[Sequence[int | None]]
"""The owner of the man on each cell, None, or ``GAP``; rows from the bottom, cells from the left."""


def board(title: str, rows: Rows, labels: Mapping[Cell, str], shades: Mapping[str, Sequence[Cell]]) -> str:
    """Returns the picture of a board of cells with round men, the ``labels`` of cells and the colours of ``shades``."""
    canvas = _ruled(title, rows, LETTERS)
    ground = {cell: colour for colour, cells in shades.items() for cell in cells}
    for row, men in enumerate(rows):
        for column, man in enumerate(men):
            if man == GAP:
                continue
            x, y = _corner(len(rows), column, row)
            canvas.rectangle(x, y, SIDE, SIDE, ground.get((column, row), GROUND), outline=RULE)
            if man is not None:
                fill, outline = MEN[man]
                canvas.circle(x + SIDE / 2, y + SIDE / 2, 0.4 * SIDE, fill, outline=outline)
            if label := labels.get((column, row)):
                ink = MEN[1][0] if man == 0 else MEN[0][0]
                canvas.text(x + SIDE / 2, y + SIDE / 2, label, 0.4 * SIDE, fill=ink, bold=True)
    return canvas.document()


def discs(title: str, rows: Rows, letters: str) -> str:
    """Returns the picture of an upright frame with red and yellow discs, as in connect four."""
    canvas = _ruled(title, rows, letters, numbers=False)
    x, y = _corner(len(rows), 0, len(rows) - 1)
    canvas.rectangle(x, y, SIDE * len(rows[0]), SIDE * len(rows), FRAME, corner=SIDE / 6)
    for row, men in enumerate(rows):
        for column, man in enumerate(men):
            x, y = _corner(len(rows), column, row)
            fill = HOLE if man is None else DISCS[man]
            canvas.circle(x + SIDE / 2, y + SIDE / 2, 0.41 * SIDE, fill, outline="#1f4580", stroke=1.5)
    return canvas.document()


def marks(title: str, rows: Rows) -> str:
    """Returns the picture of a grid with crosses and noughts."""
    canvas = _ruled(title, rows, LETTERS)
    count = len(rows)
    left, top = _corner(count, 0, count - 1)
    inner = range(1, count)
    canvas.lines([((left + SIDE * i, top), (left + SIDE * i, top + SIDE * count)) for i in inner], "#555555", 2)
    canvas.lines([((left, top + SIDE * i), (left + SIDE * count, top + SIDE * i)) for i in inner], "#555555", 2)
    for row, men in enumerate(rows):
        for column, man in enumerate(men):
            x, y = _corner(count, column, row)
            near, far = 0.22 * SIDE, 0.78 * SIDE
            if man == 0:
                canvas.path([(x + near, y + near), (x + far, y + far)], CROSS, 4)
                canvas.path([(x + near, y + far), (x + far, y + near)], CROSS, 4)
            elif man == 1:
                canvas.circle(x + SIDE / 2, y + SIDE / 2, 0.3 * SIDE, "none", outline=NOUGHT, stroke=4)
    return canvas.document()


def places(rows: Rows, letters: str) -> dict[str, Box]:
    """Returns the places of cells, by the letter of the column and the number of the row."""
    return {
        f"{letters[column]}{row + 1}": (*_corner(len(rows), column, row), SIDE, SIDE)
        for row, men in enumerate(rows)
        for column, man in enumerate(men)
        if man != GAP
    }


def column_places(rows: int, letters: str) -> dict[str, Box]:
    """Returns the places of whole columns, by their letters."""
    return {letter: (*_corner(rows, column, rows - 1), SIDE, SIDE * rows) for column, letter in enumerate(letters)}


def _ruled(title: str, rows: Rows, letters: str, numbers: bool = True) -> Canvas:
    """A canvas with the names of columns below and of rows at the left."""
    width = max(map(len, rows))
    canvas = Canvas(SIDE * width + 2 * MARGIN, SIDE * len(rows) + 2 * MARGIN, title)
    for column, letter in enumerate(letters[:width]):
        canvas.text(MARGIN + SIDE * (column + 0.5), 1.5 * MARGIN + SIDE * len(rows), letter, 13)
    if numbers:
        for row in range(len(rows)):
            canvas.text(MARGIN / 2, MARGIN + SIDE * (len(rows) - row - 0.5), str(row + 1), 13)
    return canvas


def _corner(rows: int, column: int, row: int) -> tuple[float, float]:
    """The top left corner of a cell."""
    return MARGIN + SIDE * column, MARGIN + SIDE * (rows - 1 - row)
