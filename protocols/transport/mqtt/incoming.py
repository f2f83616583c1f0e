"""The queue of messages from a broker, bounded in bytes."""

from __future__ import annotations

import asyncio
from typing import Any

MOST = 2**23
"""Maximum bytes that wait, unless they are one message. Others are dropped; their senders send them again."""
OVERHEAD = 500
"""Bytes that a message takes in addition to its payload."""


class IncomingQueue(asyncio.Queue[Any]):
    """A queue of ``aiomqtt.Message``. It drops a message that is too long, and those for which there is no room."""

    def __init__(self, largest: int, maxsize: int = 0) -> None:
        """``largest`` is the maximum bytes of a payload, ``maxsize`` that of the number of messages; 0 is no limit."""
        super().__init__(maxsize)
        self._largest = largest
        self._bytes = 0

    def put_nowait(self, item: Any) -> None:
        """Queues a message, or drops it."""
        size = _size(item)
        if size > self._largest + OVERHEAD or (self._bytes and self._bytes + size > MOST):
            return
        self._bytes += size
        super().put_nowait(item)

    def get_nowait(self) -> Any:
        """Returns the next message."""
        item = super().get_nowait()
        self._bytes -= _size(item)
        return item


def _size(message: Any) -> int:
    payload = message.payload
    return OVERHEAD + (len(payload) if isinstance(payload, bytes | bytearray | str) else 0)
