"""The file beside a tournament's state that has its games in progress, for programs that watch it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from playout.arena.terms.live import InProgress
from playout.games.support.whole_file import write_whole

EVERY = 1.0
"""Seconds between two writings."""
OLD = 30.0
"""Seconds after which a file that was not written again is of a tournament that was killed."""
ENDING = ".live"


class LiveFile:
    """Writes games in progress. Not for several threads."""

    def __init__(self, state: Path) -> None:
        self._path = live_path(state)
        self._due = 0.0

    @property
    def due(self) -> bool:
        """Whether the file is to be written again."""
        return time.monotonic() >= self._due

    def write(self, games: Sequence[InProgress]) -> None:
        """Replaces what the file has. A disk that is full is no reason to stop."""
        self._due = time.monotonic() + EVERY
        with contextlib.suppress(OSError):
            write_whole(self._path, msgspec.json.encode(games), synced=False)

    def close(self) -> None:
        """Removes the file."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


def read_live(state: Path) -> list[InProgress]:
    """Returns the games in progress of the tournament with that state; none if nobody plays it."""
    path = live_path(state)
    try:
        if time.time() - path.stat().st_mtime > OLD:
            return []
        return msgspec.json.decode(path.read_bytes(), type=list[InProgress])
    except (OSError, msgspec.DecodeError):
        return []


def live_path(state: Path) -> Path:
    """Returns the path of the file that belongs to a state."""
    return state.with_name(state.name + ENDING)
