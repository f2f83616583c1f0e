"""A tournament that is played by workers over a broker: the coordinator's event loop, on a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from playout.arena.coordinator import Coordinator
from playout.arena.remote.hub import Hub
from playout.arena.remote.messages import Lead, Over, Topics, lead, pack
from playout.arena.remote.wire import Wire
from playout.arena.terms.job import Played
from playout.games.errors import PlayoutError, ProtocolError
from playout.protocols.transport.mqtt.broker import embedded
from playout.protocols.transport.mqtt.client import Broker

if TYPE_CHECKING:
    import ssl

TICK = 0.25
"""Seconds between two looks at the workers."""
FAREWELL = 5.0
"""Seconds for the last messages."""
QUESTION = 1.0
"""Seconds for another coordinator to say that it is there."""


class RemoteRun:
    """Lets workers play what a coordinator gives out. One thread calls ``run``."""

    def __init__(
        self,
        coordinator: Coordinator,
        broker: Broker,
        *,
        own: bool = False,
        key: bytes | None = None,
        tls: ssl.SSLContext | None = None,
        ended: Callable[[Played], None] = lambda _: None,
    ) -> None:
        """``own`` runs the broker in this process. ``ended`` gets each game that was recorded."""
        self._coordinator, self._broker, self._own, self._key, self._tls = coordinator, broker, own, key, tls
        self._topics = Topics(broker.base)
        self._hub = Hub(coordinator, self._topics, time.monotonic, key, lambda _, played: ended(played))
        self._stopping = threading.Event()
        self._boot = secrets.token_hex(8)
        self._leads = own
        """Whether this is the coordinator; before, it asks whether there is another one."""
        self._other = False

    @property
    def workers(self) -> int:
        """Number of workers that are there."""
        return self._hub.workers

    def stop(self) -> None:
        """Ends the run; what workers play goes on, and they deliver it to the next run. Any thread."""
        self._stopping.set()

    def run(self, tick: Callable[[], None] = lambda: None) -> None:
        """Runs until the tournament is over, or ``stop``. ``tick`` is called now and then. Blocks.

        Raises:
            PlayoutError: if the broker cannot be reached, or another coordinator has the tournament's name there.
        """
        asyncio.run(self._run(tick))

    async def _run(self, tick: Callable[[], None]) -> None:
        async with embedded(self._broker if self._own else None):
            wire = Wire(
                self._broker,
                [f"{self._topics.to_coordinator}+", f"{self._topics.here}+", self._topics.coordinator],
                lambda topic, payload: self._take(wire, topic, payload),
                lambda: None,
                tls=self._tls,
            )
            connection = asyncio.create_task(wire.run())
            try:
                if not self._leads:
                    await self._ask(wire, connection)
                while not self._stopping.is_set() and not self._coordinator.finished and not connection.done():
                    self._hub.tick()
                    tick()
                    await asyncio.sleep(TICK)
                if self._coordinator.finished:
                    await self._say_goodbye(wire)
                if connection.done():
                    await connection
            finally:
                connection.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await connection

    async def _ask(self, wire: Wire, connection: asyncio.Task[None]) -> None:
        """Waits until no other coordinator has answered.

        Raises:
            PlayoutError: if one has.
        """
        while not wire.there and not connection.done():
            await asyncio.sleep(TICK)
        self._say_lead(wire, asks=True)
        end = time.monotonic() + QUESTION
        while time.monotonic() < end and not self._other and not self._stopping.is_set():
            await asyncio.sleep(TICK)
        if self._other:
            raise PlayoutError(f"{self._broker}: another coordinator has this name; another /NAME in the address helps")
        self._leads = True

    def _say_lead(self, wire: Wire, *, asks: bool) -> None:
        topic = self._topics.coordinator
        wire.say(topic, pack(topic, Lead(boot=self._boot, asks=asks), self._key))

    def _meet(self, wire: Wire, topic: str, payload: bytes) -> None:
        """Takes the word of a coordinator, perhaps its own."""
        try:
            said = lead(topic, payload, self._key)
        except ProtocolError:
            return
        if said.boot == self._boot:
            return
        if self._leads and said.asks:
            self._say_lead(wire, asks=False)
        # Of two that ask at once the one with the lesser mark goes on.
        self._other = self._other or not said.asks or said.boot < self._boot

    def _take(self, wire: Wire, topic: str, payload: bytes) -> None:
        if topic == self._topics.coordinator:
            self._meet(wire, topic, payload)
            return
        if not self._leads:
            return  # workers say it again
        for where, reply in self._hub.take(topic, payload):
            wire.say(where, reply)

    async def _say_goodbye(self, wire: Wire) -> None:
        """Tells the workers that the tournament is over, and answers them until the last has heard it."""
        for name, boot in self._hub.guests():
            topic = self._topics.to_worker + name
            wire.say(topic, pack(topic, Over(boot=boot), self._key))
        end = time.monotonic() + FAREWELL
        while self._hub.workers and time.monotonic() < end:
            self._hub.tick()
            await asyncio.sleep(TICK)
        await wire.drain(FAREWELL)
