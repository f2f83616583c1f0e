"""Lines delivered exactly once and in order, between two ends of a channel that may lose, duplicate or delay packets.

MQTT's guarantees are not enough: a broker that restarts forgets what it has confirmed, and QoS 1 may deliver twice. So
both ends number and confirm their packets themselves, and QoS 0 suffices. A packet is a mapping:

    {"t": "data", "n": 5, "lines": [...]}    the fifth message; lines null: the sender has no more
    {"t": "report", "n": 4, "lines": [...]}  lines that may be lost, which come after message 4 and not after 5
    {"t": "ack", "n": 5}                     all messages up to the fifth have been handled

An end sends at most ``WINDOW`` messages with ``ROOM`` characters before they are confirmed. An end that sends more is
cut off, which bounds the memory of the other one.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Packet = dict[str, Any]

WINDOW = 32
"""Maximum number of messages that are on the way."""
ROOM = 2**18
"""Maximum number of characters that are on the way, unless they are a single message."""
MESSAGE = 2**15
"""Maximum length of a message in characters, unless it is a single line."""
RESEND = 1.0
"""Seconds until an unconfirmed message is sent again; doubles each time, up to ``SLOWEST``."""
SLOWEST = 8.0


class BrokenWindow(Exception):
    """Raised when the other end has sent more than fits in the window."""


@dataclass(slots=True)
class _Message:
    number: int
    lines: list[str] | None
    length: int
    sent: float | None = None
    due: float = 0.0
    patience: float = RESEND


@dataclass(frozen=True, slots=True)
class Delivery:
    """Lines that have arrived; None means that the other end has no more."""

    lines: list[str] | None
    droppable: bool


class Link:
    """One end of the channel. Not thread-safe. Does no I/O and never waits: the caller passes the time."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._unconfirmed: deque[_Message] = deque()
        self._last = 0
        self._report: tuple[int, list[str]] | None = None
        self._received = 0
        self._unread: deque[int] = deque()
        """Lengths of the messages that have not been dealt with."""
        self._dealt_with = 0
        self._ack_due = False
        self.waiting = 0
        """Characters that the other end has not confirmed."""

    @property
    def idle(self) -> bool:
        """Whether the other end has confirmed everything."""
        return not self._unconfirmed

    def put(self, lines: Sequence[str] | None) -> None:
        """Queues lines; None after the last ones."""
        for part in _parts(lines) if lines is not None else (None,):
            self._last += 1
            message = _Message(self._last, part, length(part))
            self._unconfirmed.append(message)
            self.waiting += message.length

    def put_report(self, lines: Sequence[str]) -> None:
        """Queues lines that may be lost; they replace earlier ones that have not been sent yet."""
        self._report = (self._last, list(lines))

    def outgoing(self) -> Iterator[Packet]:
        """Yields the packets to send now."""
        now, room = self._now(), ROOM
        for message in itertools.islice(self._unconfirmed, WINDOW):
            room -= message.length
            if room < 0 and message is not self._unconfirmed[0]:
                break
            if message.due <= now:
                message.sent = now if message.sent is None else message.sent
                message.due = now + message.patience
                message.patience = min(2 * message.patience, SLOWEST)
                yield {"t": "data", "n": message.number, "lines": message.lines}
        if self._report is not None:
            number, lines = self._report
            self._report = None
            yield {"t": "report", "n": number, "lines": lines}
        if self._ack_due:
            self._ack_due = False
            yield {"t": "ack", "n": self._dealt_with}

    def receive(self, packet: Packet) -> Delivery | None:
        """Returns the delivery in a packet; None if it is a duplicate, out of order, or not a valid packet.

        Raises:
            BrokenWindow: if there is no room for it.
        """
        kind, number, lines = packet.get("t"), packet.get("n"), packet.get("lines")
        if not isinstance(number, int) or isinstance(number, bool):
            return None
        if kind == "ack":
            self._confirm(number)
            return None
        if not _are_lines(lines):
            return None
        if kind == "report" and number == self._received and lines is not None:
            return Delivery(lines, droppable=True)
        if kind != "data":
            return None
        if number == self._received + 1:
            size = length(lines)
            if self._unread and (len(self._unread) == WINDOW or sum(self._unread) + size > ROOM):
                raise BrokenWindow
            self._unread.append(size)
            self._received = number
            return Delivery(lines, droppable=False)
        self._ack_due = self._ack_due or number <= self._dealt_with
        return None

    def dealt_with(self) -> None:
        """Marks one more message as handled, which frees its slot."""
        self._unread.popleft()
        self._dealt_with += 1
        self._ack_due = True

    def unconfirmed_for(self) -> float:
        """Returns for how many seconds the other end has not confirmed a message that was sent."""
        first = self._unconfirmed[0].sent if self._unconfirmed else None
        return 0.0 if first is None else self._now() - first

    def reconnected(self) -> None:
        """Schedules unconfirmed messages to be sent again at once, because they may be lost."""
        for message in self._unconfirmed:
            message.due, message.patience, message.sent = 0.0, RESEND, None
        self._ack_due = True

    def _confirm(self, number: int) -> None:
        while self._unconfirmed and self._unconfirmed[0].number <= min(number, self._last):
            self.waiting -= self._unconfirmed.popleft().length


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """Splits ``lines`` into messages."""
    part: list[str] = []
    length = 0
    for line in lines:
        if part and length + len(line) > MESSAGE:
            yield part
            part, length = [], 0
        part.append(line)
        length += len(line) + 1
    if part:
        yield part


def length(lines: Sequence[str] | None) -> int:
    """Returns the number of characters of ``lines``, with the ends of the lines."""
    return 0 if lines is None else sum(len(line) + 1 for line in lines)


def _are_lines(lines: object) -> bool:
    return lines is None or (isinstance(lines, list) and all(isinstance(line, str) for line in lines))
