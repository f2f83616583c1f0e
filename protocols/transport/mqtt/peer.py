"""The lines of one session over MQTT, for the session's threads."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue

from playout.protocols.base.lines import MAX_LINE, InputLine
from playout.protocols.transport.mqtt.link import ROOM, BrokenWindow, Link, Packet, length

MOST_WAITING = 2 * ROOM
"""Maximum number of unconfirmed characters; a writer waits while there are more."""
STALL = 60.0
"""Seconds for which the other side may leave a message unconfirmed."""


@dataclass(frozen=True, slots=True)
class _Arrived:
    """Lines that have arrived, each with its end, in one text because that takes less memory; None at the end."""

    text: str | None
    droppable: bool


class Peer:
    """A ``LineStream`` over MQTT. The thread of the broker's connection uses ``take`` and ``outgoing``."""

    def __init__(self, wake: Callable[[Peer], None], limit: int = MAX_LINE, *, reports: bool = True) -> None:
        """``wake`` is called, on any thread, when there is something to send; ``limit`` is the maximum bytes
        of a line; ``reports`` says whether the other side may send lines that can be lost.
        """
        self.heard = time.monotonic()
        """Time of the last packet from the other side."""
        self._wake = wake
        self._limit = limit
        self._reports = reports
        self._link = Link()
        self._changed = threading.Condition()
        self._arrived: SimpleQueue[_Arrived | OSError] = SimpleQueue()
        self._passing = 0
        """Characters of unread reports."""
        self._error: OSError | None = None
        self._closed = False

    def read(self) -> Iterator[InputLine]:
        while True:
            delivery = self._arrived.get()
            if isinstance(delivery, OSError):
                raise delivery
            yield from map(self._line, (delivery.text or "").split("\n")[:-1])
            with self._changed:
                if delivery.droppable:
                    self._passing -= len(delivery.text or "")
                else:
                    self._link.dealt_with()
            if not delivery.droppable:
                self._wake(self)
            if delivery.text is None:
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
        """Tells the other side that there are no more lines, unless it is lost: it would take that for a session that
        has ended in order.
        """
        with self._changed:
            if not self._closed:
                self._closed = True
                if self._error is None:
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
            try:
                delivery = self._link.receive(packet)
            except BrokenWindow:
                delivery = None
                self._lose("the other side sends more than it may before it is confirmed")
            self._changed.notify_all()
            if delivery is None or self._error is not None:
                return
            if delivery.droppable:
                if not self._reports or self._passing + length(delivery.lines) > ROOM:
                    return
                self._passing += length(delivery.lines)
            text = None if delivery.lines is None else "".join(f"{line}\n" for line in delivery.lines)
            self._arrived.put(_Arrived(text, delivery.droppable))

    @property
    def stalled(self) -> bool:
        """Whether the other side has left a message unconfirmed for too long. Any thread."""
        with self._changed:
            return self._link.unconfirmed_for() > STALL

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
        with self._changed:
            self._lose(reason)

    def _lose(self, reason: str) -> None:
        if self._error is None:
            self._error = ConnectionAbortedError(reason)
            self._changed.notify_all()
            self._arrived.put(self._error)

    def _line(self, text: str) -> InputLine:
        data = text.encode("utf-8", "replace")
        if len(data) <= self._limit:
            return InputLine(text, time.monotonic(), True)
        return InputLine(data[: self._limit].decode("utf-8", "ignore"), time.monotonic(), False)


def encode(packet: Packet) -> bytes:
    """Encodes a packet for publication."""
    return json.dumps(packet, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode(payload: object) -> Packet | None:
    """Decodes a published packet; None if it is invalid."""
    if not isinstance(payload, bytes | bytearray):
        return None
    try:
        packet = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return packet if isinstance(packet, dict) else None
