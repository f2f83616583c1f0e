"""Copies lines between standard input and output and a session over MQTT."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from playout.games.errors import PlayoutError
from playout.protocols.transport.bridge import abandoned
from playout.protocols.transport.mqtt.client import PING, TICK, WILL, Broker, MqttLines, cancel, silent
from playout.protocols.transport.mqtt.peer import Peer, decode
from playout.protocols.transport.mqtt.presence import KnownPresence
from playout.protocols.transport.stdio import FileStream

if TYPE_CHECKING:
    import ssl

LARGEST = 2**24
"""Maximum bytes of a packet from the server."""
AGAIN = 0.5
"""Seconds after which the request for a session is repeated."""
OUTAGE = 60.0
"""Seconds for a lost broker to come back."""


class MqttBridge:
    """One session between a server and two file descriptors."""

    def __init__(
        self, broker: Broker, protocol: str, source: int, sink: int, tls: ssl.SSLContext | None = None
    ) -> None:
        self._broker = broker
        self._source = source
        self._sink = sink
        self._tls = tls
        self._topic = f"{broker.base}/{protocol}/{secrets.token_hex(16)}"
        self._opened = asyncio.Event()
        self._refusal: str | None = None
        self._presence = KnownPresence()

    async def run(self, patience: float) -> None:
        """Copies lines until the server ends the session. ``patience`` is the time to wait for the session while the
        broker is connected, in seconds.

        Raises:
            PlayoutError: if no session can be opened.
            OSError: if the session is lost, or its output cannot be written.
        """
        will = (f"{self._topic}/in", {"t": "gone"}, False)
        self._lines = lines = MqttLines(
            self._broker, [f"{self._topic}/out", f"{self._broker.base}/presence"], will, self._tls, largest=LARGEST
        )
        self._peer = peer = Peer(lambda _: lines.wake(f"{self._topic}/in", peer))
        work = [
            asyncio.create_task(lines.run(self._handle, self._connected, patient=False)),
            asyncio.create_task(self._talk(patience)),
        ]
        done, waiting = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        await cancel(waiting)
        for task in done:
            task.result()

    async def _talk(self, patience: float) -> None:
        await self._open(patience)
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        def tell(error: BaseException | None) -> None:
            def set_end() -> None:
                if not ended.done():
                    ended.set_result(None) if error is None else ended.set_exception(error)

            with suppress(RuntimeError):
                loop.call_soon_threadsafe(set_end)

        threading.Thread(target=_pass_on, args=(self._source, self._peer, self._sink), daemon=True).start()
        threading.Thread(target=_write_on, args=(self._peer, self._sink, tell), daemon=True).start()
        pinged = connected = time.monotonic()
        while not ended.done():
            await asyncio.wait([ended], timeout=TICK)
            self._lines.wake(f"{self._topic}/in", self._peer)
            now = time.monotonic()
            if now - pinged > PING:
                pinged = now
                await self._send("ping")
            if self._lines.connected:
                connected = now
                if silent(self._peer):
                    self._peer.lose("the server is silent")
            elif now - connected > OUTAGE:
                self._peer.lose("the broker is gone")
            doubted = self._presence.doubted
            if doubted is not None and self._peer.heard > doubted:
                self._presence.doubted = None
            elif doubted is not None and self._lines.waited(doubted) > WILL:
                self._peer.lose("the server is gone")
        await ended
        await self._say_goodbye()

    async def _open(self, patience: float) -> None:
        began = time.monotonic()
        while not self._opened.is_set():
            if self._refusal is not None:
                raise PlayoutError(f"{self._broker}: {self._refusal}")
            doubted = self._presence.doubted
            if self._lines.waited(began) > patience or (doubted is not None and self._lines.waited(doubted) > WILL):
                raise PlayoutError(f"{self._broker}: no server called {self._broker.name} is there")
            if self._presence.boot is None or doubted is not None:
                await self._lines.publish(f"{self._broker.base}/who", {"t": "who"})
            await self._send("open")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._opened.wait(), AGAIN)

    async def _say_goodbye(self) -> None:
        """Confirms the last lines, which the server would otherwise wait for."""
        for packet in self._peer.outgoing():
            await self._lines.publish(f"{self._topic}/in", packet)

    async def _send(self, kind: str) -> None:
        boot = {} if self._presence.boot is None else {"boot": self._presence.boot}
        await self._lines.publish(f"{self._topic}/in", {"t": kind, "c": self._lines.connections, **boot})

    async def _connected(self) -> None:
        self._peer.reconnected()
        if self._opened.is_set():
            await self._send("ping")
        self._lines.wake(f"{self._topic}/in", self._peer)

    async def _handle(self, topic: str, payload: object) -> None:
        packet = decode(payload)
        if packet is None:
            return
        kind = packet.get("t")
        if topic.endswith("/presence"):
            if self._presence.take(packet, self._opened.is_set()) and self._opened.is_set():
                await self._send("ping")  # a server that is alive answers
        elif kind == "refused":
            self._refusal = str(packet.get("why", ""))
        elif kind == "unknown" and self._opened.is_set():
            if packet.get("boot") in (None, self._presence.boot):
                self._peer.lose("the server no longer knows the session")
        else:
            if kind == "opened" and not self._opened.is_set():
                self._presence.opened(packet)
                self._opened.set()
            if kind == "data" and packet.get("lines") is None:
                self._lines.ending = True
            self._peer.take(packet)
            self._lines.wake(f"{self._topic}/in", self._peer)


def _pass_on(source: int, peer: Peer, sink: int) -> None:
    with suppress(OSError):  # the reading side reports the error
        for line in FileStream(source, sink).read():
            peer.write([line.text])
        if abandoned(sink):
            peer.lose("the session's output has no reader")
        else:
            peer.close()


def _write_on(peer: Peer, sink: int, tell: Callable[[BaseException | None], None]) -> None:
    stream = FileStream(None, sink)
    try:
        for line in peer.read():
            stream.write([line.text])
    except OSError as error:
        tell(error)
    else:
        tell(None)
