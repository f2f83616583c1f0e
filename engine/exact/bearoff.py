"""Solving the bear-off of backgammon into a file (``games/backgammon/bearoff.rs`` has the computation)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playout.books.base.whole_file import write_whole
from playout.engine import _core
from playout.games.errors import BookError

MOST_CHECKERS = 9
"""Of a side in the two-sided table."""


def write_bearoff(path: Path, checkers: int = 6, on_progress: Callable[[float], None] | None = None) -> None:
    """Solves all positions with 15 checkers at home one-sided, and those with up to ``checkers`` (1 to 9) a side
    two-sided, and writes them to ``path``. The file is whole at every moment. Blocks; ``on_progress`` gets parts of 1.

    Raises:
        BookError: if the file cannot be written, or ``checkers`` is out of its range.
    """
    try:
        data = _core.solve_bearoff(checkers, on_progress or (lambda _: None))
    except ValueError as error:
        raise BookError(f"{path}: {error}") from error
    write_whole(path, data)
