"""A board of Go as text: drawn for people, and read from a position's text."""

from __future__ import annotations

import re

from playout.games.errors import GameError
from playout.games.support.columns import COLUMNS
from playout.games.support.go import handicap


def drawn(board: str, columns: int) -> str:
    """Returns the board with its coordinates; star points are ``+``.

    Args:
        board: ``X``, ``O`` or ``.`` for each point, row by row from the bottom left.
        columns: number of points of a row.
    """
    rows = len(board) // columns
    stars = handicap.stars(columns, rows)
    letters = "   " + " ".join(COLUMNS[:columns])
    lines = [letters]
    for row in reversed(range(rows)):
        points = range(row * columns, (row + 1) * columns)
        cells = ("+" if board[point] == "." and point in stars else board[point] for point in points)
        lines.append(f"{row + 1:2} {' '.join(cells)} {row + 1}")
    return "\n".join([*lines, letters])


def read(text: str, columns: int, rows: int) -> str:
    """Returns the board, in the form of ``drawn``, that rows from the top describe in letters and runs of empty points.

    Raises:
        GameError: if they are other than ``rows`` rows of ``columns`` points.
    """
    found = []
    for row in text.upper().split("/"):
        runs = re.fullmatch("(?:[XO]|(?<![0-9])[1-9][0-9]?(?![0-9]))*", row)
        found.append(re.sub("[0-9]+", lambda run: "." * int(run[0]), row) if runs else "")
    if [len(row) for row in found] != [columns] * rows:
        raise GameError(f"not a go position: {text!r} is not {rows} rows of {columns} (X, O, runs of empty)")
    return "".join(reversed(found))
