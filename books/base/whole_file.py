"""Files that are whole at every moment: a reader finds the old content or the new, a crash leaves no part of either."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playout.games.errors import BookError


def write_whole(path: Path, content: bytes) -> None:
    """Puts ``content`` in the place of the file's, whose access rights stay.

    Raises:
        BookError: if it cannot be written; the file is as it was.
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
