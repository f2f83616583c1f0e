"""The wrong engine inside the process of the test, where its pipes are lists: what it says is the same, at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NoReturn

from playout.arena.drivers.fault import Fault
from playout.arena.terms.end import End

from .wrong_engine import engine_of


class Ended(BaseException):
    """The engine has ended, and runs no further."""


class Inside:
    """Stands in for ``EngineProcess``, and is the world of its engine.

    A line that is not there has not come in time: nothing is waited for.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """The last three words of the command are those that the program is called with."""
        protocol, _, rules = command[-3:]
        self._engine = engine_of(protocol, rules, self)
        self._lines: deque[str] = deque()
        self._rest = ""
        self._end: tuple[End, str] | None = None

    def write(self, line: str) -> None:
        self._lines.extend(line.split("\n"))

    def leave(self, status: int) -> NoReturn:
        self._end = (End.CRASH, f"it ended with status {status}") if status else (End.EXIT, "it ended by itself")
        raise Ended

    def crash(self) -> NoReturn:
        self._end = (End.CRASH, "it was ended by SIGSEGV")
        raise Ended

    def send(self, text: str, deadline: float) -> None:
        self._check()
        *lines, self._rest = (self._rest + text).split("\n")
        try:
            for line in lines:
                self._engine.hear(line)
        except Ended:
            return  # a pipe takes what nobody will read

    def line(self, deadline: float) -> str | None:
        if not self._lines:
            self._check()
            return None
        return self._lines.popleft().rstrip("\r")

    def end_input(self) -> None:
        try:
            self._engine.hear("<eof>")
        except Ended:
            return

    def close(self, farewell: str = "") -> None:
        """Nothing is left of it."""

    def _check(self) -> None:
        if self._end is not None:
            raise Fault(*self._end)
