"""A text as a picture, for games whose only drawing is text."""

from __future__ import annotations

from playout.games.picture.canvas import Canvas

SIZE = 14.0
WIDTH, HEIGHT = 0.61 * SIZE, 1.25 * SIZE
"""Width and height of a letter, in pixels."""
MARGIN = 10.0


def picture(title: str, text: str) -> str:
    """Returns the picture of ``text``, line by line in a monospaced font."""
    lines = text.splitlines() or [""]
    width, height = WIDTH * max(map(len, lines)), HEIGHT * len(lines)
    canvas = Canvas(width + 2 * MARGIN, height + 2 * MARGIN, title)
    canvas.rectangle(0, 0, width + 2 * MARGIN, height + 2 * MARGIN, "#fafaf7", outline="#d8d8d0", corner=4)
    for number, line in enumerate(lines, 1):
        canvas.monospaced(MARGIN, MARGIN + HEIGHT * number - 0.3 * SIZE, line, SIZE)
    return canvas.document()
