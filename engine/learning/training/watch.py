"""The protocol of those who look on while stages work."""

from __future__ import annotations

from typing import Protocol


class Watch(Protocol):
    """Told of progress; may raise to end the work."""

    def begin(self, stage: str, total: int) -> None:
        """A stage begins, of ``total`` games, steps or pairs."""

    def advance(self, done: int, said: str = "") -> None:
        """So much of it is done; ``said`` is a word on how it goes."""

    def note(self, line: str) -> None:
        """Something is to be said."""


class Silent:
    """Looks at nothing."""

    def begin(self, stage: str, total: int) -> None:
        pass

    def advance(self, done: int, said: str = "") -> None:
        pass

    def note(self, line: str) -> None:
        pass
