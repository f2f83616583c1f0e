"""A page at a table, without a socket."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from playout.engine.terms.rights import Rights
from playout.web.messages import (
    Answer,
    Said,
    View,
)
from playout.web.table import Table

from ..patience import PATIENCE

QUICK = 0.05
"""Seconds of the engine for a move."""
NIM = Path(__file__).parents[1] / "api" / "nim.py"
A = TypeVar("A", bound=Answer)


class Page:
    """A page at a table."""

    def __init__(self, game: str) -> None:
        self.heard: list[Answer] = []
        self.table = Table(game, Rights(files=False), random.Random(1))
        self.news = asyncio.Event()

    def hear(self, answer: Answer) -> None:
        self.heard.append(answer)
        self.news.set()

    async def take(self, said: Said) -> None:
        """Says something; only what comes of it is heard from then on."""
        self.heard.clear()
        await self.table.take(said)

    @property
    def view(self) -> View:
        """The last one."""
        return next(answer for answer in reversed(self.heard) if isinstance(answer, View))

    async def until(self, kind: type[A], wanted: Callable[[A], bool] = lambda _: True) -> A:
        """Waits for an answer that has not been looked at yet."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self.heard:
                    answer = self.heard.pop(0)
                    if isinstance(answer, kind) and wanted(answer):
                        self.heard.insert(0, answer)
                        return answer
                self.news.clear()
                await self.news.wait()

    async def to_move(self) -> View:
        """Waits until the user may move, or the game is over."""
        return await self.until(View, lambda view: bool(view.legal or view.result))


def at(game: str, play: Callable[[Page], Awaitable[None]]) -> None:
    """Runs a test at a table."""

    async def run() -> None:
        page = Page(game)
        await page.table.join(page.hear)
        try:
            await play(page)
        finally:
            await page.table.close()

    asyncio.run(run())
