"""A text as a picture, for games that draw themselves in letters."""

from __future__ import annotations

from playout.games.picture.canvas import Canvas

SIZE = 14.0
WIDTH, HEIGHT = 0.61 * SIZE, 1.25 * SIZE
"""Of a letter."""
MARGIN = 10.0


def picture(title: str, text: str) -> str:
    """Returns ``text``, line by line in letters of one width."""
    lines = text.splitlines() or [""]
    width, height = WIDTH * max(map(len, lines)), HEIGHT * len(lines)
    canvas = Canvas(width + 2 * MARGIN, height + 2 * MARGIN, title)
    canvas.rectangle(0, 0, width + 2 * MARGIN, height + 2 * MARGIN, "#fafaf7", outline="#d8d8d0", corner=4)
    for number, line in enumerate(lines, 1):
        canvas.monospaced(MARGIN, MARGIN + HEIGHT * number - 0.3 * SIZE, line, SIZE)
    return canvas.document()
