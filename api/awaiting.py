"""Searches for programs that run on asyncio. The session's own thread searches; the event loop only waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.results import Analysis, Result

if TYPE_CHECKING:
    from playout.searching import Searches


async def think(searches: Searches, limits: Limits) -> Result:
    """Searches, and returns the result. Cancelling stops the search and waits for its end."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[SearchResult] = loop.create_future()

    def settle(result: SearchResult) -> None:
        if not ended.done():
            ended.set_result(result)

    def take(event: SearchInfo | SearchResult) -> None:
        if isinstance(event, SearchResult):
            call_soon(loop, settle, event)

    searches.begin(limits, take)
    try:
        result = await asyncio.shield(ended)
    except asyncio.CancelledError:
        searches.stop()
        await ended
        raise
    return searches.shown_result(result)


class AsyncAnalysis:
    """A running analysis, for ``async for``: the states of the search, the last at its end.

    The search starts with the loop. It stops when the loop is left, its task is cancelled, or ``aclose`` is called;
    ``async with`` calls that.
    """

    def __init__(self, searches: Searches, limits: Limits) -> None:
        self._searches = searches
        self._limits = limits
        self._events: asyncio.Queue[SearchInfo | SearchResult] | None = None
        self._ended = False

    def __aiter__(self) -> AsyncAnalysis:
        return self

    async def __anext__(self) -> Analysis:
        if self._ended:
            raise StopAsyncIteration
        if self._events is None:
            self._events = self._start()
        try:
            event = await self._events.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if isinstance(event, SearchInfo):
            return self._searches.shown(event)
        self._ended = True
        last = self._searches.shown_result(event)
        if not last.moves:
            raise StopAsyncIteration
        return last

    def _start(self) -> asyncio.Queue[SearchInfo | SearchResult]:
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[SearchInfo | SearchResult] = asyncio.Queue()
        self._searches.begin(self._limits, lambda event: call_soon(loop, events.put_nowait, event), analysis=True)
        return events

    async def aclose(self) -> None:
        """Stops the search and waits for its end."""
        events, self._ended = self._events, self._ended or self._events is None
        if self._ended or events is None:
            return
        self._ended = True
        self._searches.stop()
        while isinstance(await events.get(), SearchInfo):
            pass

    async def __aenter__(self) -> AsyncAnalysis:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        """Stops a search whose loop was left without ``aclose``."""
        if self._events is not None and not self._ended:
            self._searches.stop()


def call_soon(loop: asyncio.AbstractEventLoop, function: Callable[[Any], object], event: object) -> None:
    """Calls ``function`` on the loop's thread; nobody waits any more if the loop is closed."""
    try:
        loop.call_soon_threadsafe(function, event)
    except RuntimeError:
        if not loop.is_closed():
            raise
