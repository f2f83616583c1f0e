"""The eight symmetries of the square, in the order of ``symmetry.rs``.

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


def square(n: int, number: int, cell: int) -> int:
    """Where symmetry ``number`` (0 to 7) of an ``n`` by ``n`` board takes cell ``row * n + column``."""
    row, column = divmod(cell, n)
    if number & 4:
        row, column = column, row
    if number & 1:
        column = n - 1 - column
    if number & 2:
        row = n - 1 - row
    return row * n + column


def board(n: int, number: int, cells: str) -> str:
    """The image under symmetry ``number`` of an ``n`` by ``n`` board, one character a cell: slices instead of cells."""
    rows = [cells[row : row + n] for row in range(0, n * n, n)] if number < 4 else [cells[c::n] for c in range(n)]
    # Turning all of a text round mirrors columns and rows at once.
    if number & 3 in (1, 2):
        rows.reverse()
    image = "".join(rows)
    return image[::-1] if number & 1 else image
