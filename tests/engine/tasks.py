"""Tasks for tests of what lies below the session."""

from __future__ import annotations

from typing import Any

from playout.engine.options.config import options_for
from playout.engine.terms.limits import Limits
from playout.engine.terms.line import Line
from playout.engine.terms.task import SearchTask


def task_of(game: Any, line: Line | None = None, limits: Limits | None = None, **options: str) -> SearchTask:
    """A task at the end of ``line``, by default at the start of the game; names of options have no blanks here."""
    values = options_for(game, {})
    for name, text in options.items():
        values.set(name, text)
    return SearchTask(game, line or Line.start(game), limits or Limits(), values.frozen())


def line_of(game: Any, *words: str, text: str | None = None) -> Line:
    """The line after ``words`` from the position ``text``."""
    return Line.start(game, text).extended(game, words)
