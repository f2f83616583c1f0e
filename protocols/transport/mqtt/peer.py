"""The lines of one session over MQTT, for the session's threads."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue

from playout.protocols.base.lines import MAX_LINE, InputLine
from playout.protocols.transport.mqtt.link import Delivery, Link, Packet

MOST_WAITING = 2**20
"""Maximum number of unconfirmed characters; a writer waits while there are more."""
MOST_UNREAD = 64
"""Number of unread deliveries from which on reports are dropped."""


class Peer:
    """A ``LineStream`` over MQTT. The thread of the broker's connection uses ``take`` and ``outgoing``."""

    def __init__(self, wake: Callable[[Peer], None], limit: int = MAX_LINE) -> None:
        """``wake`` is called, on any thread, when there is something to send; ``limit`` is the maximum bytes
        of a line.
        """
        self.heard = time.monotonic()
        """Time of the last packet from the other side."""
        self._wake = wake
        self._limit = limit
        self._link = Link()
        self._changed = threading.Condition()
        self._arrived: SimpleQueue[Delivery | OSError] = SimpleQueue()
        self._error: OSError | None = None
        self._closed = False

    def read(self) -> Iterator[InputLine]:
        while True:
            delivery = self._arrived.get()
            if isinstance(delivery, OSError):
                raise delivery
            yield from map(self._line, delivery.lines or ())
            if not delivery.droppable:
                with self._changed:
                    self._link.dealt_with()
                self._wake(self)
            if delivery.lines is None:
                return

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        with self._changed:
            while self._error is None and not droppable and self._link.waiting > MOST_WAITING:
                self._changed.wait()
            if self._error is not None:
                raise self._error
            if droppable:
                self._link.put_report(lines)
            else:
                self._link.put(lines)
        self._wake(self)

    def close(self) -> None:
        """Tells the other side that there are no more lines."""
        with self._changed:
            if not self._closed:
                self._closed = True
                self._link.put(None)
        self._wake(self)

    @property
    def done(self) -> bool:
        """Whether the other side has confirmed the end of the lines. Any thread."""
        with self._changed:
            return self._error is not None or (self._closed and self._link.idle)

    def take(self, packet: Packet) -> None:
        """Handles a packet from the other side. Any thread. Must not block."""
        with self._changed:
            self.heard = time.monotonic()
            delivery = self._link.receive(packet)
            self._changed.notify_all()
        if delivery is not None and not (delivery.droppable and self._arrived.qsize() > MOST_UNREAD):
            self._arrived.put(delivery)

    def outgoing(self) -> list[Packet]:
        """Returns the packets to send now. Any thread. Must not block."""
        with self._changed:
            return list(self._link.outgoing())

    def reconnected(self) -> None:
        """Called when the broker is connected again. Any thread. Must not block."""
        with self._changed:
            self._link.reconnected()
            self.heard = time.monotonic()

    def lose(self, reason: str) -> None:
        """Marks the other side as lost; readers and writers get an error. Any thread. Must not block."""
        error = ConnectionAbortedError(reason)
        with self._changed:
            if self._error is not None:
                return
            self._error = error
            self._changed.notify_all()
        self._arrived.put(error)

    def _line(self, text: str) -> InputLine:
        whole = len(text) <= self._limit
        return InputLine(text if whole else text[: self._limit], time.monotonic(), whole)


def encode(packet: Packet) -> bytes:
    """Encodes a packet for publication."""
    return json.dumps(packet, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode(payload: object, limit: int) -> Packet | None:
    """Decodes a published packet; None if it is invalid or longer than ``limit`` bytes."""
    if not isinstance(payload, bytes | bytearray) or len(payload) > limit:
        return None
    try:
        packet = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return packet if isinstance(packet, dict) else None
