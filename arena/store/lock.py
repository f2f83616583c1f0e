"""Files that one process holds, so that others can tell that it lives."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import BinaryIO, Self


class HeldFile:
    """A file that this process holds until ``release``, or until it ends. A context manager: leaving it lets go."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def release(self) -> None:
        """Lets go of the file; may be called again."""
        if not self._file.closed:
            # Closing alone is not enough: a program that another thread starts has the file too until it has begun.
            fcntl.flock(self._file, fcntl.LOCK_UN)
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def hold(path: Path) -> HeldFile:
    """Holds a file; waits for another process that holds it.

    Raises:
        OSError: if the file cannot be made.
    """
    file = path.open("ab")
    fcntl.flock(file, fcntl.LOCK_EX)
    return HeldFile(file)


def hold_if_free(path: Path) -> HeldFile | None:
    """Holds a file, unless another process holds it: then returns None.

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
    return HeldFile(file)
