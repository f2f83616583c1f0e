"""A connection to an MQTT broker that leaves nothing behind if it fails, or is cancelled while it is made.

The library aiomqtt then leaves a socket open, a task that watches it, and a thread that still connects.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from types import TracebackType
from typing import Any

from playout.protocols.transport.mqtt.library import library

LEFT = 5.0
"""Seconds for a connection that is not wanted any more to be made, so that it can be closed: the longest that the
library's thread takes. An event loop waits for such a thread anyway when it ends."""
UNMADE = 0.1
"""Seconds to close a connection that was not made. The library closes the socket at once, and waits in vain for the
broker's answer."""


class Connection:
    """A client of ``aiomqtt`` as a context; a failed or cancelled entry closes what it has opened."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def __aenter__(self) -> Any:
        entering = asyncio.ensure_future(self._client.__aenter__())
        try:
            return await asyncio.shield(entering)
        except BaseException:
            await _to_its_end(self._close(entering))
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def _close(self, entering: asyncio.Future[Any]) -> None:
        await asyncio.wait([entering], timeout=LEFT)
        entering.cancel()
        await asyncio.wait([entering])
        made = not entering.cancelled() and entering.exception() is None
        with contextlib.suppress(library("aiomqtt").MqttError, TimeoutError):
            await asyncio.wait_for(self._client.__aexit__(None, None, None), None if made else UNMADE)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Waits for ``work`` however often that is cancelled."""
    task = asyncio.create_task(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    task.result()
