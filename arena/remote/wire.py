"""A connection to a broker that reconnects, for the coordinator of a tournament and its workers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from playout.arena.remote.messages import LARGEST
from playout.games.errors import PlayoutError
from playout.protocols.transport.mqtt.client import Broker, client_of, reason
from playout.protocols.transport.mqtt.library import library

if TYPE_CHECKING:
    import ssl

FIRST, SLOWEST = 0.2, 10.0
"""Seconds before a reconnection: the first delay and the longest."""
TRIES = 3
"""Attempts at the first connection."""
WAITING = 10_000
"""Messages that wait for the broker; of more the oldest are lost, and said again by those who need an answer."""

logger = logging.getLogger(__name__)


class Wire:
    """One connection. Use from the event loop's thread."""

    def __init__(
        self,
        broker: Broker,
        subscriptions: Sequence[str],
        take: Callable[[str, bytes], None],
        connected: Callable[[], None],
        *,
        will: tuple[str, bytes] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """``take`` gets each message, ``connected`` is called after each connection. ``will`` is published, retained,
        when the connection is lost."""
        self._aiomqtt: Any = library("aiomqtt")
        self._broker, self._subscriptions = broker, subscriptions
        self._take, self._connected = take, connected
        self._will, self._tls = will, tls
        self._waiting: deque[tuple[str, bytes, bool]] = deque(maxlen=WAITING)
        self._any = asyncio.Event()
        self.there = False
        """Whether the broker is connected."""

    def say(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publishes a message when the broker is there."""
        self._waiting.append((topic, payload, retain))
        self._any.set()

    async def run(self) -> None:
        """Keeps the connection for ever.

        Raises:
            PlayoutError: if the first connection fails ``TRIES`` times.
        """
        retry, tries, known = FIRST, 0, False
        while True:
            try:
                async with self._client() as client:
                    for topic in self._subscriptions:
                        await client.subscribe(topic, qos=1)
                    retry, known, self.there = FIRST, True, True
                    self._connected()
                    await self._both(asyncio.create_task(self._send(client)), asyncio.create_task(self._read(client)))
            except self._aiomqtt.MqttError as error:
                tries += 1
                if not known and tries >= TRIES:
                    raise PlayoutError(f"{self._broker}: {reason(error)}") from error
                logger.log(logging.WARNING if known else logging.DEBUG, "%s: %s", self._broker, reason(error))
            finally:
                self.there = False
            await asyncio.sleep(retry)
            retry = min(2 * retry, SLOWEST)

    async def drain(self, seconds: float) -> None:
        """Waits until everything is published, at most for some seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._waiting and self.there:
                    await asyncio.sleep(0.02)

    async def _both(self, *tasks: asyncio.Task[None]) -> None:
        """Lets tasks run until one of them ends, which raises what it raises, and ends the others."""
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for found in ended:
            if isinstance(found, BaseException) and not isinstance(found, asyncio.CancelledError):
                raise found

    async def _read(self, client: Any) -> None:
        async for message in client.messages:
            payload = message.payload
            self._take(str(message.topic), payload if isinstance(payload, bytes) else b"")

    async def _send(self, client: Any) -> None:
        while True:
            while self._waiting:
                topic, payload, retain = self._waiting[0]
                # What is not retained is said again until it is answered: to wait for the broker's word on each message
                # would let through one in the time of a round trip.
                await client.publish(topic, payload, qos=int(retain), retain=retain)
                if self._waiting and self._waiting[0] == (topic, payload, retain):
                    self._waiting.popleft()
            self._any.clear()
            await self._any.wait()

    def _client(self) -> Any:
        will = None
        if self._will is not None:
            will = self._aiomqtt.Will(self._will[0], self._will[1], qos=1, retain=True)
        return client_of(self._broker, will, self._tls, largest=LARGEST)
