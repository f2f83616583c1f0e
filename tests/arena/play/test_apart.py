"""Desks in processes of their own: they play as one in this process does, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import msgspec
import pytest

from playout.arena.play.apart import ApartDesk, desk_among
from playout.arena.play.desk import Desk
from playout.arena.play.witness import Stillness
from playout.arena.terms.end import End
from playout.arena.terms.job import Job, Player
from playout.arena.terms.live import Stage
from playout.arena.terms.pace import Pace

from ...patience import PATIENCE, eventually
from ..drivers.bad import bad
from ..drivers.conftest import processes, token
from ..players import job

pytestmark = pytest.mark.opponents
__all__ = ["token"]


class Fixed:
    """A witness that says always the same."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.asked: list[tuple[float, float]] = []

    def stood_still(self, begin: float, end: float) -> float:
        self.asked.append((begin, end))
        return self.seconds


class Desks:
    """Makes desks and closes them."""

    def __init__(self) -> None:
        self.made: list[ApartDesk] = []
        self.moves: list[int] = []
        self.stages: list[Stage] = []

    def __call__(self, witness: Stillness | None = None) -> ApartDesk:
        self.made.append(ApartDesk(witness or Fixed(), self.moved))
        return self.made[-1]

    def moved(self, count: int, stage: Stage) -> None:
        self.moves.append(count)
        self.stages.append(stage)


@pytest.fixture
def desks() -> Iterator[Desks]:
    found = Desks()
    yield found
    for desk in found.made:
        desk.close()


def engines(name: str, token: str, pace: Pace | None = None, **fields: float) -> Job:
    """A pair of games of chess between two bad engines."""
    command = tuple(bad("uci", name, token))
    player = Player(name="one", protocol="uci", command=command, pace=pace or Pace(movetime=PATIENCE))
    other = Player(name="two", protocol="uci", command=command, pace=pace or Pace(movetime=PATIENCE))
    return Job(id="e/1/1", game="chess", players=(player, other), **fields)


def test_games_are_those_of_a_desk_in_this_process(desks: Desks) -> None:
    pair = job("hex:4", pace=Pace(nodes=50), seed=7)
    here = Desk()
    wanted = [(number, played.moves, played.result, played.end) for number, played in here.play(pair)]
    here.close()
    found = list(desks().play(pair))
    moves = [tuple(move.text for move in played.moves) for _, played in found]
    assert moves == [tuple(move.text for move in one[1]) for one in wanted]
    assert [(number, played.result, played.end) for number, played in found] == [(one[0], *one[2:]) for one in wanted]
    assert sum(desks.moves) <= sum(map(len, moves))
    assert desks.moves
    assert all(stage.moves == list(moves[stage.number][: len(stage.moves)]) for stage in desks.stages)


def test_games_that_are_recorded_are_not_played(desks: Desks) -> None:
    assert [number for number, _ in desks().play(job(), {0})] == [1]


def test_a_game_that_cannot_be_played_is_void(desks: Desks) -> None:
    [first, _] = desks().play(job("tic_tac_toe", moves=["a1", "a1"]))
    assert first[1].end is End.VOID
    assert "a1" in first[1].detail


def test_a_process_that_is_killed_makes_its_game_void_and_the_next_one_has_another(token: str, desks: Desks) -> None:
    desk = desks()
    games = desk.play(engines("mute", token))
    pid = [0]

    def kill() -> None:
        assert eventually(lambda: desk._process is not None and len(processes(token)) >= 4)
        assert desk._process is not None
        pid[0] = desk._process.pid
        os.kill(pid[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    number, played = next(games)
    killer.join()
    assert (number, played.end) == (0, End.VOID)
    assert played.detail == "the desk's process was ended by SIGKILL"
    assert eventually(lambda: not processes(token))
    [(_, again), *_] = desk.play(job())
    assert again.end is not End.VOID


def test_what_the_listener_raises_ends_the_game_and_its_engines(token: str) -> None:
    class Dropped(Exception):
        pass

    def drop(_: int, __: Stage) -> None:
        raise Dropped

    desk = ApartDesk(Fixed(), drop)
    with pytest.raises(Dropped):
        list(desk.play(engines("good", token)))
    assert eventually(lambda: not processes(token))
    desk.close()


def test_the_witness_of_the_arena_is_asked(token: str, desks: Desks) -> None:
    witness = Fixed(1000.0)
    [(_, played), *_] = desks(witness).play(engines("slow", token, Pace(movetime=0.01), grace=PATIENCE))
    assert played.end is End.VOID
    assert "the machine stood still for 1000.000 s" in played.detail
    [(begin, end)] = witness.asked[:1]
    assert end > begin


ARENA = """
import sys
import msgspec
from playout.arena.play.apart import ApartDesk
from playout.arena.terms.job import Job
from playout.arena.play.witness import Witness
list(ApartDesk(Witness(), lambda *_: None).play(msgspec.json.decode(sys.argv[1], type=Job)))
"""


@pytest.mark.parametrize("name", ["mute", "broods"])
def test_nothing_is_left_after_kill_9_of_the_arena(name: str, token: str) -> None:
    order = msgspec.json.encode(engines(name, token)).decode()
    with subprocess.Popen([sys.executable, "-c", ARENA, order]) as arena:
        try:
            assert eventually(lambda: len(processes(token)) >= 5), processes(token)
        finally:
            arena.kill()
    assert eventually(lambda: not processes(token)), processes(token)


def test_a_desk_that_is_alone_needs_no_process() -> None:
    assert isinstance(desk_among(1, Fixed(), lambda *_: None), Desk)
    assert isinstance(desk_among(2, Fixed(), lambda *_: None), ApartDesk)
