"""Locks on the name of a store, so that the file that has it stays the same for a moment.

SQLite finds a journal by name. A connection to a file that was replaced would take the journal of the new file for its
own, roll it back into the old file, and delete it. So a connection that may write first makes sure that its file still
has the name, and a process that replaces the file waits until that is over. The folder is locked, not the file:
SQLite's own locks would end as soon as this process closed another descriptor of the file.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

GLANCE = 0.005
"""Seconds between two tries."""

FileId = tuple[int, int]
"""Device and inode."""


def file_id(path: Path) -> FileId:
    """Identifies the file that now has this name.

    Raises:
        OSError: if there is none.
    """
    stat = path.stat()
    return stat.st_dev, stat.st_ino


def check_name(path: Path, opened: FileId | None) -> None:
    """Checks that the file that was ``opened``, if it is given, still has its name.

    Raises:
        FileChanged: if another file has it.
        OSError: if none has it.
    """
    if opened is not None and file_id(path) != opened:
        raise FileChanged("another file has taken its place")


@contextmanager
def keeping_name(path: Path, timeout: float, opened: FileId | None = None) -> Iterator[None]:
    """Keeps others from replacing the file at ``path``. It must still be the one that was ``opened``, if that is given.

    Waits ``timeout`` seconds for a process that replaces it.

    Raises:
        BlockingIOError: if another process held the name for longer.
        FileChanged: if another file has the name now.
        OSError: if no file has it.
    """
    with _locked(path, fcntl.LOCK_SH, timeout):
        check_name(path, opened)
        yield


@contextmanager
def changing_name(path: Path, timeout: float) -> Iterator[None]:
    """Keeps others from relying on which file is at ``path``. Waits ``timeout`` seconds for those that do.

    Raises:
        BlockingIOError: if another process held the name for longer.
    """
    with _locked(path, fcntl.LOCK_EX, timeout):
        yield


class FileChanged(OSError):
    """Another file has the name of one that is open."""


@contextmanager
def _locked(path: Path, kind: int, timeout: float) -> Iterator[None]:
    """Locks the folder of the file that ``path`` leads to. Where the system has no such locks, nothing is locked."""
    folder = None
    with suppress(OSError):
        folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    if folder is None:
        yield
        return
    try:
        end = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(folder, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise BlockingIOError("another process is writing it") from None
                time.sleep(GLANCE)
            except OSError:
                break
        yield
    finally:
        os.close(folder)
