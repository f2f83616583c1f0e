"""Which line of input led to what happens, for the log: a traceback without it can hardly be told from any other."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from playout.protocols.base.lines import one_line

_TRACEBACK = "Traceback (most recent call last)"
_cause: ContextVar[str] = ContextVar("cause", default="")


def cause() -> str:
    """The line in whose consequence this code runs, perhaps on a thread that was started for it; "" if none is."""
    return _cause.get()


@contextmanager
def caused_by(line: str) -> Iterator[None]:
    """What runs meanwhile is the consequence of ``line``, and so is what threads do that get a copy of its context."""
    token = _cause.set(line)
    try:
        yield
    finally:
        _cause.reset(token)


class Formatter(logging.Formatter):
    """Ends an entry with a traceback, be it a text that came from the search, with the line that led to it."""

    def format(self, record: logging.LogRecord) -> str:
        said = super().format(record)
        return f"{said}\nThe line that led to it: {one_line(cause())!r}" if cause() and _TRACEBACK in said else said
