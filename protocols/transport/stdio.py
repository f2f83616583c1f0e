"""Standard input and output of any kind: pipe, file, terminal or /dev/null.

File descriptors are read and written directly. With ``sys.stdin``, a reader thread that waits for input holds a lock
that makes the interpreter abort at exit.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from types import FrameType

from playout.protocols.base.lines import InputLine, LineSplitter
from playout.protocols.base.protocol import Protocol
from playout.protocols.serve import Inbox, serve

CHUNK = 2**16


class FileStream:
    """Lines over two file descriptors. If ``source`` is None, the input has ended."""

    def __init__(self, source: int | None, sink: int) -> None:
        self._source = source
        self._sink = sink

    @classmethod
    def standard(cls) -> FileStream:
        """Takes over standard input and output. Anything else that is printed goes to standard error from now on."""
        sys.stdout.flush()
        sink = os.dup(sys.stdout.fileno())
        if sys.stderr is not None:
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        return cls(None if sys.stdin is None else sys.stdin.fileno(), sink)

    def read(self) -> Iterator[InputLine]:
        splitter = LineSplitter()
        while self._source is not None:
            try:
                data = os.read(self._source, CHUNK)
            except BlockingIOError:
                select.select([self._source], [], [])
                continue
            now = time.monotonic()
            if not data:
                yield from splitter.end(now)
                return
            yield from splitter.feed(data, now)

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        rest = memoryview("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        while rest:
            try:
                rest = rest[os.write(self._sink, rest) :]
            except BlockingIOError:
                select.select([], [self._sink], [])

    def close(self) -> None:
        """Does nothing, because the process ends with the session."""


def serve_stdio(protocol: Protocol, inbox: Inbox) -> None:
    """Serves ``protocol`` on standard input and output. Blocks. Main thread only.

    The first interrupt (Ctrl-C) or SIGTERM ends the session, a second one the process.
    """

    def interrupt(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        inbox.end(at_once=True)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    serve(protocol, FileStream.standard(), inbox)
