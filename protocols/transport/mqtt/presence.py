"""The presence of a server at a broker: which server has a name, and that it is alive.

    playout/1/NAME/presence    retained: {"t": "here", "boot": ..., "protocols": [...]} or {"t": "gone", "boot": ...}
    playout/1/NAME/who         {"t": "who", "boot": ...} and the answer {"t": "here", "boot": ..., "to": ...}

``boot`` is a random text, another one at each start of a server. The retained message can be wrong: the last will of an
earlier server may come late, and a server that was cut off leaves its presence behind. So a live server contradicts
each ``gone``, and a server that starts asks on the second topic who is there before it takes the name.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence

from playout.games.errors import PlayoutError
from playout.protocols.transport.mqtt.link import Packet

RETURN = 3.0
"""Seconds for a server's own question to come back from the broker."""
SETTLE = 0.3
"""Seconds to wait for an answer after that, if nobody seems to be there."""
ANSWER = 2.0
"""The same if the retained presence names another server."""

logger = logging.getLogger(__name__)

Publish = Callable[[str, Packet, bool], Awaitable[None]]
"""Publishes a packet under a topic, and says whether the broker retains it."""


class ServerPresence:
    """The presence of one server. Use from the event loop's thread."""

    def __init__(self, base: str, protocols: Sequence[str], publish: Publish) -> None:
        """``base`` is the prefix of the server's topics."""
        self.boot = secrets.token_hex(8)
        self.topic = f"{base}/presence"
        self.question_topic = f"{base}/who"
        self.established = False
        """Whether the server has the name."""
        self._protocols = list(protocols)
        self._publish = publish
        self._returned = asyncio.Event()
        self._decided = asyncio.Event()
        self._rival: str | None = None
        self._seen: set[str] = set()
        """Boots of other servers that have the name too, or had it."""

    @property
    def farewell(self) -> Packet:
        """The packet that says that this server is gone."""
        return {"t": "gone", "boot": self.boot}

    async def claim(self) -> None:
        """Takes the name, unless a live server has it.

        Raises:
            PlayoutError: if one has it.
        """
        began = time.monotonic()
        await self._ask()
        await self._wait(self._returned, RETURN)
        took = time.monotonic() - began
        await self._wait(self._decided, (ANSWER if self._seen else SETTLE) + 2 * took)
        if self._rival is not None:
            raise PlayoutError(f"another server called {self.topic.split('/')[-2]} is there")
        await self.establish()

    async def establish(self) -> None:
        """Takes the name without a question."""
        self.established = True
        await self.announce()

    async def announce(self) -> None:
        """Publishes the presence."""
        await self._publish(self.topic, {"t": "here", "boot": self.boot, "protocols": self._protocols}, True)

    async def leave(self) -> None:
        """Publishes that the server is gone."""
        self.established = False
        await self._publish(self.topic, self.farewell, True)

    async def reconnected(self) -> None:
        """Called when a broker that was lost is connected again, which may have forgotten the presence."""
        if self.established:
            await self.announce()
        await self._ask()

    async def handle(self, topic: str, packet: Packet) -> bool:
        """Handles a packet; returns whether it was one about presence."""
        if topic not in (self.topic, self.question_topic):
            return False
        kind, boot = packet.get("t"), str(packet.get("boot", ""))[:64]
        if topic == self.topic:
            await self._retained(kind, boot)
        elif kind == "who":
            await self._asked(boot)
        elif kind == "here" and packet.get("to") == self.boot:
            self._rival_found(boot)
        return True

    async def _retained(self, kind: object, boot: str) -> None:
        if kind == "gone" and self.established:
            await self.announce()
        elif kind == "here" and boot != self.boot:
            self._warn(boot)

    async def _asked(self, boot: str) -> None:
        if boot == self.boot:
            self._returned.set()
        elif self.established:
            await self.announce()  # which a client asks for, that has no boot
            if boot:
                await self._publish(self.question_topic, {"t": "here", "boot": self.boot, "to": boot}, False)
        elif boot and boot < self.boot:
            self._rival_found(boot)  # both are starting: the lower one takes the name
        elif boot:
            await self._ask()  # it may have subscribed after the first question

    async def _ask(self) -> None:
        await self._publish(self.question_topic, {"t": "who", "boot": self.boot}, False)

    def _rival_found(self, boot: str) -> None:
        if self.established:
            self._warn(boot)
        else:
            self._rival = boot
            self._returned.set()
            self._decided.set()

    def _warn(self, boot: str) -> None:
        if self.established and boot not in self._seen:
            logger.warning("another server has announced itself at %s: clients may reach either", self.topic)
        if len(self._seen) < 1000:
            self._seen.add(boot)

    @staticmethod
    async def _wait(event: asyncio.Event, seconds: float) -> None:
        try:
            await asyncio.wait_for(event.wait(), seconds)
        except TimeoutError:
            return


class KnownPresence:
    """A client's knowledge of the server's presence. Not thread-safe."""

    def __init__(self) -> None:
        self.boot: str | None = None
        """The boot of the server that is there, or was when the session was opened; None if unknown."""
        self.doubted: float | None = None
        """Time at which a packet said that this server is gone, or that another one has its name; None if there was no
        such packet since the server was heard of last."""

    def take(self, packet: Packet, pinned: bool) -> bool:
        """Takes a packet of the presence's topic. ``pinned`` says that the session belongs to the server ``boot``.

        Returns whether the server is doubted since this packet.
        """
        kind, boot = packet.get("t"), packet.get("boot")
        same = boot is None or self.boot is None or boot == self.boot
        if kind == "here" and (same or not pinned):
            self.boot, self.doubted = (boot if isinstance(boot, str) else None), None
            return False
        believed = kind == "here" or (kind == "gone" and (same or not pinned))
        if believed and self.doubted is None:
            self.doubted = time.monotonic()
            return True
        return False

    def opened(self, packet: Packet) -> None:
        """Takes the server's packet that has opened the session."""
        boot = packet.get("boot")
        self.boot, self.doubted = (boot if isinstance(boot, str) else None), None
