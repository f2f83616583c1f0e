"""Log entries about refused connections: a flood of connections must not become a flood of entries."""

from __future__ import annotations

import logging
import threading
import time

EVERY = 10.0
"""Seconds between two entries."""

logger = logging.getLogger(__name__)


class Refusals:
    """Logs the first refusal at once, and later ones at most every ``EVERY`` seconds, with their number. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = float("-inf")
        self._unsaid = 0

    def note(self, text: str) -> None:
        """Logs ``text``, or counts it."""
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                self._unsaid += 1
                return
            self._next = now + EVERY
            unsaid, self._unsaid = self._unsaid, 0
        logger.warning("%s%s", text, f" ({unsaid} more before)" if unsaid else "")
