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
"""Size in bytes of the system's buffer each way. Its default would keep megabytes of stale reports for a
slow reader.
"""
STALL = 60.0
"""Seconds for which a peer may accept no data."""
KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": round(1000 * STALL)}
"""Seconds until the first keepalive probe, seconds between probes, and their number: detects a lost peer within a
minute. While data waits for its confirmation no probe is sent; the last one, in milliseconds, is the limit then.
"""
SHORT = 0.05
_RESET, _NO_RESET = struct.pack("ii", 1, 0), struct.pack("ii", 0, 0)


class Connection:
    """A connection with reading and writing on two threads. TLS allows only one call at a time, so the socket never
    blocks and a lock protects each call.

    Without ``finish``, the end of this process resets the connection. The other side can thus tell a lost process from
    one that has sent everything.
    """

    def __init__(self, sock: socket.socket) -> None:
        """Takes over ``sock``, which is connected and has completed the TLS handshake, if any."""
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
        """Returns the data that has arrived, empty at the end of the stream; None after ``timeout`` seconds without
        any. Blocks.

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
            OSError: if the connection is lost, or the peer has accepted no data for ``STALL`` seconds.
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
            # The reading thread may consume TLS's own messages without a signal to this one, so poll.
            soon = time.monotonic() + SHORT if wanted == select.POLLIN else deadline
            if not self._wait(wanted, soon) and time.monotonic() >= deadline:
                raise TimeoutError(f"the peer accepted no data for {STALL:g} s")

    def finish(self) -> None:
        """Ends the outgoing direction; under TLS reading ends too. Any thread. Must not block."""
        with suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_RESET)
            # The shutdown method of a TLS socket would continue in plain text.
            socket.socket.shutdown(self._socket, socket.SHUT_WR)

    def interrupt(self) -> None:
        """Ends both directions; a receiver sees the end of the stream. Any thread. Must not block."""
        with suppress(OSError):
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes the socket. No thread may be receiving or sending."""
        self._socket.close()

    def _wait(self, wanted: int, deadline: float | None) -> bool:
        """Waits for ``wanted`` or an error; returns whether it came before ``deadline``."""
        poll = select.poll()
        poll.register(self._socket, wanted)
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        return bool(poll.poll(None if left is None else left * 1000))


def _wanted(error: OSError, otherwise: int) -> int:
    """Returns the event to wait for before the call that raised ``error`` is repeated.

    Raises:
        OSError: ``error`` itself, if waiting does not help.
    """
    if isinstance(error, BlockingIOError):
        return otherwise
    if type(error).__name__ == "SSLWantReadError":  # by name, so that a plain connection need not import ssl
        return select.POLLIN
    if type(error).__name__ == "SSLWantWriteError":
        return select.POLLOUT
    raise error


def connect(host: str, port: int, timeout: float, tls: ssl.SSLContext | None = None) -> Connection:
    """Connects to a server. Blocks.

    Raises:
        OSError: if there is no server, or its certificate is not valid for it.
    """
    sock = socket.create_connection((host, port), timeout)
    try:
        return Connection(sock if tls is None else tls.wrap_socket(sock, server_hostname=host))
    except BaseException:
        sock.close()
        raise
