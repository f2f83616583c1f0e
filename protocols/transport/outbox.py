"""Bounded queue of output for a slow reader. Only reports of a search are ever dropped."""

from __future__ import annotations

import threading
from collections import deque

MOST_REPORTS = 2**16
"""Maximum bytes of droppable lines; beyond it, all but the latest are dropped."""
MOST_REPLIES = 2**20
"""Maximum bytes of other lines; a writer waits while there are more."""


class Outbox:
    """A queue of bytes between a session's loop and the sending thread."""

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
        """Number of writes that were dropped."""

    def put(self, data: bytes, droppable: bool = False) -> None:
        """Queues data; ``droppable`` data may be lost. Blocks while too much other data waits.

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
        """Returns all queued data; empty once the queue is closed and drained, or the other side is gone. Blocks.
        Sender only.
        """
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
        """Declares that no more data will be put; queued data is still sent. Any thread. Must not block."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def fail(self, error: OSError) -> None:
        """Declares that the other side is gone; ``put`` then raises. Any thread. Must not block."""
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()

    def _drop_reports(self) -> None:
        kept = [(data, droppable) for data, droppable in self._waiting if not droppable]
        self.dropped += len(self._waiting) - len(kept)
        self._waiting = deque(kept)
        self._reports = 0
