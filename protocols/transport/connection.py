"""A connected TCP socket, plain or TLS, that one thread reads while another writes."""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

CHUNK = 2**16
BUFFER = 2**17
"""Bytes that the system keeps each way; by itself it would keep megabytes of stale reports for a slow reader."""
KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""Seconds, seconds, times: a peer that vanished without a word is noticed within a minute."""
STALL = 60.0
"""Seconds for which a peer may take nothing at all."""
SHORT = 0.05
_RESET, _NO_RESET = struct.pack("ii", 1, 0), struct.pack("ii", 0, 0)


class Connection:
    """Reading and writing may be on two threads. TLS allows no two calls at once, so the socket never blocks and a lock
    stands around each call.

    Until ``finish``, the end of this process resets the connection: so the other side can tell a side that was lost
    from one that has said all it had to say.
    """

    def __init__(self, sock: socket.socket) -> None:
        """``sock`` is connected and, under TLS, has shaken hands."""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        for name, value in KEEPALIVE.items():
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._socket = sock
        self._lock = threading.Lock()

    def receive(self, timeout: float | None = None) -> bytes | None:
        """What has come, empty at the end of the stream; None after ``timeout`` seconds without any. Blocks.

        Raises:
            OSError: if the connection is lost.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            wanted = select.POLLIN
            try:
                with self._lock:
                    return self._socket.recv(CHUNK)
            except OSError as error:
                wanted = _wanted(error, wanted)
            if not self._wait(wanted, deadline):
                return None

    def send(self, data: bytes) -> None:
        """Sends all of ``data``. Blocks.

        Raises:
            OSError: if the connection is lost, or the peer has taken nothing for ``STALL`` seconds.
        """
        rest = memoryview(data)
        deadline = time.monotonic() + STALL
        while rest:
            wanted = select.POLLOUT
            try:
                with self._lock:
                    rest = rest[self._socket.send(rest) :]
                deadline = time.monotonic() + STALL
                continue
            except OSError as error:
                wanted = _wanted(error, wanted)
            # Of TLS's own messages, which the reading thread may take, nobody is told: look again soon.
            soon = time.monotonic() + SHORT if wanted == select.POLLIN else deadline
            if not self._wait(wanted, soon) and time.monotonic() >= deadline:
                raise TimeoutError(f"nothing was taken for {STALL:g} s")

    def finish(self) -> None:
        """Ends what is sent: nothing more will be read under TLS, either. Any thread. Must not block."""
        with suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_RESET)
            # The method of a TLS socket would go on in plain text.
            socket.socket.shutdown(self._socket, socket.SHUT_WR)

    def interrupt(self) -> None:
        """Ends both directions; who receives sees the end. Any thread. Must not block."""
        with suppress(OSError):
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        """Frees the socket. Nobody may be receiving or sending."""
        self._socket.close()

    def _wait(self, wanted: int, deadline: float | None) -> bool:
        """Whether ``wanted`` has come to pass, or an error, before ``deadline``."""
        poll = select.poll()
        poll.register(self._socket, wanted)
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        return bool(poll.poll(None if left is None else left * 1000))


def _wanted(error: OSError, otherwise: int) -> int:
    """What to wait for before the call that raised ``error`` is made again.

    Raises:
        OSError: ``error`` itself, if waiting does not help.
    """
    if isinstance(error, BlockingIOError):
        return otherwise
    if type(error).__name__ == "SSLWantReadError":  # by name: a plain connection need not import TLS
        return select.POLLIN
    if type(error).__name__ == "SSLWantWriteError":
        return select.POLLOUT
    raise error


def connect(host: str, port: int, timeout: float, tls: ssl.SSLContext | None = None) -> Connection:
    """Connects to a server. Blocks.

    Raises:
        OSError: if there is none, or it is not who it should be.
    """
    sock = socket.create_connection((host, port), timeout)
    try:
        return Connection(sock if tls is None else tls.wrap_socket(sock, server_hostname=host))
    except BaseException:
        sock.close()
        raise
