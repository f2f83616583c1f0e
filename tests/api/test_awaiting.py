"""The search under asyncio: the loop goes on, and cancelling stops the search."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

import playout

from ..patience import PATIENCE

FOREVER = 10**12
"""Simulations that no test waits for."""


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, PATIENCE))


def engine(game: str = "hex:9") -> playout.Engine:
    return playout.Engine(game, own_book=False, hash=16, info_interval=10)


async def started(one: playout.Engine) -> None:
    """Returns when the engine is searching."""
    while not one.searching:
        await asyncio.sleep(0)


def test_a_search_is_awaited() -> None:
    async def work() -> None:
        with engine() as one:
            result = await one.think_async(nodes=100)
            assert isinstance(result, playout.Result)
            assert result.reason == "nodes"

    run(work())


def test_the_loop_goes_on_while_engines_search_side_by_side() -> None:
    async def work() -> None:
        with engine() as one, engine("go:9") as other:
            first = asyncio.create_task(one.think_async(nodes=FOREVER))
            second = asyncio.create_task(other.think_async(nodes=FOREVER))
            await started(one)
            await started(other)
            assert one.searching
            one.stop()
            other.stop()
            assert [(await task).reason for task in (first, second)] == ["stop", "stop"]

    run(work())


def test_cancelling_stops_the_search_before_the_error_comes_out() -> None:
    async def work() -> None:
        with engine() as one:
            task = asyncio.create_task(one.think_async(nodes=FOREVER))
            await started(one)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not one.searching
            assert (await one.think_async(nodes=10)).reason == "nodes"

    run(work())


def test_a_time_limit_of_asyncio_stops_the_search() -> None:
    async def work() -> None:
        with engine() as one:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await one.think_async(nodes=FOREVER)
            assert not one.searching

    run(work())


def test_an_analysis_is_watched_to_its_end() -> None:
    async def work() -> None:
        with engine() as one:
            found = [info async for info in one.analyse_async(nodes=2000, interval=0.01)]
            assert isinstance(found[-1], playout.Result)
            assert found[-1].simulations >= 2000
            assert found == sorted(found, key=lambda info: info.simulations)

    run(work())


def test_leaving_the_loop_stops_the_search() -> None:
    async def work() -> None:
        with engine() as one:
            async for info in one.analyse_async(interval=0.01):
                assert info.move is not None
                break
            one.play("f6")
            assert (await one.think_async(nodes=10)).reason == "nodes"

    run(work())


def test_the_end_of_the_block_waits_for_the_end_of_the_search() -> None:
    async def work() -> None:
        with engine() as one:
            async with one.analyse_async(interval=0.01) as infos:
                async for _ in infos:
                    assert one.searching
                    break
            assert not one.searching
            async with one.analyse_async() as infos:
                pass
            assert [info async for info in infos] == []

    run(work())


def test_cancelling_the_task_of_a_loop_stops_the_search() -> None:
    async def work() -> None:
        with engine() as one:

            async def watch() -> None:
                async for _ in one.analyse_async(interval=60.0):
                    pass

            task = asyncio.create_task(watch())
            await started(one)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not one.searching

    run(work())


def test_wrong_arguments_and_a_second_search_are_refused() -> None:
    async def work() -> None:
        with engine() as one:
            with pytest.raises(playout.PlayoutError, match="nodes=0"):
                await one.think_async(nodes=0)
            task = asyncio.create_task(one.think_async(nodes=FOREVER))
            await started(one)
            with pytest.raises(playout.PlayoutError, match="a search is under way"):
                await one.think_async(nodes=1)
            one.stop()
            assert (await task).reason == "stop"

    run(work())
