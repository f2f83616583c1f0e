"""TCP: a session's lines over a connection."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress

from playout.protocols.base.lines import MAX_LINE, Line, LineSplitter
from playout.protocols.transport.connection import Connection
from playout.protocols.transport.outbox import Outbox

END = "\x04"
"""What a terminal sends for the end of its input. TLS has no other way of saying so that leaves the way back open."""
FAREWELL = 1.0
"""Seconds that the other side has to end its direction after the session has ended."""

logger = logging.getLogger(__name__)


class TcpStream:
    """See ``LineStream``. A thread of its own sends, so a slow reader holds nobody up.

    A connection that ends counts as lost: one whose owner has died looks no different. Where the other side
    ``finishes``, the line ``END`` says that it has no more.
    """

    def __init__(self, connection: Connection, limit: int = MAX_LINE) -> None:
        self.finishes = False
        self._connection = connection
        self._splitter = LineSplitter(limit)
        self._arrived: deque[Line] = deque()
        self._outbox = Outbox()
        self._nobody_reads = threading.Event()
        self._nobody_reads.set()
        self._sender = threading.Thread(target=self._send, name="sender", daemon=True)
        self._sender.start()

    def next_line(self, timeout: float | None) -> Line | None:
        """The next line, before ``read`` is called; None after ``timeout`` seconds (None: never) or at the end. Blocks.

        Raises:
            OSError: if the connection is lost.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._arrived:
            data = self._connection.receive(None if deadline is None else max(0.0, deadline - time.monotonic()))
            if not data:
                return None
            self._arrived += self._splitter.feed(data, time.monotonic())
        return self._arrived.popleft()

    def put_back(self, line: Line) -> None:
        """``read`` will begin with ``line``."""
        self._arrived.appendleft(line)

    def read(self) -> Iterator[Line]:
        self._nobody_reads.clear()
        try:
            for line in self._lines():
                if self.finishes and line.text == END:
                    return
                yield line
            raise ConnectionAbortedError("the connection was closed")
        finally:
            self._nobody_reads.set()

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        self._outbox.put("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"), droppable)

    def close(self) -> None:
        """Sends what waits, then ends the connection."""
        self._outbox.close()

    def interrupt(self) -> None:
        """Breaks the connection off; who waits for a line learns that there is none. Any thread. Must not block."""
        self._connection.interrupt()

    def join(self, timeout: float | None = None) -> None:
        """Blocks until all that was written has been sent and the connection has ended, or ``timeout`` seconds."""
        self._sender.join(timeout)

    def _lines(self) -> Iterator[Line]:
        while self._arrived:
            yield self._arrived.popleft()
        try:
            while data := self._connection.receive():
                yield from self._splitter.feed(data, time.monotonic())
        except OSError as error:
            self._outbox.fail(error)
            raise

    def _send(self) -> None:
        try:
            while data := self._outbox.take():
                self._connection.send(data)
        except OSError as error:
            self._outbox.fail(error)
            logger.info("cannot send on: %s", error)
            self._connection.interrupt()
        self._connection.finish()
        self._drain()
        self._connection.interrupt()
        self._nobody_reads.wait()
        if self._outbox.dropped:
            logger.info("%d reports were dropped: the other side reads slowly", self._outbox.dropped)
        self._connection.close()

    def _drain(self) -> None:
        """Reads what still comes. Closing with unread input would reset the connection, and the last lines might be
        lost on the way."""
        deadline = time.monotonic() + FAREWELL
        if not self._nobody_reads.wait(FAREWELL):
            return
        with suppress(OSError):
            while self._connection.receive(max(0.0, deadline - time.monotonic())):
                pass
