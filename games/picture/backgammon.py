"""Backgammon boards. Player 0's home is at the lower right, player 1's above it."""

from __future__ import annotations

from collections.abc import Sequence

from playout.games.game import Box
from playout.games.picture.canvas import MEN, Canvas

SIDE = 34.0
"""Width of a point; men are a little smaller."""
MARGIN = 20.0
HEIGHT = 11.0
"""Height of the board, in widths of a point."""
SEEN = 5
"""Most men that are drawn on a point. If there are more, their number is written."""
TABLE, FRAME = "#efe2c4", "#7a5230"
POINTS = ("#b5793f", "#5c7f6b")
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
OFF, BAR = 0, 25


def board(
    title: str, checkers: Sequence[Sequence[int]], player: int, dice: tuple[int, int] | None, caption: str
) -> str:
    """Returns the picture of a board.

    Args:
        checkers: for each player 26 counts, by the player's own points: 0 is off, 25 the bar.
        player: the player whose points are numbered, and whose dice they are.
        dice: the roll, if it has been thrown.
        caption: one line below the board.
    """
    width, height = 14 * SIDE, HEIGHT * SIDE
    canvas = Canvas(width + 2 * MARGIN, height + 3 * MARGIN, title)
    canvas.rectangle(0, 0, width + 2 * MARGIN, height + 2 * MARGIN, FRAME, corner=6)
    for left in (0, 7):
        canvas.rectangle(MARGIN + SIDE * left, MARGIN, 6 * SIDE, height, TABLE)
    for point in range(1, 25):
        _draw_point(canvas, point, player)
    for owner, counts in enumerate(checkers):
        for point, count in enumerate(counts):
            if count and point != OFF:
                _draw_men(canvas, owner, point, count)
        if counts[OFF]:
            _draw_off(canvas, owner, counts[OFF])
    if dice is not None:
        _draw_dice(canvas, player, dice)
    canvas.text(MARGIN + width / 2, height + 2.5 * MARGIN, caption, 13)
    return canvas.document()


def places(player: int) -> dict[str, Box]:
    """Returns the places of the points, of the bar and of the checkers that are off, as ``player`` counts them."""
    half = HEIGHT * SIDE / 2
    found: dict[str, Box] = {}
    for point in range(1, BAR + 1):
        x, above = _place(player, point)
        found[place_name(point)] = (x, MARGIN if above else MARGIN + half, SIDE, half)
    found[place_name(OFF)] = (MARGIN + 13 * SIDE, MARGIN if player else MARGIN + half, SIDE, half)
    return found


def place_name(point: int) -> str:
    """Returns the name of a place."""
    return "off" if point == OFF else "bar" if point == BAR else str(point)


def _place(owner: int, point: int) -> tuple[float, bool]:
    """The left side of a player's point, and whether the point is in the upper half."""
    if point == BAR:
        return MARGIN + 6 * SIDE, owner == 0
    point = BAR - point if owner else point
    above = point > 12
    column = point - 13 if above else 12 - point
    return MARGIN + SIDE * (column + (column >= 6)), above


def _draw_point(canvas: Canvas, point: int, player: int) -> None:
    x, above = _place(0, point)
    base, tip = (MARGIN, MARGIN + 4.6 * SIDE) if above else (MARGIN + HEIGHT * SIDE, MARGIN + (HEIGHT - 4.6) * SIDE)
    canvas.polygon([(x, base), (x + SIDE, base), (x + SIDE / 2, tip)], POINTS[point % 2])
    y = MARGIN / 2 if above else MARGIN * 1.5 + HEIGHT * SIDE
    canvas.text(x + SIDE / 2, y, str(BAR - point if player == 1 else point), 11, fill="#ffffff")


def _draw_men(canvas: Canvas, owner: int, point: int, count: int) -> None:
    x, above = _place(owner, point)
    fill, outline = MEN[owner]
    step = 0.88 * SIDE
    for level in range(min(count, SEEN)):
        y = MARGIN + SIDE * 0.46 + step * level if above else MARGIN + (HEIGHT - 0.46) * SIDE - step * level
        canvas.circle(x + SIDE / 2, y, 0.43 * SIDE, fill, outline=outline, stroke=1.5)
    if count > SEEN:
        canvas.text(x + SIDE / 2, y, str(count), 13, fill=MEN[1 - owner][0], bold=True)


def _draw_off(canvas: Canvas, owner: int, count: int) -> None:
    """Draws the men that are off, on edge, in the tray."""
    fill, outline = MEN[owner]
    x, thick = MARGIN + 13.1 * SIDE, 0.26 * SIDE
    for level in range(count):
        y = MARGIN + thick * level if owner else MARGIN + HEIGHT * SIDE - thick * (level + 1)
        canvas.rectangle(x, y, 0.8 * SIDE, 0.9 * thick, fill, outline=outline, corner=2)


def _draw_dice(canvas: Canvas, player: int, dice: tuple[int, int]) -> None:
    """Draws the dice in the player's right half."""
    fill, outline = MEN[player]
    size, ink = 0.8 * SIDE, MEN[1 - player][0]
    for number, pips in enumerate(dice):
        x, y = MARGIN + SIDE * (9.4 + 1.2 * number), MARGIN + HEIGHT * SIDE / 2
        canvas.rectangle(x - size / 2, y - size / 2, size, size, fill, outline=outline, corner=5)
        for across, down in PIPS[pips]:
            canvas.circle(x + 0.27 * size * across, y + 0.27 * size * down, 0.09 * size, ink)
