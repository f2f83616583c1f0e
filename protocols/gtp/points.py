"""The points of a board, as GUIs for Go lay them out: rows from the top, columns from the left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def rows(game: Any) -> list[list[int]]:
    """The numbers of the points of Go or Hex, row by row from the top."""
    columns: int = game.columns
    numbers = [list(range(start, start + columns)) for start in range(0, columns * game.rows, columns)]
    return numbers[::-1] if game.kernel == "go" else numbers


def top_left_first(game: Any) -> Sequence[int]:
    """The same in one sequence."""
    return [point for row in rows(game) for point in row]
