"""Go boards."""

from __future__ import annotations

from collections.abc import Collection

from playout.games.game import Box
from playout.games.picture.canvas import MEN, Canvas
from playout.games.support.columns import COLUMNS

SIDE = 26.0
MARGIN = 34.0
WOOD, LINE = "#e3b96b", "#6d5224"


def board(title: str, columns: int, owners: list[int | None], stars: Collection[int], ko: int | None) -> str:
    """Returns the picture of a board. Points are numbered row by row from the bottom left.

    Args:
        owners: for each point, the owner of its stone, or None.
        stars: the points that are marked by dots.
        ko: the point that may not be retaken, or None.
    """
    rows = len(owners) // columns
    right, bottom = MARGIN + SIDE * (columns - 1), MARGIN + SIDE * (rows - 1)
    canvas = Canvas(right + MARGIN, bottom + MARGIN, title)
    canvas.rectangle(0, 0, right + MARGIN, bottom + MARGIN, WOOD, corner=4)
    across = [((MARGIN, MARGIN + SIDE * row), (right, MARGIN + SIDE * row)) for row in range(rows)]
    down = [((MARGIN + SIDE * column, MARGIN), (MARGIN + SIDE * column, bottom)) for column in range(columns)]
    canvas.lines(across + down, LINE)
    for column in range(columns):
        for y in (0.4 * MARGIN, bottom + 0.6 * MARGIN):
            canvas.text(MARGIN + SIDE * column, y, COLUMNS[column], 11)
    for row in range(rows):
        for x in (0.35 * MARGIN, right + 0.65 * MARGIN):
            canvas.text(x, bottom - SIDE * row, str(row + 1), 11)
    for point, owner in enumerate(owners):
        x, y = MARGIN + SIDE * (point % columns), bottom - SIDE * (point // columns)
        if owner is not None:
            fill, outline = MEN[owner]
            canvas.circle(x, y, 0.47 * SIDE, fill, outline=outline)
        elif point == ko:
            canvas.rectangle(x - 5, y - 5, 10, 10, "none", outline=LINE)
        elif point in stars:
            canvas.circle(x, y, 3, LINE)
    return canvas.document()


def place(columns: int, rows: int, point: int) -> Box:
    """Returns the place of a point."""
    across, up = point % columns, point // columns
    return (MARGIN + SIDE * (across - 0.5), MARGIN + SIDE * (rows - 1 - up - 0.5), SIDE, SIDE)
