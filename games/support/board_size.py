"""Sizes of boards: a number is a square board, ``13x9`` is 13 columns and 9 rows."""

from __future__ import annotations

import re
from typing import Any

from playout.games import catalogue
from playout.games.errors import GameError


def board_size(columns: int, rows: int) -> int | str:
    """Returns the text for the size of a board."""
    return columns if columns == rows else f"{columns}x{rows}"


def sides(size: int | str) -> tuple[int, int] | None:
    """Returns columns and rows; None if the text is not a size."""
    if isinstance(size, int):
        return size, size
    match = re.fullmatch("([0-9]{1,3})(?:[xX]([0-9]{1,3}))?", size)
    return (int(match[1]), int(match[2] or match[1])) if match else None


def has_size(game: Any) -> bool:
    """Whether the game has a parameter ``size``."""
    return any(field.name == "size" for field in catalogue.parameters(type(game)))


def resized(game: Any, columns: int, rows: int) -> Any:
    """Returns ``game`` on another board.

    Raises:
        GameError: if it has no such board.
    """
    for field in catalogue.parameters(type(game)):
        if field.name == "size" and (columns == rows or catalogue.takes_text(field)):
            return catalogue.replaced(game, size=board_size(columns, rows))
    raise GameError(f"{game.name.partition(':')[0]} has no board of {columns} columns and {rows} rows")
