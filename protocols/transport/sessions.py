"""The sessions of a server, over any transport: their maximum number, and shutdown."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol as Kind

from playout.games.errors import PlayoutError
from playout.protocols.base.lines import LineStream
from playout.protocols.base.protocol import Protocol
from playout.protocols.serve import Inbox, serve

logger = logging.getLogger(__name__)


class Closable(Kind):
    """A session, or an engine elsewhere."""

    def close(self) -> None:
        """Ends it and frees all that it holds. Blocks."""


Opener = Callable[[Inbox], tuple[Closable, Protocol]]
"""Makes a session that posts its reports to an inbox, and the protocol that drives it."""


@dataclass(frozen=True, slots=True)
class Service:
    """A protocol with its game and options, from which sessions are opened."""

    name: str
    """The protocol's."""
    open: Opener


class Sessions:
    """Counts and runs sessions. Any thread."""

    def __init__(self, most: int, most_per_address: int, idle: float | None = None) -> None:
        """``idle`` is the maximum time in seconds that a session may go without a line or a report."""
        self.idle = idle
        self._most = most
        self._most_per_address = most_per_address
        self._places: Counter[str] = Counter()
        self._inboxes: set[Inbox] = set()
        self._draining = False
        self._changed = threading.Condition()

    def check(self, address: str) -> None:
        """Raises PlayoutError, with the reason, if there is no place for a client at ``address`` now."""
        with self._changed:
            if self._draining:
                raise PlayoutError("the server is shutting down")
            if self._places.total() >= self._most:
                raise PlayoutError(f"the server is full: {self._most} sessions")
            if self._places[address] >= self._most_per_address:
                raise PlayoutError(f"too many sessions from one address: {self._most_per_address}")

    def enter(self, address: str) -> None:
        """Reserves a place for a client at ``address``; ``leave`` releases it.

        Raises:
            PlayoutError: with the reason, if there is no place.
        """
        with self._changed:
            self.check(address)
            self._places[address] += 1

    def leave(self, address: str) -> None:
        """Releases a place."""
        with self._changed:
            self._places[address] -= 1
            self._places += Counter()  # drops addresses with a count of 0
            self._changed.notify_all()

    def run(self, service: Service, stream: LineStream) -> None:
        """Runs one session on ``stream`` to its end. Blocks.

        Raises:
            PlayoutError: if the session cannot be opened.
        """
        inbox = Inbox()
        session, protocol = service.open(inbox)
        try:
            with self._changed:
                self._inboxes.add(inbox)
                if self._draining:
                    inbox.end(at_once=True)
            serve(protocol, stream, inbox, self.idle)
        finally:
            with self._changed:
                self._inboxes.discard(inbox)
            session.close()

    def drain(self) -> None:
        """Ends all sessions; running searches report their move first. Must not block."""
        with self._changed:
            self._draining = True
            for inbox in self._inboxes:
                inbox.end(at_once=True)

    def wait(self, timeout: float) -> bool:
        """Waits until no place is taken, at most ``timeout`` seconds; returns whether that came true. Blocks."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while self._places.total() and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            return not self._places.total()
