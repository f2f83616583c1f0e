"""What may be read as a book: a plain file, which has a size and an end. A pipe has none, nor has a device."""

from __future__ import annotations

import stat
from pathlib import Path

from playout.games.errors import BookError


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
