"""The line of input that led to the running code, for the log: tracebacks alone do not show which command failed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from playout.protocols.base.lines import one_line

_TRACEBACK = "Traceback (most recent call last)"
_cause: ContextVar[str] = ContextVar("cause", default="")


def cause() -> str:
    """The line that caused this code to run, perhaps on a thread that was started for it; "" if there is none."""
    return _cause.get()


@contextmanager
def caused_by(line: str) -> Iterator[None]:
    """Makes ``line`` the cause of the code in the ``with`` block, and of threads that run in a copy of its context."""
    token = _cause.set(line)
    try:
        yield
    finally:
        _cause.reset(token)


class Formatter(logging.Formatter):
    """Appends the causing line to each entry that contains a traceback, also one that the search reported as text."""

    def format(self, record: logging.LogRecord) -> str:
        said = super().format(record)
        return f"{said}\nThe line that led to it: {one_line(cause())!r}" if cause() and _TRACEBACK in said else said


def log_to_standard_error(form: logging.Formatter, level: int = logging.WARNING) -> None:
    """Writes the log's entries from ``level`` on to standard error. Does nothing if the log goes somewhere already."""
    handler = logging.StreamHandler()
    handler.setFormatter(form)
    logging.basicConfig(handlers=[handler], level=level)
