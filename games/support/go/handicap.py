"""Handicap stones of GTP's ``fixed_handicap``, which are the star points of a board."""

from __future__ import annotations

from collections.abc import Sequence

from playout.games.errors import GameError
from playout.games.support.board_size import board_size

PLACES = ((0, 0), (2, 2), (2, 0), (0, 2), (1, 0), (1, 2), (0, 1), (2, 1), (1, 1))
"""Row and column of the stones: 0 low, 1 middle, 2 high; the middle point is used only for odd numbers."""


def most(columns: int, rows: int) -> int:
    """Returns the maximum number of stones: 9, but 4 if a side is 7 or even, and 0 if a side is shorter than 7."""
    short = min(columns, rows)
    return 0 if short < 7 else 4 if short == 7 or columns * rows % 2 == 0 else 9


def points(columns: int, rows: int, number: int) -> list[int]:
    """Returns the points of 2 or more stones. GTP defines them for square boards; on others each side has its own
    lines.

    Raises:
        GameError: if there is no such handicap on this board.
    """
    greatest = most(columns, rows)
    if not 2 <= number <= greatest:
        allowed = f"2 to {greatest} stones" if greatest else "none below size 7"
        raise GameError(f"go: no fixed handicap of {number} on size {board_size(columns, rows)} ({allowed})")
    return _placed(columns, rows, PLACES[: number - 1] + PLACES[-1:] if number in (5, 7) else PLACES[:number])


def free(columns: int, rows: int, number: int) -> list[int]:
    """Returns up to ``number`` points for a handicap placed by an engine: those of the fixed handicap or, on boards
    without one, four near the corners.
    """
    greatest = most(columns, rows)
    return (
        points(columns, rows, min(number, greatest)) if greatest else _placed(columns, rows, PLACES[: min(number, 4)])
    )


def stars(columns: int, rows: int) -> list[int]:
    """Returns the points that boards mark."""
    return points(columns, rows, most(columns, rows)) if most(columns, rows) else []


def _placed(columns: int, rows: int, places: Sequence[tuple[int, int]]) -> list[int]:
    row_lines, column_lines = _lines(rows), _lines(columns)
    return [row_lines[row] * columns + column_lines[column] for row, column in places]


def _lines(side: int) -> tuple[int, int, int]:
    low = sum(side >= least for least in (4, 7, 13))
    return low, side // 2, side - 1 - low
