"""Places for connections that have no session yet, by address: nobody who stays silent keeps others out."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict

MOST = 512
"""Maximum number of strangers. Each has a thread, which waits."""
MOST_PER_ADDRESS = 128
KEPT = 64
"""Places in addition for addresses that have had a session before."""
REMEMBERED = 4096
"""Maximum number of such addresses."""


class Strangers:
    """Counts connections from their acceptance to their session. Any thread. Must not block."""

    def __init__(self, most: int = MOST, most_per_address: int = MOST_PER_ADDRESS, kept: int = KEPT) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._kept = kept
        self._lock = threading.Lock()
        self._waiting: Counter[str] = Counter()
        self._known: OrderedDict[str, None] = OrderedDict()

    def enter(self, address: str) -> bool:
        """Takes a place for a connection from ``address``; returns whether there was one. ``leave`` frees it."""
        with self._lock:
            most = self._most + (self._kept if address in self._known else 0)
            if self._waiting[address] >= self._most_per_address or self._waiting.total() >= most:
                self._waiting += Counter()  # drops addresses with a count of 0
                return False
            self._waiting[address] += 1
            return True

    def leave(self, address: str, *, got_in: bool) -> None:
        """Frees a place. ``got_in`` says whether the connection has a session now."""
        with self._lock:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]
            if got_in:
                self._known[address] = None
                self._known.move_to_end(address)
                if len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
