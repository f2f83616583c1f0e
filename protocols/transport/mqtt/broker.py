"""A broker inside this process, for users without one: amqtt, reachable from this machine only."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from playout.games.errors import PlayoutError
from playout.protocols.transport.mqtt.client import library

if TYPE_CHECKING:
    from playout.protocols.transport.mqtt.client import Broker


@contextlib.asynccontextmanager
async def embedded(broker: Broker | None) -> AsyncIterator[None]:
    """Runs a broker at the address of ``broker``; does nothing for None.

    Raises:
        PlayoutError: if it cannot listen there, or the package is missing.
    """
    if broker is None:
        yield
        return
    amqtt: Any = library("amqtt.broker")
    for name in ("amqtt", "transitions"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    running = amqtt.Broker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"{broker.host}:{broker.port}"}},
            "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        }
    )
    try:
        await running.start()
    except Exception as error:
        raise PlayoutError(f"{broker}: no broker can run there: {error.__cause__ or error}") from error
    try:
        yield
    finally:
        await running.shutdown()
