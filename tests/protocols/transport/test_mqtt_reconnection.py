"""The connection to a broker that comes back: who was silent before is not lost at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any, Self

import pytest

from playout.protocols.transport.mqtt.client import Broker, MqttLines, cancel

from ...needs import needs

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
        monkeypatch.setattr(lines, "_connect", lambda: client)

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
