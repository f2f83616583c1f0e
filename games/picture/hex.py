"""Hex boards. Rows slant to the right; Black's edges are above and below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_lowercase

from playout.games.game import Box
from playout.games.picture.canvas import MEN, Canvas, Point

RADIUS = 17.0
"""Pixels from the middle of a hexagon to a corner."""
WIDTH = math.sqrt(3) * RADIUS
EDGE = 6.0
MARGIN = 26.0
GROUND, RULE = "#f3ead7", "#9b8a6b"
SIDES = ("#222222", "#ffffff")
BACK = "#c9d3da"
"""Colour behind the board. Both players' edges are visible on it."""


def board(title: str, size: int, owners: Sequence[int | None]) -> str:
    """Returns the picture of a board. ``owners`` holds for each cell, row by row from the top left, the owner of its
    stone, or None."""
    width = WIDTH * (size + (size - 1) / 2) + 2 * MARGIN
    height = RADIUS * (1.5 * (size - 1) + 2) + 2 * MARGIN
    canvas = Canvas(width, height, title)
    canvas.rectangle(0, 0, width, height, BACK, corner=4)
    _draw_edges(canvas, size)
    for cell, owner in enumerate(owners):
        x, y = _middle(*divmod(cell, size))
        canvas.polygon(_corners(x, y), GROUND, outline=RULE)
        if owner is not None:
            fill, outline = MEN[owner]
            canvas.circle(x, y, 0.68 * RADIUS, fill, outline=outline)
    for place in range(size):
        x, y = _middle(0, place)
        canvas.text(x, y - RADIUS - 13, ascii_lowercase[place], 12)
        x, y = _middle(place, 0)
        canvas.text(x - WIDTH / 2 - 13, y, str(place + 1), 12)
    return canvas.document()


def place(size: int, cell: int) -> Box:
    """Returns the place of a cell, a rectangle inside its hexagon."""
    x, y = _middle(*divmod(cell, size))
    return (x - WIDTH / 2, y - 0.75 * RADIUS, WIDTH, 1.5 * RADIUS)


def _draw_edges(canvas: Canvas, size: int) -> None:
    """Draws the four edges along the outer sides of the hexagons, behind them."""
    last = size - 1
    top: list[Point] = []
    bottom: list[Point] = []
    left: list[Point] = []
    right: list[Point] = []
    for place in range(size):
        top += _corners(*_middle(0, place))[:3]
        bottom += reversed(_corners(*_middle(last, place))[3:])
        left += [_corners(*_middle(place, 0))[0], _corners(*_middle(place, 0))[5]]
        right += [_corners(*_middle(place, last))[2], _corners(*_middle(place, last))[3]]
    for edge in (left, right):
        canvas.path(edge, SIDES[1], 2 * EDGE)
    for edge in (top, bottom):
        canvas.path(edge, SIDES[0], 2 * EDGE)


def _middle(row: int, column: int) -> Point:
    return MARGIN + WIDTH * (column + 0.5 + row / 2), MARGIN + RADIUS * (1 + 1.5 * row)


def _corners(x: float, y: float) -> list[Point]:
    """The corners of a hexagon around (x, y), clockwise from the upper left."""
    half = WIDTH / 2
    return [
        (x - half, y - RADIUS / 2),
        (x, y - RADIUS),
        (x + half, y - RADIUS / 2),
        (x + half, y + RADIUS / 2),
        (x, y + RADIUS),
        (x - half, y + RADIUS / 2),
    ]
