"""Checks of the files that a command is to write."""

from __future__ import annotations

import os
from pathlib import Path

from playout.games.errors import PlayoutError


def check_output(option: str, path: Path | None) -> None:
    """Checks, before hours of work, that a file can be written.

    Raises:
        PlayoutError: if it is a folder, or its folder does not exist or is not writable.
    """
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise PlayoutError(f"{option} {path}: no such folder")
    if path.is_dir():
        raise PlayoutError(f"{option} {path}: a folder, not a file")
    if not os.access(folder, os.W_OK):
        raise PlayoutError(f"{option} {path}: the folder is not writable")


def check_matplotlib(option: str, path: Path) -> None:
    """Checks that the figure ``path`` can be drawn, before the command does anything else.

    Raises:
        PlayoutError: if matplotlib is missing.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise PlayoutError(
            f"{option} {path}: matplotlib is not installed; pip install 'playout[plots]' brings it"
        ) from None
