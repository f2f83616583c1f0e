"""What waits to be sent to a slow reader: bounded, and only reports of a search are ever given up."""

from __future__ import annotations

import threading
from collections import deque

MOST_REPORTS = 2**16
"""Bytes of droppable lines that wait; where there are more, all that wait go and the latest stays."""
MOST_REPLIES = 2**20
"""Bytes of other lines that wait; who writes more waits too."""


class Outbox:
    """A queue of bytes between the loop of a session and the thread that sends."""

    def __init__(self, most_reports: int = MOST_REPORTS, most_replies: int = MOST_REPLIES) -> None:
        self._most_reports = most_reports
        self._most_replies = most_replies
        self._changed = threading.Condition()
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._reports = 0
        self._replies = 0
        self._closed = False
        self._error: OSError | None = None
        self.dropped = 0
        """Writes that were given up."""

    def put(self, data: bytes, droppable: bool = False) -> None:
        """Takes what is to be sent; ``droppable`` if it may be lost. Blocks while too much else waits.

        Raises:
            OSError: if the other side is gone.
        """
        with self._changed:
            while self._error is None and not droppable and self._replies > self._most_replies:
                self._changed.wait()
            if self._error is not None:
                raise self._error
            if droppable and self._reports + len(data) > self._most_reports:
                self._drop_reports()
            self._waiting.append((data, droppable))
            if droppable:
                self._reports += len(data)
            else:
                self._replies += len(data)
            self._changed.notify_all()

    def take(self) -> bytes:
        """All that waits; empty once closed and nothing waits, or the other side is gone. Blocks. Sender only."""
        with self._changed:
            while not self._waiting and not self._closed and self._error is None:
                self._changed.wait()
            if self._error is not None:
                return b""
            data = b"".join(part for part, _ in self._waiting)
            self._waiting.clear()
            self._reports = self._replies = 0
            self._changed.notify_all()
            return data

    def close(self) -> None:
        """Nothing more will be put; what waits is still sent. Any thread. Must not block."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def fail(self, error: OSError) -> None:
        """The other side is gone: whoever puts learns it. Any thread. Must not block."""
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()

    def _drop_reports(self) -> None:
        kept = [(data, droppable) for data, droppable in self._waiting if not droppable]
        self.dropped += len(self._waiting) - len(kept)
        self._waiting = deque(kept)
        self._reports = 0
