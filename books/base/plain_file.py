"""Checks before a file is read as a book. A book is a plain file, with a size and an end; a pipe or a device has
neither.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from playout.games.errors import BookError
from playout.games.nearest import unusable

T = TypeVar("T")

ATTEMPTS, PAUSE = 5, 0.02
"""Number of attempts to read a file that is being overwritten, and the pause between them in seconds."""


def file_size(path: Path) -> int:
    """Returns the size of a plain file in bytes, without opening it: opening a pipe may block for ever.

    Raises:
        BookError: if there is no such file, or it is a folder, a pipe or a device.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise BookError(unusable(path, error)) from error
    except ValueError as error:
        raise BookError(f"{str(path)!r}: {error}") from error
    if stat.S_ISDIR(status.st_mode):
        raise BookError(f"{path}: a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise BookError(f"{path}: a pipe or a device, not a file")
    return status.st_size


def read_at_rest(path: Path, read: Callable[[], T]) -> T:
    """Calls ``read`` until the file did not change during the call, and returns its result.

    Raises:
        BookError: if there is no such file, or it keeps changing. Exceptions of ``read`` pass through.
    """
    for _ in range(ATTEMPTS):
        before = _stamp(path)
        try:
            found = read()
        except BookError:
            # A half-written file may look damaged.
            if _stamp(path) == before:
                raise
        else:
            if _stamp(path) == before:
                return found
        time.sleep(PAUSE)
    raise BookError(f"{path}: another program is writing it")


def _stamp(path: Path) -> tuple[int, int, int]:
    size = file_size(path)
    status = path.stat()
    return size, status.st_mtime_ns, status.st_ino
