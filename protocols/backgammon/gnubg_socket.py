"""TCP for GNU Backgammon's external player: a stream over a socket, and a server with a thread for each connection."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from playout.games.errors import PlayoutError
from playout.protocols.base.lines import InputLine, LineSplitter

CHUNK = 2**16
MOST_CONNECTIONS = 8
"""Greatest number of connections at a time; further ones are closed at once. One GNU Backgammon opens two if both its
players are external."""

logger = logging.getLogger(__name__)


class SocketStream:
    """A stream of lines over a connected socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self) -> Iterator[InputLine]:
        splitter = LineSplitter()
        while True:
            data = self._connection.recv(CHUNK)
            now = time.monotonic()
            if not data:
                yield from splitter.end(now)
                return
            yield from splitter.feed(data, now)

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        self._connection.sendall("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))

    def close(self) -> None:
        # Shut down first: the reader thread may still wait in recv.
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def address(text: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT`` or ``PORT``. The host is this machine.

    Raises:
        PlayoutError: if ``text`` has neither form, or names another machine.
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and len(port) < 6 and int(port) < 2**16):
        raise PlayoutError(f"not an address: {text!r} (as in 127.0.0.1:1234)")
    if host not in ("", "localhost", "127.0.0.1"):
        raise PlayoutError(f"{host!r} is not this machine: the protocol has no authentication; use a tunnel")
    return "127.0.0.1", int(port)


def listen(place: tuple[str, int]) -> socket.socket:
    """A socket that listens at ``place``. Port 0 stands for any free port.

    Raises:
        PlayoutError: if the socket cannot be bound.
    """
    try:
        return socket.create_server(place, backlog=1)
    except OSError as error:
        raise PlayoutError(f"cannot listen at {place[0]}:{place[1]}: {error.strerror or error}") from error


def serve_connections(server: socket.socket, serve_one: Callable[[SocketStream], None]) -> None:
    """Serves each connection on a thread of its own until ``server`` is closed. Blocks."""
    free = threading.Semaphore(MOST_CONNECTIONS)

    def run(stream: SocketStream) -> None:
        try:
            serve_one(stream)
        except Exception:
            logger.exception("a session failed")
        finally:
            stream.close()
            free.release()

    while True:
        try:
            connection, peer = server.accept()
        except OSError:
            return
        stream = SocketStream(connection)
        if not free.acquire(blocking=False):
            logger.error("too many connections: %s is refused", peer)
            stream.close()
            continue
        logger.info("connection from %s", peer)
        threading.Thread(target=run, args=(stream,), name=f"connection {peer[1]}", daemon=True).start()
