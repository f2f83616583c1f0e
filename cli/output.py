"""Files that a command is to write: checks before the work, and the log."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated

import typer

from playout.games.errors import PlayoutError
from playout.games.support.log_file import log_to

LogFile = Annotated[
    Path | None, typer.Option("--log-file", metavar="FILE", help="Appends what happens, with its times.")
]


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


def start_log(path: Path | None) -> None:
    """Appends what playout does to a file from now on, if one is named. Warnings go to standard error as they do
    without.

    Raises:
        PlayoutError: if the file cannot be opened.
    """
    if path is None:
        return
    log_to(path)
    warnings = logging.StreamHandler()
    warnings.setLevel(logging.WARNING)
    logging.getLogger().addHandler(warnings)
    logging.getLogger("playout").setLevel(logging.INFO)
