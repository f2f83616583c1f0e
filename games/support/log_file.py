"""The log file of a process: entries of the log, and the lines that sessions read and write, each with its time."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from pathlib import Path

from playout.games.errors import BadOption, PlayoutError

READ, WRITTEN = ">>", "<<"
"""Marks of the lines that a session reads and writes, as in Stockfish's log."""

logger = logging.getLogger(__name__)


class _LogFile(logging.Handler):
    """Appends to a file. Where it is full or gone, entries are lost, and standard error has one line about it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._file: int | None = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self._fails = False
        self.setFormatter(logging.Formatter("%(levelname)s %(threadName)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.write([self.format(record)])

    def write(self, entries: Iterable[str]) -> None:
        """Appends entries, each after the time. Any thread. Never raises."""
        now = time.time()
        begin = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(now))}.{int(now * 1000) % 1000:03d} "
        rest = memoryview("".join(f"{begin}{entry}\n" for entry in entries).encode("utf-8", "replace"))
        self.acquire()
        try:
            while rest and self._file is not None:
                rest = rest[os.write(self._file, rest) :]
            self._fails = False
        except OSError as error:
            if not self._fails:
                self._fails = True
                logger.warning("%s: %s: entries of the log are lost", self.path, error.strerror)
        finally:
            self.release()

    def close(self) -> None:
        self.acquire()
        try:
            if self._file is not None:
                os.close(self._file)
            self._file = None
        finally:
            self.release()
        super().close()


_open: _LogFile | None = None


def log_to(path: Path | None) -> None:
    """Appends the log of this process and the lines of its sessions to a file, in place of an earlier one; None ends
    that.

    Raises:
        PlayoutError: if the file cannot be opened; nothing changes.
    """
    global _open
    if _open is not None and _open.path == path:
        return
    try:
        opened = None if path is None else _LogFile(path)
    except OSError as error:
        raise PlayoutError(f"{path}: {error.strerror}") from error
    earlier, _open = _open, opened
    if opened is not None:
        logging.getLogger().addHandler(opened)
    if earlier is not None:
        logging.getLogger().removeHandler(earlier)
        earlier.close()


def log_by_option(name: str) -> None:
    """Does what ``log_to`` does, as the option Debug Log File wants it; an empty name ends it.

    Raises:
        BadOption: if the file cannot be opened; nothing changes.
    """
    try:
        log_to(Path(name) if name else None)
    except PlayoutError as error:
        raise BadOption(f"option Debug Log File: {error}") from error


def log_lines(mark: str, lines: Iterable[str], session: str = "") -> None:
    """Writes lines that a session reads or writes to the log file, if there is one. Any thread. Never raises.

    ``session`` is its name, if there may be several.
    """
    if _open is not None:
        begin = f"{session} {mark}" if session else mark
        _open.write(f"{begin} {line}" for line in lines)
