"""The exception for an engine that breaks the protocol or the rules of the tournament."""

from __future__ import annotations

from playout.arena.terms.end import End
from playout.games.errors import PlayoutError


class Fault(PlayoutError):
    """Raised if an engine fails; ``end`` says how, and the message in one line what was seen.

    ``began`` is the time (``time.monotonic``) of the order that was answered late or never.
    """

    def __init__(self, end: End, message: str, began: float | None = None) -> None:
        super().__init__(message)
        self.end = end
        self.began = began
