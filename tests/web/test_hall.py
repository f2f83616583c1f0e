"""The hall: room for tables, and the games that may be begun."""

from __future__ import annotations

import asyncio

import pytest

from playout.engine.terms.rights import Rights
from playout.games.errors import PlayoutError
from playout.web.hall import Hall
from playout.web.messages import (
    Answer,
    Load,
    New,
)

from .seated import NIM


def test_a_hall_has_room_for_so_many_and_forgets_those_that_were_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.web.hall.TABLES", 2)
    now = [0.0]

    async def run() -> None:
        hall = Hall("tic_tac_toe", Rights(), lambda: now[0])
        heard: list[Answer] = []
        first, table = await hall.sit("", heard.append)
        second, _ = await hall.sit("unknown", heard.append)
        assert first != second
        with pytest.raises(PlayoutError, match="all 2 tables are taken"):
            await hall.sit("", heard.append)
        assert await hall.sit(first, print) == (first, table)
        await hall.leave(first, print)
        await hall.leave(first, heard.append)
        assert (await hall.sit(first, heard.append))[1] is table
        await hall.leave(first, heard.append)
        third, _ = await hall.sit("", heard.append)
        assert third not in (first, second)
        assert (await hall.sit(second, print))[0] == second
        await hall.close()

    asyncio.run(run())


@pytest.mark.parametrize("game", ["/etc/passwd", "x.py:Mine", "nothing"])
def test_a_user_may_not_name_files(game: str) -> None:
    async def run() -> None:
        hall = Hall(f"{NIM}:Nim", Rights())
        _, table = await hall.sit("", lambda _: None)
        for said in (New(game=game), Load(text=f"playout games of {game}\n*\t\t1\n")):  # neither is loaded
            with pytest.raises(PlayoutError, match="no game") as caught:
                await table.take(said)
            assert "\n" not in str(caught.value)
        for offered in (f"{NIM}:Nim", "go:13,komi=0.5"):
            await table.take(New(game=offered))
        await hall.close()

    asyncio.run(run())
