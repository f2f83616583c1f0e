"""The eight symmetries of the square, in the order of ``symmetry.rs``; the first four are those of a rectangle.

Number f transposes if f & 4, then mirrors the columns if f & 1, then the rows if f & 2.
"""

from __future__ import annotations

NAMES = (
    "identity",
    "mirror columns",
    "mirror rows",
    "half turn",
    "transpose",
    "quarter turn left",
    "quarter turn right",
    "anti-transpose",
)
INVERSE = (0, 1, 2, 3, 4, 6, 5, 7)


def names(columns: int, rows: int) -> tuple[str, ...]:
    """Returns the names of a board's symmetries."""
    return NAMES if columns == rows else NAMES[:4]


def rectangle(columns: int, rows: int, number: int, cell: int) -> int:
    """Returns the cell to which symmetry ``number`` of a board maps cell ``row * columns + column``."""
    row, column = divmod(cell, columns)
    if number & 4:
        row, column = column, row
    if number & 1:
        column = columns - 1 - column
    if number & 2:
        row = rows - 1 - row
    return row * columns + column


def square(n: int, number: int, cell: int) -> int:
    """Returns the cell to which symmetry ``number`` of an ``n`` by ``n`` board maps cell ``row * n + column``."""
    return rectangle(n, n, number, cell)


def board(columns: int, number: int, cells: str) -> str:
    """Returns the image of a board under symmetry ``number``, one character for each cell; slices are faster than
    cells.
    """
    if number < 4:
        rows = [cells[row : row + columns] for row in range(0, len(cells), columns)]
    else:
        rows = [cells[column::columns] for column in range(columns)]
    # Reversing the whole text mirrors columns and rows at once.
    if number & 3 in (1, 2):
        rows.reverse()
    image = "".join(rows)
    return image[::-1] if number & 1 else image
