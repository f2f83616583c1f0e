"""What may be read as a book: a plain file, which has a size and an end. A pipe has none, nor has a device."""

from __future__ import annotations

import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from playout.games.errors import BookError

T = TypeVar("T")

ATTEMPTS, PAUSE = 5, 0.02
"""How often a file that is written over while it is read is read again, and seconds in between."""


def file_size(path: Path) -> int:
    """The bytes of a plain file. Nothing is opened: to open a pipe may wait for ever.

    Raises:
        BookError: if there is no such file, or it is a folder, a pipe or a device.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise BookError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise BookError(f"{str(path)!r}: {error}") from error
    if stat.S_ISDIR(status.st_mode):
        raise BookError(f"{path}: a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise BookError(f"{path}: a pipe or a device, not a file")
    return status.st_size


def read_at_rest(path: Path, read: Callable[[], T]) -> T:
    """What ``read`` makes of the file, which nobody wrote to meanwhile.

    Raises:
        BookError: if there is no such file, or it is written to all the time; and what ``read`` raises.
    """
    for _ in range(ATTEMPTS):
        before = _stamp(path)
        try:
            found = read()
        except BookError:
            # What is half written may look damaged.
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
