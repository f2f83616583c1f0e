"""The hall: all tables of a server, by their marks."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence

from playout.engine.terms.rights import Rights
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.nearest import suggestion
from playout.protocols.base.version import VERSION
from playout.web.messages import Answer, Seated
from playout.web.table import Table

TABLES = 100
"""Most tables at a time."""
KEPT = 3600.0
"""Seconds for which a table without a page is kept."""
SIZES = {"hex": "hex:11", "go": "go:9"}
"""Sizes with which games are offered, where it is not the default."""


class Hall:
    """The tables. Use from the event loop's thread."""

    def __init__(self, game: str, rights: Rights, clock: Callable[[], float] = time.monotonic) -> None:
        """``game`` is played at a new table; it may be a game in Python.

        Raises:
            GameError: if there is no such game.
        """
        catalogue.load(game)
        self._first, self._rights, self._clock = game, rights, clock
        self._tables: dict[str, Table] = {}
        self._left: dict[str, float] = {}
        """When a table was opened, or a page left it last."""

    @property
    def games(self) -> list[str]:
        """The games that are offered."""
        own = [SIZES.get(name, name) for name in catalogue.names()]
        return own if self._first in own else [self._first, *own]

    async def sit(
        self, mark: str, listener: Callable[[Answer], None], reports: Sequence[str] = ()
    ) -> tuple[str, Table]:
        """Takes a seat at the table of that mark, or at a new one. Returns its mark and the table.

        ``reports`` are those that the page may show.

        Raises:
            PlayoutError: if all tables are taken.
        """
        if mark not in self._tables:
            await self._clear()
            mark = secrets.token_urlsafe(12)
            self._tables[mark] = Table(self._first, self._rights, check=self._check)
            self._left[mark] = self._clock()
        table = self._tables[mark]
        listener(Seated(table=mark, games=self.games, version=VERSION, reports=list(reports)))
        await table.join(listener)
        return mark, table

    async def leave(self, mark: str, listener: Callable[[Answer], None]) -> None:
        """Leaves a table, which is kept for a while."""
        self._left[mark] = self._clock()
        await self._tables[mark].leave(listener)

    def _check(self, game: str) -> None:
        """Checks that a user may begin a game: one that is offered, with any parameters, and no file.

        Raises:
            PlayoutError: if it is another one.
        """
        if game != self._first and game.partition(":")[0] not in catalogue.names():
            name = game.partition(":")[0][:40]
            raise PlayoutError(f"no game {name!r}{suggestion(name, catalogue.names())}, with parameters as in go:13")

    async def close(self) -> None:
        """Closes all tables."""
        while self._tables:
            await self._tables.popitem()[1].close()

    async def _clear(self) -> None:
        """Closes tables at which nobody sits: those left long ago, and if there is no room, the one left first."""
        vacant = (mark for mark, table in self._tables.items() if not table.listeners)
        empty = sorted(vacant, key=self._left.__getitem__)
        old = [mark for mark in empty if self._clock() - self._left[mark] > KEPT]
        if len(self._tables) - len(old) >= TABLES:
            old = empty[: max(len(old), 1)]
        closed = [self._tables.pop(mark) for mark in old]  # before anything else can happen
        for mark in old:
            del self._left[mark]
        for table in closed:
            await table.close()
        if len(self._tables) >= TABLES:
            raise PlayoutError(f"all {TABLES} tables are taken")
