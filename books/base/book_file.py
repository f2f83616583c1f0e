"""Books that are written as a whole."""

from __future__ import annotations

from pathlib import Path

from playout.games.errors import BookError
from playout.games.nearest import unusable
from playout.games.support.whole_file import write_whole


def replace_book(path: Path, content: bytes) -> None:
    """Replaces the content of a book atomically.

    Raises:
        BookError: if the file cannot be written; the old content is then intact.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise BookError(unusable(path, error)) from error
