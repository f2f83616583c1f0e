"""The contract of a protocol: text in, text out.

A protocol drives one ``Session``. It reads nothing, writes nothing and starts no thread: ``serve`` hands it lines and
reports, one at a time and on one thread, and writes what it returns. Hence no method of a protocol needs a lock.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence

from playout.engine.terms.info import SearchInfo, SearchResult

Event = SearchInfo | SearchResult
"""What a session posts from its search thread; the loop hands it to the protocol on its own thread."""


class Passing(tuple[str, ...]):
    """Lines that may be lost where the other side reads slowly, like the replies to a ``SearchInfo``."""

    __slots__ = ()


Call = Callable[[Callable[[], Sequence[str]]], None]
"""Has the loop call a function on its own thread and write the lines that it returns: so come the results of what a
protocol has begun beside its session. Any thread. Must not block."""


class Protocol(typing.Protocol):
    """All methods: the loop's thread only, must not block. Replies are lines without a newline, in order.

    Bad input is answered by one line in the protocol's own error form and changes nothing. No method raises: a defect
    is answered by one such line too, and its traceback goes to the log.
    """

    @property
    def closed(self) -> bool:
        """Whether the other side has ended the session: no more lines are handed in."""

    @property
    def busy(self) -> bool:
        """Whether a search is under way, whose result is still owed to the other side."""

    def commands(self) -> Mapping[str, Callable[..., typing.Any]]:
        """The handlers by command. A handler's docstring, in the form of documentation.py, is what users are told."""

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        """The replies to a line that arrived at ``received`` (``time.monotonic()``)."""

    def handle_refusal(self, reason: str) -> Sequence[str]:
        """The replies to input that the transport refused, such as a line over its limit."""

    def handle_event(self, event: Event) -> Sequence[str]:
        """What a report of the search means to the other side.

        The replies to a ``SearchInfo`` are lost where the other side reads slowly: nothing that it has to know, and no
        part of something that goes on later, may stand in them. Those to a ``SearchResult`` never are.
        """

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        """The replies to the end of the input, which ends the session too.

        A protocol whose commands wait for each other finishes them first, unless it is to end ``at_once``. The loop
        says so too when the other side is gone, and nothing that is returned can be written.
        """
