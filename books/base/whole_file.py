"""Atomic replacement of files: a reader finds the old content or the new, and a crash leaves no mixture."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playout.games.errors import BookError


def write_whole(path: Path, content: bytes) -> None:
    """Replaces the content of a file. Its access rights stay.

    Raises:
        BookError: if the file cannot be written; the old content is then intact.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, path.stat().st_mode if path.exists() else 0o666 & ~mask)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise BookError(f"{path}: {error.strerror or error}") from error
