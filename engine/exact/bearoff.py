"""Solver of the bear-off of backgammon: writes a database file (``games/backgammon/bearoff.rs`` computes it)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playout.engine import _core
from playout.games.errors import BookError
from playout.games.nearest import unusable
from playout.games.support.whole_file import replacing

MOST_CHECKERS = 9
"""Most checkers of a side in the two-sided table."""


def write_bearoff(path: Path, checkers: int = 6, on_progress: Callable[[float], None] | None = None) -> None:
    """Writes the one-sided and the two-sided table to ``path``.

    The one-sided table has all positions with 15 checkers at home, the two-sided one those with up to ``checkers`` (1
    to 9) for each side. The file is whole at every moment. ``on_progress`` gets the share that is done, in [0, 1].
    Blocks.

    Raises:
        BookError: if the file cannot be written, or ``checkers`` is out of its range.
    """
    try:
        with replacing(path) as beside:  # before the solver works for minutes
            beside.write_bytes(_core.solve_bearoff(checkers, on_progress or (lambda _: None)))
    except OSError as error:
        raise BookError(unusable(path, error)) from error
    except ValueError as error:
        raise BookError(f"{path}: {error}") from error
