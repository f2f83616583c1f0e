"""A session's lines over a TCP connection."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress

from playout.protocols.base.lines import MAX_LINE, InputLine, LineSplitter
from playout.protocols.base.threads import start_thread
from playout.protocols.transport.connection import Connection
from playout.protocols.transport.outbox import Outbox

END = "\x04"
"""Line with which a client ends its input, as Ctrl-D does in a terminal. TLS cannot close one direction only."""
FAREWELL = 1.0
"""Seconds for the other side to end its direction after the session has ended."""

logger = logging.getLogger(__name__)


class TcpStream:
    """A ``LineStream`` over a connection. Its own thread sends, so a slow reader delays nothing else.

    The end of the input counts as a lost connection, because it cannot be told from the death of the client. If the
    other side ``finishes``, it says by the line ``END`` that it has no more.
    """

    def __init__(self, connection: Connection, limit: int = MAX_LINE) -> None:
        self.finishes = False
        self._connection = connection
        self._splitter = LineSplitter(limit)
        self._arrived: deque[InputLine] = deque()
        self._outbox = Outbox()
        self._nobody_reads = threading.Event()
        self._nobody_reads.set()
        self._sender = start_thread(self._send, name="sender")

    def next_line(self, timeout: float | None) -> InputLine | None:
        """Returns the next line, before ``read`` is called; None after ``timeout`` seconds (None: no limit) or at the
        end. Blocks.

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

    def put_back(self, line: InputLine) -> None:
        """Makes ``read`` begin with ``line``."""
        self._arrived.appendleft(line)

    def read(self) -> Iterator[InputLine]:
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
        """Sends the queued output, then ends the connection."""
        self._outbox.close()

    def interrupt(self) -> None:
        """Breaks the connection off; a waiting reader sees its end. Any thread. Must not block."""
        self._connection.interrupt()

    def join(self, timeout: float | None = None) -> None:
        """Blocks until all output has been sent and the connection has ended, or ``timeout`` seconds have passed."""
        self._sender.join(timeout)

    def _lines(self) -> Iterator[InputLine]:
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
        """Reads remaining input. Closing a connection with unread input would reset it, and the last lines sent could
        be lost.
        """
        deadline = time.monotonic() + FAREWELL
        if not self._nobody_reads.wait(FAREWELL):
            return
        with suppress(OSError):
            while self._connection.receive(max(0.0, deadline - time.monotonic())):
                pass
