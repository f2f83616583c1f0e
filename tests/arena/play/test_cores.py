"""Processors of desks: their shares, and that a desk's processes keep to them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable

import pytest

from playout.arena.play.apart import ApartDesk
from playout.arena.play.cores import shares
from playout.arena.terms.end import End
from playout.arena.terms.job import Job, Player
from playout.arena.terms.pace import Pace
from playout.cli.main import main
from playout.games.errors import PlayoutError

from ...patience import PATIENCE, eventually
from ..drivers.bad import bad
from ..drivers.conftest import processes, token
from .test_apart import Fixed

__all__ = ["token"]


def usable(monkeypatch: pytest.MonkeyPatch, cores: Iterable[int]) -> None:
    found = set(cores)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: found)


@pytest.mark.parametrize(
    ("desks", "found"), [(1, [{0, 1, 2, 5, 6}]), (2, [{0, 1}, {2, 5}]), (5, [{0}, {1}, {2}, {5}, {6}])]
)
def test_processors_are_shared_out_evenly(monkeypatch: pytest.MonkeyPatch, desks: int, found: list[set[int]]) -> None:
    usable(monkeypatch, (6, 0, 2, 1, 5))
    assert shares(desks, affinity=True) == found
    assert shares(desks, affinity=False) == [frozenset()] * desks


def test_more_games_than_processors_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usable(monkeypatch, (3, 4))
    assert main(["match", "playout", "playout", "--affinity", "--concurrency", "3"]) == 2
    assert "--affinity: 3 pairs at a time need as many processors; there are 2" in capsys.readouterr().err


def test_a_system_without_affinity_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    with pytest.raises(PlayoutError, match="--affinity: this system"):
        shares(2, affinity=True)


@pytest.mark.opponents
def test_a_desk_and_its_engines_keep_to_their_processors(token: str) -> None:
    core = min(os.sched_getaffinity(0))
    engine = Player(name="one", protocol="uci", command=tuple(bad("uci", "mute", token)), pace=Pace(movetime=PATIENCE))
    desk = ApartDesk(Fixed(), lambda *_: None, frozenset({core}))
    ends: list[End] = []
    pair = Job(id="e/1/1", game="chess", players=(engine, engine))
    playing = threading.Thread(target=lambda: ends.append(next(desk.play(pair))[1].end))
    playing.start()
    assert eventually(lambda: len(processes(token)) >= 4)
    assert desk._process is not None
    found = {number: os.sched_getaffinity(number) for number in (desk._process.pid, *processes(token))}
    desk.abandon()
    playing.join()
    desk.close()
    assert eventually(lambda: not processes(token))
    assert len(found) >= 5
    assert set(map(frozenset, found.values())) == {frozenset({core})}
    assert ends == [End.VOID]
