"""Standard input and output of any kind: pipe, file, terminal or /dev/null.

File descriptors are read and written directly. With ``sys.stdin``, a reader thread that waits for input holds a lock
that makes the interpreter abort at exit.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import NoReturn

from playout.protocols.base.lines import InputLine, LineSplitter
from playout.protocols.base.protocol import Protocol
from playout.protocols.serve import Inbox, serve

CHUNK = 2**16
ENDS = (signal.SIGINT, signal.SIGTERM)
"""Signals that end a session."""


class FileStream:
    """Lines over two file descriptors. If ``source`` is None, the input has ended."""

    def __init__(self, source: int | None, sink: int, begun: bytes = b"") -> None:
        """``begun`` is what has been read of the source already."""
        self._source = source
        self._sink = sink
        self._begun = begun

    @classmethod
    def standard(cls, begun: bytes = b"") -> FileStream:
        """Takes over standard input and output. Anything else that is printed goes to standard error from now on."""
        sys.stdout.flush()
        sink = os.dup(sys.stdout.fileno())
        if sys.stderr is not None:
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        return cls(None if sys.stdin is None else sys.stdin.fileno(), sink, begun)

    def read(self) -> Iterator[InputLine]:
        splitter = LineSplitter()
        yield from splitter.feed(self._begun, time.monotonic())
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


def first_line() -> tuple[str, bytes]:
    """Returns the first line of standard input that is not blank, empty at its end, and all that was read for it.
    Blocks."""
    read = b""
    while b"\n" not in read.lstrip() and len(read) < CHUNK and (data := os.read(sys.stdin.fileno(), CHUNK)):
        read += data
    return read.lstrip().partition(b"\n")[0].decode("utf-8", "replace"), read


def serve_stdio(protocol: Protocol, inbox: Inbox, begun: bytes = b"") -> None:
    """Serves ``protocol`` on standard input and output. Blocks. Main thread only, and before other threads start.
    ``begun`` is what has been read of standard input already.

    The first interrupt (Ctrl-C) or SIGTERM ends the session, a second one the process.
    """
    # A handler would run in the main thread once that thread does something, and a signal that comes just before it
    # waits for a message does not wake it. So a thread of its own waits for the signals, and all others block them.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    threading.Thread(target=_await_ends, args=(inbox,), name="signals", daemon=True).start()
    serve(protocol, FileStream.standard(begun), inbox)


def _await_ends(inbox: Inbox) -> NoReturn:
    signal.sigwait(ENDS)
    inbox.end(at_once=True)
    os._exit(128 + signal.sigwait(ENDS))
