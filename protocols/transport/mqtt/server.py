"""The server of sessions over MQTT."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playout.games.errors import PlayoutError
from playout.protocols.transport.mqtt.broker import embedded
from playout.protocols.transport.mqtt.client import TICK, WILL, Broker, MqttLines, cancel, silent
from playout.protocols.transport.mqtt.link import Packet
from playout.protocols.transport.mqtt.peer import Peer, decode
from playout.protocols.transport.sessions import Service, Sessions

if TYPE_CHECKING:
    import ssl

FAREWELL = 5.0
"""Seconds for the clients to confirm the end of their sessions."""
LONGEST_ID = 64

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Place:
    """A session and the topic of its packets."""

    topic: str
    peer: Peer
    ended: float | None = None
    """Time at which the session ended; its last lines may still be unconfirmed."""
    will: float | None = None
    """Time at which the client's last will came."""


class MqttServer:
    """Serves sessions at one broker until stopped, on its own thread."""

    def __init__(
        self,
        sessions: Sessions,
        services: dict[str, Service],
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
        self._boot = secrets.token_hex(8)
        self._places: dict[tuple[str, str], _Place] = {}
        self._lines: MqttLines | None = None
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
        """Waits briefly for the clients to confirm the end of their sessions, then disconnects. Blocks."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(2 * FAREWELL)

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
        base = self._broker.base
        async with embedded(self._broker if self._embed else None):
            presence = f"{base}/presence"
            self._lines = lines = MqttLines(
                self._broker, [f"{base}/+/+/in"], (presence, {"t": "gone"}, True), self._tls
            )
            work = [
                asyncio.create_task(lines.run(self._handle, self._connected, patient=False)),
                asyncio.create_task(self._tick()),
                asyncio.create_task(self._stopping.wait()),
            ]
            done, waiting = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            deadline = time.monotonic() + FAREWELL
            while self._places and time.monotonic() < deadline:
                await asyncio.sleep(TICK)
            await lines.publish(presence, {"t": "gone"}, retain=True)
            await cancel(waiting)

    async def _connected(self) -> None:
        assert self._lines is not None
        here = {"t": "here", "boot": self._boot, "protocols": list(self._services)}
        await self._lines.publish(f"{self._broker.base}/presence", here, retain=True)
        for place in self._places.values():
            place.peer.reconnected()
            self._lines.wake(place.topic, place.peer)
        if not self._ready.done():
            self._ready.set_result(None)

    async def _tick(self) -> None:
        """Resends lost packets and removes sessions whose clients are gone."""
        while True:
            await asyncio.sleep(TICK)
            assert self._lines is not None
            for key, place in list(self._places.items()):
                now = time.monotonic()
                self._lines.wake(place.topic, place.peer)
                if place.ended is not None and (place.peer.done or now - place.ended > FAREWELL):
                    del self._places[key]
                elif place.will is not None and place.will >= place.peer.heard and now - place.will > WILL:
                    place.peer.lose("the client was lost (last will)")
                elif self._lines.connected and silent(place.peer):
                    place.peer.lose("the client is silent")

    async def _handle(self, topic: str, payload: object) -> None:
        assert self._lines is not None
        parts = topic.removeprefix(self._broker.base).split("/")
        packet = decode(payload, 2 * self._line + 2**17)
        if len(parts) != 4 or packet is None or len(parts[2]) > LONGEST_ID:
            return
        key = (parts[1], parts[2])
        out = f"{topic.removesuffix('/in')}/out"
        place = self._places.get(key)
        kind = packet.get("t")
        if place is None and kind == "open":
            await self._open(key, out)
        elif place is None:
            if kind in ("data", "ping"):
                await self._lines.publish(out, {"t": "unknown"})
        elif kind == "gone":
            place.will = time.monotonic()
        elif kind == "open":
            await self._lines.publish(out, {"t": "opened"})
        else:
            place.peer.take(packet)
            if kind == "ping":
                await self._lines.publish(out, {"t": "pong"})
            self._lines.wake(place.topic, place.peer)

    async def _open(self, key: tuple[str, str], out: str) -> None:
        assert self._lines is not None
        service = self._services.get(key[0])
        try:
            if service is None:
                raise PlayoutError(f"no protocol {key[0]!r} here: one of {', '.join(self._services)}")
            self._sessions.enter(f"mqtt {key[1]}")
        except PlayoutError as error:
            logger.warning("no session: %s", error)
            await self._lines.publish(out, {"t": "refused", "why": str(error)})
            return
        lines = self._lines
        place = _Place(out, Peer(lambda peer: lines.wake(out, peer), self._line))
        self._places[key] = place
        answer: Packet = {"t": "opened"}
        await self._lines.publish(out, answer)
        name = f"{key[0]} mqtt {key[1][:8]}"
        threading.Thread(target=self._serve, args=(service, place, key[1]), name=name, daemon=True).start()

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
