"""Connections that have no session yet: one that stays silent keeps nobody out."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playout.protocols.transport.sessions import Service

MOST = 512
"""Maximum number of strangers. One that has said something has threads, which wait for its first line."""


class Stranger:
    """A connection from its acceptance to its session. Any thread. Must not block."""

    def __init__(self, sock: socket.socket, address: str, service: Service, deadline: float) -> None:
        """``sock`` does not block; ``address`` is the client's, without the port."""
        self.socket = sock
        self.address = address
        self.service = service
        self.deadline = deadline
        """Time until which it has to send its first line; under TLS or with a token, its first byte."""
        self._lock = threading.Lock()
        self._settled = False

    def becomes(self, sock: socket.socket) -> None:
        """Replaces the socket by the one of TLS."""
        with self._lock:
            self.socket = sock

    def settle(self) -> None:
        """Declares that the connection has a session, or is about to be closed: ``dismiss`` has no effect then."""
        with self._lock:
            self._settled = True

    def dismiss(self, farewell: bytes = b"") -> None:
        """Ends the connection after sending ``farewell``; whoever reads it sees its end."""
        with self._lock:
            if self._settled:
                return
            with suppress(OSError):
                if farewell:
                    self.socket.send(farewell)
                # The shutdown method of a TLS socket would continue in plain text.
                socket.socket.shutdown(self.socket, socket.SHUT_RDWR)


class Strangers:
    """All strangers, by address. Any thread. Must not block."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: dict[str, dict[Stranger, None]] = {}
        self._count = 0

    def enter(self, stranger: Stranger) -> Stranger | None:
        """Adds a stranger; returns the one that has to go for it, which is removed, or None if there is room."""
        with self._lock:
            self._waiting.setdefault(stranger.address, {})[stranger] = None
            self._count += 1
            return self._displace() if self._count > self._most else None

    def leave(self, stranger: Stranger) -> None:
        """Removes a stranger, if it is still there."""
        with self._lock:
            if stranger in self._waiting.get(stranger.address, ()):
                self._remove(stranger)

    def displace(self) -> Stranger | None:
        """Removes and returns the oldest stranger of the address that has the most of them; None if there is none."""
        with self._lock:
            return self._displace()

    def _displace(self) -> Stranger | None:
        if not self._waiting:
            return None
        most = max(self._waiting.values(), key=len)  # of equal ones the first
        stranger = next(iter(most))
        self._remove(stranger)
        if others := self._waiting.pop(stranger.address, None):
            self._waiting[stranger.address] = others  # it is another's turn
        return stranger

    def _remove(self, stranger: Stranger) -> None:
        self._count -= 1
        others = self._waiting[stranger.address]
        del others[stranger]
        if not others:
            del self._waiting[stranger.address]
