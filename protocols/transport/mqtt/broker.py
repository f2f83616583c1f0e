"""A broker inside this process, for users without one: amqtt, reachable from this machine only."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from playout.games.errors import PlayoutError
from playout.protocols.transport.mqtt.library import library

if TYPE_CHECKING:
    from playout.protocols.transport.mqtt.client import Broker

GRACE = 2.0
"""Seconds that connections have for their end when the broker ends."""


class _Subscriptions(dict[str, Any]):
    """The subscriptions of amqtt's broker.

    amqtt 0.12 goes through them with pauses, in which other connections may change them: it then dropped the connection
    of a client that came, or a message.
    """

    def __iter__(self) -> Iterator[str]:
        return iter([*super().__iter__()])

    def items(self) -> Any:
        return [*super().items()]


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
    running._subscriptions = _Subscriptions()
    others = asyncio.all_tasks()
    try:
        await running.start()
    except Exception as error:
        raise PlayoutError(f"{broker}: no broker can run there: {error.__cause__ or error}") from error
    try:
        yield
    finally:
        await running.shutdown()
        # A connection that has just begun is still being closed: an end now would leave its socket open.
        if left := asyncio.all_tasks() - others - {asyncio.current_task()}:
            await asyncio.wait(left, timeout=GRACE)
