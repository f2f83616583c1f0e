"""The contract of a protocol: text in, text out.

A protocol drives one ``Session``. It does no input or output and starts no thread. ``serve`` calls it with lines and
reports, one at a time and on one thread, and writes the lines that it returns. So no method of a protocol needs a lock.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence

from playout.engine.terms.info import SearchInfo, SearchResult

Event = SearchInfo | SearchResult
"""A report or a result. The session posts it from its search thread, and the loop passes it to the protocol on the
loop's thread."""


class Passing(tuple[str, ...]):
    """Lines that may be lost while the other side reads slowly, like the replies to a ``SearchInfo``."""

    __slots__ = ()


Call = Callable[[Callable[[], Sequence[str]]], None]
"""Function that makes the loop call another function on the loop's thread and write the lines that this one returns. A
protocol uses it for work that it has started beside its session. Any thread. Must not block."""


class Protocol(typing.Protocol):
    """All methods: the loop's thread only, must not block. Replies are lines without a newline, in order.

    Bad input is answered by one line in the protocol's own error form and changes nothing. No method raises: a defect
    is answered by one such line too, and its traceback goes to the log.
    """

    @property
    def closed(self) -> bool:
        """Whether the other side has ended the session. The loop then passes no more lines."""

    @property
    def busy(self) -> bool:
        """Whether a search is under way whose result the other side is still to get."""

    def commands(self) -> Mapping[str, Callable[..., typing.Any]]:
        """The handlers by command. A handler's docstring has the form that documentation.py describes, and is the
        user's documentation of the command."""

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        """The replies to a line that arrived at ``received`` (``time.monotonic()``)."""

    def handle_refusal(self, reason: str) -> Sequence[str]:
        """The replies to input that the transport refused, such as a line over its limit."""

    def handle_event(self, event: Event) -> Sequence[str]:
        """The replies to a report or to the result of the search.

        Replies to a ``SearchInfo`` may be lost while the other side reads slowly. They must contain nothing essential,
        and no part of a longer reply. Replies to a ``SearchResult`` are always written.
        """

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        """The replies to the end of the input, which ends the session too.

        A protocol whose commands wait for each other finishes them first, unless ``at_once``. The loop also passes
        ``at_once`` when the connection is lost; it cannot write the replies then.
        """
