"""An engine of a few lines in place of a process, for tests of what a driver writes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from types import ModuleType

import pytest

from playout.arena.drivers.fault import Fault
from playout.arena.terms.end import End

Replies = Callable[[str], Sequence[str]]
"""The lines that answer a line."""


class Scripted:
    """Stands in for ``EngineProcess``. Waits for nothing: a line that is not there has not come in time."""

    def __init__(self, replies: Replies) -> None:
        self.sent: list[str] = []
        self.pending: deque[str] = deque()
        self.closed = self.ended = False
        self._replies = replies

    def send(self, text: str, deadline: float) -> None:
        self._check()
        for line in text.splitlines():
            self.sent.append(line)
            self.pending.extend(self._replies(line))

    def line(self, deadline: float) -> str | None:
        return self.pending.popleft() if self.pending else None

    def waiting(self) -> list[str]:
        self._check()
        lines = list(self.pending)
        self.pending.clear()
        return lines

    def close(self, farewell: str = "") -> None:
        self.closed = True

    def _check(self) -> None:
        if self.closed or self.ended:
            raise Fault(End.EXIT, "it ended by itself")

    def take(self) -> list[str]:
        """The lines that were sent since the last call."""
        lines, self.sent = self.sent, []
        return lines


def script(monkeypatch: pytest.MonkeyPatch, module: ModuleType, replies: Replies) -> list[Scripted]:
    """Lets a driver of ``module`` start scripted engines; returns the list to which each one is added."""
    started: list[Scripted] = []

    def start(*_: object) -> Scripted:
        started.append(Scripted(replies))
        return started[-1]

    monkeypatch.setattr(module, "process_of", start)
    return started
