"""The methods of a user's game at work in a thread, and their interruption."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from playout.games.errors import Interrupted
from playout.games.game import Game


class Methods:
    """The methods of one game. Any thread."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self._codes = frozenset(_codes(type(game)))

    def running(self, thread: int) -> FrameType | None:
        """Returns the frame of the method that runs in ``thread``, the outermost one; None if none of them does."""
        found, frame = None, sys._current_frames().get(thread)
        while frame is not None:
            if frame.f_code in self._codes:
                found = frame
            frame = frame.f_back
        return found

    def interrupt(self, thread: int) -> str | None:
        """Raises ``Interrupted`` in ``thread`` as soon as it runs Python, if one of the methods is at work there.

        Returns the name and the place of the method; None if there is none.
        """
        frame = self.running(thread)
        if frame is None:
            return None
        _set(thread, Interrupted)
        return place(frame)


def calm(thread: int) -> None:
    """Takes back an ``Interrupted`` that has not been raised yet."""
    _set(thread, None)


def place(frame: FrameType) -> str:
    """The name of a method and the place where it is, for people."""
    return f"{frame.f_code.co_name} ({frame.f_code.co_filename}, line {frame.f_lineno})"


def _set(thread: int, exception: type[BaseException] | None) -> None:
    import ctypes  # only when something is wrong

    value = ctypes.py_object(exception) if exception is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), value)


def _codes(kind: type) -> Iterator[CodeType]:
    for parent in kind.__mro__[:-1]:
        for value in vars(parent).values():
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            function = inspect.unwrap(function) if callable(function) else function
            if inspect.isfunction(function):
                yield function.__code__
