"""The server of sessions over MQTT."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.games.errors import PlayoutError
from playout.protocols.base.threads import NoThread, start_thread
from playout.protocols.transport.mqtt.broker import embedded
from playout.protocols.transport.mqtt.client import TICK, WILL, Broker, MqttLines, cancel, silent
from playout.protocols.transport.mqtt.link import Packet
from playout.protocols.transport.mqtt.peer import STALL, Peer, decode
from playout.protocols.transport.mqtt.presence import ServerPresence
from playout.protocols.transport.refusals import Refusals
from playout.protocols.transport.sessions import Service, Sessions

if TYPE_CHECKING:
    import ssl

FAREWELL = 3.0
"""Seconds for the clients to confirm the end of their sessions."""
LEAVE = 1.0
"""Seconds for the broker to confirm the end of the server."""
LONGEST_ID = 64

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Place:
    """A session and the topic of its packets."""

    topic: str
    peer: Peer
    ended: float | None = None
    """Time at which the session ended; its last lines may still be unconfirmed."""
    connection: int = 0
    """Number of the client's connection to the broker, as far as its packets have told."""
    will: float | None = None
    """Time at which the last will of this connection came."""


class MqttServer:
    """Serves sessions at one broker until stopped, on its own thread."""

    LONGEST_STOP = FAREWELL + 2 * LEAVE
    """Seconds that ``stop`` takes at most."""

    def __init__(
        self,
        sessions: Sessions,
        services: Mapping[str, Service],
        broker: Broker,
        *,
        tls: ssl.SSLContext | None = None,
        line: int,
        embed: bool = False,
    ) -> None:
        """``embed`` runs the broker in this process; ``line`` is the maximum bytes of a line."""
        self._sessions = sessions
        self._services = services
        self._broker = broker
        self._tls = tls
        self._line = line
        self._embed = embed
        self._places: dict[tuple[str, str], _Place] = {}
        self._refusals = Refusals()
        self._lines: MqttLines
        self._presence = ServerPresence(broker.base, list(services), self._publish)
        self._connected_once = asyncio.Event()
        self._stopping = asyncio.Event()
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._main, name="mqtt", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Connects to the broker. Blocks.

        Raises:
            PlayoutError: if there is no broker, or a package is missing.
        """
        self._thread.start()
        self._ready.result()

    def stop(self) -> None:
        """Waits ``FAREWELL`` seconds at most for the clients to confirm the end of their sessions, then disconnects.
        Blocks.
        """
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(self.LONGEST_STOP)

    def _main(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception as error:
            if self._ready.done():
                logger.exception("the service over MQTT failed")
            else:
                self._ready.set_exception(error)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        presence = self._presence
        topics = [f"{self._broker.base}/+/+/in", presence.topic, presence.question_topic]
        async with embedded(self._broker if self._embed else None):
            will = (presence.topic, presence.farewell, True)
            largest = 2 * self._line + 2**17  # a message of short lines, or one line, in JSON
            self._lines = lines = MqttLines(self._broker, topics, will, self._tls, largest=largest)
            running = asyncio.create_task(lines.run(self._handle, self._connected, patient=False))
            await self._while_running(running, self._claim())
            self._ready.set_result(None)
            ticking = asyncio.create_task(self._tick())
            await self._while_running(running, self._stopping.wait())
            deadline = time.monotonic() + FAREWELL
            while self._places and time.monotonic() < deadline:
                await asyncio.sleep(TICK)
            with suppress(TimeoutError):
                await asyncio.wait_for(presence.leave(), LEAVE)
            await cancel([running, ticking])

    async def _while_running(self, running: asyncio.Task[None], work: Coroutine[Any, Any, object]) -> None:
        """Waits for ``work``, or for the error that ends ``running`` before."""
        task = asyncio.create_task(work)
        done, _ = await asyncio.wait([running, task], return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            if one.exception() is not None:
                await cancel([running, task])
            one.result()

    async def _claim(self) -> None:
        """Takes the server's name. Nobody else can have it at a broker of its own."""
        await self._connected_once.wait()
        try:
            await (self._presence.establish() if self._embed else self._presence.claim())
        except PlayoutError as error:
            raise PlayoutError(f"{self._broker}: {error}") from None

    async def _publish(self, topic: str, packet: Packet, retain: bool) -> None:
        await self._lines.publish(topic, packet, retain=retain)

    async def _connected(self) -> None:
        if self._connected_once.is_set():
            await self._presence.reconnected()
        self._connected_once.set()
        for place in self._places.values():
            place.peer.reconnected()
            self._lines.wake(place.topic, place.peer)

    async def _tick(self) -> None:
        """Resends lost packets and removes sessions whose clients are gone."""
        lines = self._lines
        while True:
            await asyncio.sleep(TICK)
            for key, place in list(self._places.items()):
                now = time.monotonic()
                lines.wake(place.topic, place.peer)
                if place.ended is not None and (place.peer.done or now - place.ended > FAREWELL):
                    del self._places[key]
                    place.peer.lose("the session has ended")  # its reader need not wait for the client's end
                elif place.will is not None and place.will >= place.peer.heard and lines.waited(place.will) > WILL:
                    place.peer.lose("the client was lost (last will)")
                elif lines.connected and silent(place.peer):
                    place.peer.lose("the client is silent")
                elif lines.connected and place.peer.stalled:
                    place.peer.lose(f"the client has confirmed nothing for {STALL:g} s")

    async def _handle(self, topic: str, payload: object) -> None:
        parts = topic.removeprefix(self._broker.base).split("/")
        packet = decode(payload)
        if packet is None or await self._presence.handle(topic, packet) or not self._presence.established:
            return
        if len(parts) != 4 or len(parts[2]) > LONGEST_ID:
            return
        key = (parts[1], parts[2])
        out = f"{topic.removesuffix('/in')}/out"
        place = self._places.get(key)
        kind = packet.get("t")
        if kind == "open" and packet.get("boot", self._presence.boot) != self._presence.boot:
            return
        if place is not None:
            place.connection = max(place.connection, _connection(packet))
        if place is None and kind == "open":
            await self._open(key, out)
        elif place is None:
            if kind in ("data", "ping"):
                await self._lines.publish(out, self._named("unknown"))
        elif kind == "gone":
            if _connection(packet) == place.connection:
                place.will = time.monotonic()
        elif kind == "open":
            await self._lines.publish(out, self._named("opened"))
        else:
            place.peer.take(packet)
            if kind == "ping":
                await self._lines.publish(out, {"t": "pong"})
            self._lines.wake(place.topic, place.peer)

    def _named(self, kind: str) -> Packet:
        return {"t": kind, "boot": self._presence.boot}

    async def _open(self, key: tuple[str, str], out: str) -> None:
        service = self._services.get(key[0])
        try:
            if service is None:
                raise PlayoutError(f"no protocol {key[0]!r} here: one of {', '.join(self._services)}")
            self._sessions.enter(f"mqtt {key[1]}")
        except PlayoutError as error:
            await self._refuse(out, str(error))
            return
        lines = self._lines
        place = _Place(out, Peer(lambda peer: lines.wake(out, peer), self._line, reports=False))
        name = f"{key[0]} mqtt {key[1][:8]}"
        try:
            start_thread(self._serve, service, place, key[1], name=name)
        except NoThread as error:
            self._sessions.leave(f"mqtt {key[1]}")
            await self._refuse(out, str(error))
            return
        self._places[key] = place
        await self._lines.publish(out, self._named("opened"))

    async def _refuse(self, out: str, why: str) -> None:
        self._refusals.note(f"no session: {why}")
        await self._lines.publish(out, {"t": "refused", "why": why})

    def _serve(self, service: Service, place: _Place, session: str) -> None:
        """Runs one session on its own thread, which has the session's name in the log."""
        logger.info("session opened")
        try:
            self._sessions.run(service, place.peer)
        except PlayoutError as error:
            logger.warning("no session: %s", error)
            place.peer.lose(str(error))
        except Exception:
            logger.exception("the session failed")
            place.peer.lose("the session failed")
        finally:
            place.ended = time.monotonic()
            self._sessions.leave(f"mqtt {session}")
        logger.info("session ended")


def _connection(packet: Packet) -> int:
    number = packet.get("c")
    return number if isinstance(number, int) else 0
