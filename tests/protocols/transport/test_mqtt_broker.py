"""The broker inside a process serves many clients that come and go at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ...needs import needs
from .brokers import BrokerProcess

pytestmark = [pytest.mark.opponents, *map(needs, ("aiomqtt", "amqtt"))]
CLIENTS = 5
VISITS = 12


async def visits(port: int) -> list[BaseException]:
    """Lets clients come, subscribe, leave a message behind and go; returns their errors."""
    import aiomqtt

    async def visitor(number: int) -> None:
        for visit in range(VISITS):
            topic = f"{number}/{visit}"
            async with aiomqtt.Client("127.0.0.1", port) as client:
                await client.subscribe(topic)
                await client.publish(topic, b"here", retain=True)

    found = await asyncio.gather(*map(visitor, range(CLIENTS)), return_exceptions=True)
    return [error for error in found if error is not None]


def test_no_client_is_dropped_because_others_subscribe_meanwhile(tmp_path: Path) -> None:
    with BrokerProcess("amqtt", tmp_path) as broker:
        assert asyncio.run(visits(broker.port)) == []
