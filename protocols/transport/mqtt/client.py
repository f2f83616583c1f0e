"""A client of an MQTT broker: the broker's address, the names of the topics, and reconnection.

    playout/1/NAME/presence, .../who      see ``presence.py``
    playout/1/NAME/PROTOCOL/SESSION/in    packets of the client of a session
    playout/1/NAME/PROTOCOL/SESSION/out   packets of the server

In addition to the packets of ``link.py``, the client sends ``open``, ``ping``, and ``gone`` as its last will. The
server sends ``opened``, ``refused`` with a reason ``why``, and ``unknown`` for a session that it does not have.
The client's packets have the number ``c`` of its connection to the broker, because a last will may come after the
client has connected again. ``open`` and the server's packets have the server's ``boot``.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import re
import socket
import time
import urllib.parse
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from playout.games.errors import PlayoutError
from playout.protocols.transport.address import is_loopback, is_name
from playout.protocols.transport.mqtt.connecting import Connection
from playout.protocols.transport.mqtt.incoming import IncomingQueue
from playout.protocols.transport.mqtt.library import library
from playout.protocols.transport.mqtt.link import Packet
from playout.protocols.transport.mqtt.peer import Peer, encode

if TYPE_CHECKING:
    import ssl

ROOT = "playout/1"
USUAL_NAME = "engine"
PORTS = {"mqtt": 1883, "mqtts": 8883}
KEEPALIVE = 10
"""Keep-alive interval in seconds; the broker publishes the last will after one and a half intervals."""
PING = 5.0
"""Seconds between a client's pings."""
SILENCE = 30.0
"""Seconds without a packet, while the broker is connected, after which the other side counts as lost."""
WILL = 5.0
"""Seconds for the other side to come back after its last will. A broker on a loaded machine may cut off both ends."""
TICK = 0.1
RETRY, SLOWEST_RETRY = 0.1, 2.0
"""Seconds before a reconnection: the first delay and the longest."""
AGAIN, SLOWEST_AGAIN = 2.0, 10.0
"""Seconds for a reconnection to succeed, less than ``WILL`` at first: the library does not notice that a broker which
is about to end closes a connection before it has confirmed it."""
CONFIRMED = 1.0
"""Seconds for a broker to confirm a message that it retains. A lost connection is not noticed meanwhile."""
FIRST_TRIES = 2
"""Attempts at the first connection: a busy broker may cut one off."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Broker:
    """Address of a broker, and the name of the server to reach through it."""

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str | None = None
    name: str = USUAL_NAME

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def base(self) -> str:
        """The prefix of all topics."""
        return f"{ROOT}/{self.name}"

    def __str__(self) -> str:
        scheme = "mqtts" if self.tls else "mqtt"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}/{self.name}"


def parse_broker(url: str) -> Broker:
    """Parses mqtt[s]://[USER[:PASSWORD]@]HOST[:PORT][/NAME].

    Raises:
        PlayoutError: if the URL has another form.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urllib.parse.SplitResult("", "", "", "", "")
    name = parts.path.strip("/") or USUAL_NAME
    if parts.scheme not in PORTS or not host or not is_name(name) or set(url) & set("#?"):
        raise PlayoutError(f"{url!r}: expected mqtt://HOST[:PORT][/NAME], or mqtts:// for TLS")
    user = None if parts.username is None else urllib.parse.unquote(parts.username)
    password = None if parts.password is None else urllib.parse.unquote(parts.password)
    return Broker(host, PORTS[parts.scheme] if port is None else port, parts.scheme == "mqtts", user, password, name)


class MqttLines:
    """A connection to a broker that reconnects whenever it breaks. Use from the event loop's thread, unless stated
    otherwise.
    """

    def __init__(
        self,
        broker: Broker,
        subscriptions: list[str],
        will: tuple[str, Packet, bool],
        tls: ssl.SSLContext | None,
        *,
        largest: int,
    ) -> None:
        """``will`` is the last will: its topic, its packet without ``c``, and whether the broker retains it. Messages
        of more than ``largest`` bytes are dropped.
        """
        self._aiomqtt: Any = library("aiomqtt")
        self._broker = broker
        self._subscriptions = subscriptions
        self._will = will
        self._tls = tls
        self._largest = largest
        self._dirty: dict[str, Peer] = {}
        self._any_dirty = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._excuse)
        self._client: Any = None
        self._connected_since: float | None = None
        self.connections = 0
        """Number of connections to the broker so far, with the one that is being made."""
        self.ending = False
        """Whether a lost broker is expected and needs no log entry."""

    async def run(
        self,
        handle: Callable[[str, object], Awaitable[None]],
        connected: Callable[[], Awaitable[None]],
        *,
        patient: bool,
    ) -> None:
        """Passes each message to ``handle`` for ever, and calls ``connected`` after each connection.

        Raises:
            PlayoutError: if the first connection fails ``FIRST_TRIES`` times, unless ``patient``.
        """
        retry, again = RETRY, AGAIN
        while True:
            try:
                async with self._connect(again if patient else KEEPALIVE) as client:
                    self._client = client
                    for topic in self._subscriptions:
                        await client.subscribe(topic, qos=1)
                    await connected()
                    self._connected_since = time.monotonic()
                    logger.info("connected to %s", self._broker)
                    patient, retry, again = True, RETRY, AGAIN
                    async with _running(self._send_all()):
                        async for message in client.messages:
                            await handle(str(message.topic), message.payload)
            except self._aiomqtt.MqttError as error:
                if not patient and self.connections >= FIRST_TRIES:
                    raise PlayoutError(f"{self._broker}: {reason(error)}") from error
                if not self.ending:
                    logger.log(logging.WARNING if patient else logging.DEBUG, "%s: %s", self._broker, reason(error))
            finally:
                self._client = self._connected_since = None
            await asyncio.sleep(retry)
            retry, again = min(2 * retry, SLOWEST_RETRY), min(2 * again, SLOWEST_AGAIN)

    @property
    def connected(self) -> bool:
        """Whether the broker is connected, and ``connected`` has been called. Before, nothing can have been heard. Any
        thread.
        """
        return self._connected_since is not None

    def waited(self, since: float) -> float:
        """Returns the seconds for which the broker, without a break, could have brought an answer to what happened at
        ``since``. An end that was cut off together with this one then has as long to come back as one that was alone.
        """
        connected = self._connected_since
        return 0.0 if connected is None else time.monotonic() - max(since, connected)

    async def publish(self, topic: str, packet: Packet, *, retain: bool = False) -> None:
        """Publishes ``packet``; drops it if the broker is not connected."""
        if self._client is None:
            return
        with contextlib.suppress(self._aiomqtt.MqttError):
            await self._client.publish(topic, encode(packet), qos=1 if retain else 0, retain=retain, timeout=CONFIRMED)

    def wake(self, topic: str, peer: Peer) -> None:
        """Requests that the pending packets of ``peer`` be published under ``topic``. Any thread. Must not block."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._mark, topic, peer)

    def _mark(self, topic: str, peer: Peer) -> None:
        self._dirty[topic] = peer
        self._any_dirty.set()

    def _excuse(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Ignores errors of lost connections that the library reports a second time, after ``run`` has handled them,
        and its late requests to watch a socket that it has closed meanwhile.
        """
        error = context.get("exception")
        closed = isinstance(error, OSError) and error.errno == errno.EBADF
        if not closed and not isinstance(error, self._aiomqtt.MqttError):
            loop.default_exception_handler(context)

    async def _send_all(self) -> None:
        while True:
            await self._any_dirty.wait()
            self._any_dirty.clear()
            dirty, self._dirty = self._dirty, {}
            for topic, peer in dirty.items():
                for packet in peer.outgoing():
                    await self.publish(topic, packet)

    def _connect(self, timeout: float) -> Connection:
        self.connections += 1
        topic, packet, retain = self._will
        will = self._aiomqtt.Will(topic, encode({**packet, "c": self.connections}), qos=1, retain=retain)
        return client_of(self._broker, will, self._tls, largest=self._largest, timeout=timeout)


def client_of(
    broker: Broker, will: Any, tls: ssl.SSLContext | None, *, largest: int, timeout: float = KEEPALIVE
) -> Connection:
    """Returns a client of ``aiomqtt`` that connects when it is entered.

    ``will`` is its last will, an ``aiomqtt.Will`` or None. Messages of more than ``largest`` bytes are dropped. The
    broker has ``timeout`` seconds for each answer.
    """
    # Without TCP_NODELAY an answer takes 100 ms instead of 2 ms.
    client = library("aiomqtt").Client(
        broker.host,
        broker.port,
        username=broker.user,
        password=broker.password,
        tls_context=tls,
        will=will,
        clean_session=True,
        keepalive=KEEPALIVE,
        timeout=timeout,
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
        logger=_quiet(),
        queue_type=partial(IncomingQueue, largest),
    )
    return Connection(client)


@contextlib.asynccontextmanager
async def _running(work: Any) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        await cancel([task])


async def cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels tasks, repeatedly, because ``asyncio.wait_for`` loses a cancellation that arrives together with the
    result.
    """
    waiting = [task for task in tasks if not task.done()]
    while waiting:
        for task in waiting:
            task.cancel()
        done, pending = await asyncio.wait(waiting, timeout=TICK)
        waiting = list(pending)
        for task in done:
            if not task.cancelled() and task.exception() is not None:
                logger.debug("ended by %r", task.exception())


def _quiet() -> logging.Logger:
    """Silences the library's log entries about single packets."""
    found = logging.getLogger("playout.mqtt")
    found.setLevel(logging.ERROR)
    return found


def silent(peer: Peer) -> bool:
    """Whether nothing has been heard from the other side for too long."""
    return time.monotonic() - peer.heard > SILENCE


def reason(error: Exception) -> str:
    """Returns what the library says of a lost or failed connection, in the form of a reason: ``connection refused``."""
    said = re.sub(r"^\[Errno -?\d+\] ", "", str(error))
    return said[:1].lower() + said[1:]
