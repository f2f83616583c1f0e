"""Files that one process holds, so that others can tell that it lives."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import BinaryIO


def hold(path: Path) -> BinaryIO:
    """Returns a file that this process holds until it is closed; waits for another one that holds it.

    Raises:
        OSError: if the file cannot be made.
    """
    file = path.open("ab")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def hold_if_free(path: Path) -> BinaryIO | None:
    """Returns a file that this process holds until it is closed; None if another one holds it.

    Raises:
        OSError: if the file cannot be made, or not be held.
    """
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        if isinstance(error, BlockingIOError):
            return None
        raise
    return file
