"""A desk: engines that go on from game to game, and those that are started anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from playout.arena.drivers.fault import Fault
from playout.arena.play.desk import Desk
from playout.arena.terms.end import End
from playout.arena.terms.job import Played, Player
from playout.arena.terms.pace import Pace
from playout.games.errors import PlayoutError
from playout.games.game import Game

from ..players import ScriptedDriver, job


class Ending(ScriptedDriver):
    """Resigns each game, and fails at the beginning of one of them."""

    def __init__(self, fault: Fault | None, game: int) -> None:
        super().__init__(lambda _: "resign")
        self._fault, self._game = fault, game

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        super().begin(game, start, pace, afresh=afresh, seed=seed)
        if self._fault is not None and len(self.begun) == self._game:
            raise self._fault


def played(engines: Sequence[Ending | PlayoutError]) -> tuple[list[Played], list[Ending]]:
    """The games of two pairs. ``engines`` are those of the first player as it is started; the second one never ends."""
    left, started = iter(engines), list[Ending]()

    def start(player: Player, game: Game[Any, Any]) -> Ending:
        found = next(left) if player.name == "one" else Ending(None, 0)
        if isinstance(found, PlayoutError):
            raise found
        if player.name == "one":
            started.append(found)
        return found

    desk = Desk(start=start)
    games = [one for name in ("e/1/1", "e/1/2") for _, one in desk.play(job(id=name))]
    desk.close()
    return games, started


@pytest.mark.parametrize("end", [End.CRASH, End.EXIT, End.DISCONNECT])
def test_an_engine_that_has_ended_since_its_last_game_is_started_anew(end: End) -> None:
    games, started = played([Ending(Fault(end, "gone"), 2), Ending(None, 0)])
    assert [one.end for one in games] == [End.RESIGN] * 4
    assert [len(one.begun) for one in started] == [2, 3]
    assert [one.closed for one in started] == [1, 1]
    assert [one.remarks for one in games[:2]] == [(), ("one: started anew before the game: gone",)]


def test_one_that_ends_again_at_once_loses() -> None:
    games, started = played([Ending(Fault(End.EXIT, "gone"), 2), Ending(Fault(End.CRASH, "why?"), 1), Ending(None, 0)])
    assert [(one.end, one.at_fault) for one in games[:2]] == [(End.RESIGN, None), (End.CRASH, 1)]
    assert len(started) == 3


def test_one_that_ends_before_its_first_game_loses() -> None:
    games, started = played([Ending(Fault(End.EXIT, "gone"), 1), Ending(None, 0)])
    assert (games[0].end, games[0].at_fault, games[1].end) == (End.EXIT, 0, End.RESIGN)
    assert len(started) == 2


@pytest.mark.parametrize("end", [End.HANG, End.GARBAGE])
def test_other_faults_before_a_game_lose_it(end: End) -> None:
    games, _ = played([Ending(Fault(end, "what?"), 2), Ending(None, 0)])
    assert (games[1].end, games[1].at_fault) == (end, 1)


def test_a_game_whose_engine_cannot_be_started_again_is_void() -> None:
    games, _ = played([Ending(Fault(End.EXIT, "gone"), 2), PlayoutError("no such program"), Ending(None, 0)])
    assert (games[1].end, games[1].result, games[1].detail) == (End.VOID, None, "one: not started: no such program")
    assert games[2].end is End.RESIGN
