"""The connection to a broker that goes and comes back: it is made again soon, and who was silent before is not lost."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Self

import pytest

from playout.protocols.transport.mqtt import client as module
from playout.protocols.transport.mqtt.client import WILL, Broker, MqttLines, cancel

from ...needs import needs
from ...patience import PATIENCE

pytestmark = needs("aiomqtt")


class SlowClient:
    """Stands for the library's client: connected, with a subscription that is on its way."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.granted = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def subscribe(self, topic: str, qos: int) -> None:
        self.asked.set()
        await self.granted.wait()

    @property
    async def messages(self) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield


def test_a_broker_is_connected_once_it_can_bring_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an end whose subscription takes its time, after a long absence, would count the other as silent."""

    async def main() -> None:
        client, told = SlowClient(), asyncio.Event()
        lines = MqttLines(Broker("127.0.0.1", 1), ["topic"], ("will", {}, False), None, largest=1)
        monkeypatch.setattr(lines, "_connect", lambda _: client)

        async def ignore(*_: object) -> None:
            pass

        async def connected() -> None:
            assert not lines.connected
            told.set()

        running = asyncio.create_task(lines.run(ignore, connected, patient=True))
        await client.asked.wait()
        assert not lines.connected
        assert lines.waited(0.0) == 0.0
        client.granted.set()
        await told.wait()
        while not lines.connected:
            await asyncio.sleep(0)
        await cancel([running])
        assert not lines.connected

    asyncio.run(main())


def test_a_late_request_to_watch_a_closed_socket_is_no_error() -> None:
    """The library asks from another thread; the connection may have ended before the loop comes to it."""

    async def main() -> list[str]:
        loop, reported = asyncio.get_running_loop(), []
        MqttLines(Broker("127.0.0.1", 1), [], ("will", {}, False), None, largest=1)
        loop.default_exception_handler = lambda context: reported.append(type(context["exception"]).__name__)  # type: ignore[method-assign]
        reading, writing = os.pipe()
        os.close(reading)
        os.close(writing)
        loop.call_soon_threadsafe(loop.add_writer, writing, print)
        loop.call_soon_threadsafe(int, "none")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return reported

    assert asyncio.run(main()) == ["ValueError"]


SUBSCRIBE = 0x80
ACCEPTED = b"\x20\x02\x00\x00"
"""The packet that confirms a connection."""
MESSAGE = b"\x30\x05\x00\x03t/1"
"""An empty message on the topic ``t/1``."""


class FakeBroker:
    """A broker that ends its connections: the first ones as ``deeds`` say, all others as they come. It says nothing to
    those that it is to ``watch``, and takes note of their end.
    """

    def __init__(self, *deeds: str) -> None:
        self._deeds = [*deeds]
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.connections = 0
        self.ended = threading.Event()
        """Set when a client has closed a connection that is watched."""
        threading.Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.connections += 1
                deed = self._deeds.pop(0) if self._deeds else "confirm"
                if deed == "watch":
                    with suppress(OSError):
                        while connection.recv(1 << 16):
                            pass
                    self.ended.set()
                elif deed != "close":
                    with suppress(OSError):
                        self._answer(connection, until_published=deed == "message")

    def _answer(self, connection: socket.socket, until_published: bool) -> None:
        """Confirms the connection and a subscription, sends a message, and waits for what is published then."""
        connection.recv(1 << 16)
        connection.sendall(ACCEPTED)
        packet = connection.recv(1 << 16)
        if not packet or packet[0] & 0xF0 != SUBSCRIBE:
            return  # The client has gone.
        connection.sendall(bytes([0x90, 3]) + packet[2:4] + b"\x01")
        if until_published:
            connection.sendall(MESSAGE)
            connection.recv(1 << 16)


async def connections_of(broker: FakeBroker, number: int) -> None:
    """Waits until the broker has had this number of connections from a client that answers each message by one that the
    broker has to confirm, and does not."""
    lines = MqttLines(Broker("127.0.0.1", broker.port), ["t/1"], ("t/2", {}, False), None, largest=100)

    async def handle(*_: object) -> None:
        await lines.publish("t/3", {"t": "here"}, retain=True)

    async def connected() -> None:
        pass

    running = asyncio.create_task(lines.run(handle, connected, patient=True))
    async with asyncio.timeout(PATIENCE):
        while broker.connections < number:
            await asyncio.sleep(0.01)
    await cancel([running])


@pytest.mark.parametrize("deed", ["close", "message"])
def test_a_connection_that_ends_is_made_again(deed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the broker has confirmed it, and while a message is handled: the library says nothing then."""
    monkeypatch.setattr(module, "KEEPALIVE", 3600)
    broker = FakeBroker(deed)
    try:
        asyncio.run(connections_of(broker, 2))
    finally:
        broker.close()


def lines_to(broker: FakeBroker) -> MqttLines:
    return MqttLines(Broker("127.0.0.1", broker.port), [], ("t/2", {}, False), None, largest=100)


async def ignore(*_: object) -> None:
    pass


def test_a_connection_that_is_never_confirmed_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library leaves it open, and a task that watches it."""
    monkeypatch.setattr(module, "AGAIN", 0.1)
    broker = FakeBroker("watch")

    async def main() -> None:
        running = asyncio.create_task(lines_to(broker).run(ignore, ignore, patient=True))
        assert await asyncio.to_thread(broker.ended.wait, PATIENCE)
        await cancel([running])

    try:
        asyncio.run(main())
    finally:
        broker.close()


def test_a_connection_that_is_cancelled_while_a_thread_makes_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AGAIN", 0.1)
    begun, go_on, create = threading.Event(), threading.Event(), socket.create_connection
    broker = FakeBroker("watch")

    def slowly(*args: Any, **kwargs: Any) -> socket.socket:
        begun.set()
        assert go_on.wait(PATIENCE)
        return create(*args, **kwargs)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        running = asyncio.create_task(lines_to(broker).run(ignore, ignore, patient=True))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        loop.call_later(0.3, go_on.set)  # after the first requests to end it
        await cancel([running])
        assert running.cancelled()
        assert await asyncio.to_thread(broker.ended.wait, PATIENCE)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    monkeypatch.setattr(socket, "create_connection", slowly)
    try:
        asyncio.run(main())
    finally:
        broker.close()


def test_an_end_that_is_cut_off_is_back_before_the_other_one_gives_it_up() -> None:
    assert module.CONFIRMED + module.RETRY + module.AGAIN + 2 * module.RETRY < WILL
