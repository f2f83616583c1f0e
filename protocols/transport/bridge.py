"""Copies bytes between standard input and output and a connection, so that any interface can use a remote engine."""

from __future__ import annotations

import os
import select
import threading
from contextlib import suppress

from playout.protocols.transport.connection import CHUNK, Connection
from playout.protocols.transport.tcp import END


def bridge(connection: Connection, source: int, sink: int, first: bytes = b"") -> None:
    """Copies the file descriptor ``source`` to the server, and the server's output to ``sink`` after ``first``, until
    the server ends the session. Blocks.

    The end of ``source`` is passed on too. If ``sink`` has no reader any more by then, the program that ran the bridge
    has died, and the session is broken off.

    Raises:
        OSError: if the connection is lost, or ``sink`` cannot be written.
    """
    threading.Thread(target=_pass_on, args=(connection, source, sink), daemon=True).start()
    _write(sink, first)
    while data := connection.receive():
        _write(sink, data)
    connection.finish()


def _pass_on(connection: Connection, source: int, sink: int) -> None:
    unfinished = b""
    with suppress(OSError):  # the receiving thread reports the error
        while data := _read(source):
            connection.send(data)
            unfinished = b"" if data.endswith(b"\n") else b"\n"
        if abandoned(sink):
            connection.interrupt()
        else:
            connection.send(unfinished + END.encode() + b"\n")


def _read(source: int) -> bytes:
    while True:
        try:
            return os.read(source, CHUNK)
        except BlockingIOError:
            select.select([source], [], [])


def abandoned(sink: int) -> bool:
    """Whether ``sink`` is a pipe without a reader."""
    poll = select.poll()
    poll.register(sink, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _write(sink: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(sink, rest) :]
        except BlockingIOError:
            select.select([], [sink], [])
