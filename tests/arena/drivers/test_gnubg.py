"""GNU Backgammon as a player."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playout.arena.drivers import gnubg as module
from playout.arena.drivers.driver import ClockFace, Driver, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.table import start
from playout.arena.terms.end import End
from playout.arena.terms.pace import Pace
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.protocols.backgammon.gnubg_client import NoAnswer

from ...needs import needs, program
from ...patience import PATIENCE, eventually
from .conftest import processes
from .playing import UNBOUNDED, ask, play, player

GAME = catalogue.load("backgammon")
pytestmark = needs("gnubg")


@pytest.fixture
def command(tmp_path: Path, token: str) -> list[str]:
    """The program under a name that is found in ``/proc``."""
    link = tmp_path / token
    link.symlink_to(str(program("gnubg")))
    return [str(link)]


@pytest.fixture
def driver(command: list[str]) -> Iterator[Driver]:
    driver = start(player(command, "gnubg", UNBOUNDED, options={"plies": 0}), GAME)
    yield driver
    driver.close()
    driver.close()


def test_games(driver: Driver, token: str) -> None:
    """Against itself: every play is legal, and both games end."""
    assert driver.name.startswith("GNU Backgammon 1")
    for _ in range(2):
        record = play(GAME, (driver, driver), pace=UNBOUNDED)
        assert record.board.result is not None
        assert len(record.answers) > 20
    home = driver._launch.variables["HOME"]  # type: ignore[attr-defined]
    assert Path(home).is_dir()
    assert processes(token)
    driver.close()
    assert processes(token) == []
    assert not Path(home).exists()


def test_a_play_from_a_position(driver: Driver) -> None:
    position = "4HPwATDgc/ABMA 1 61"
    driver.begin(GAME, position, UNBOUNDED, afresh=True, seed=1)
    assert ask(driver, [], 1, start=position, pace=UNBOUNDED).move == "13/7,8/7"


def test_the_end_of_the_program(driver: Driver, token: str) -> None:
    driver.begin(GAME, None, UNBOUNDED, afresh=True, seed=1)
    engine = max(processes(token))  # the guardian has started it
    os.kill(engine, signal.SIGKILL)
    with pytest.raises(Fault, match="it was ended by SIGKILL") as fault:
        ask(driver, ["31"], pace=UNBOUNDED)
    assert fault.value.end is End.CRASH


@pytest.mark.parametrize(
    ("error", "cause", "end"),
    [
        (NoAnswer("timed out"), TimeoutError(), End.HANG),
        (NoAnswer("lost"), None, End.DISCONNECT),
    ],
)
def test_no_answer(
    driver: Driver, error: NoAnswer, cause: Exception | None, end: End, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decide(_: object) -> str:
        raise error from cause

    driver.begin(GAME, None, UNBOUNDED, afresh=True, seed=1)
    monkeypatch.setattr(module, "VERDICT", 0.1)
    monkeypatch.setattr(driver._client, "decide", decide)  # type: ignore[attr-defined]
    with pytest.raises(Fault) as fault:
        ask(driver, ["31"], pace=UNBOUNDED)
    assert fault.value.end is end


def test_a_late_play(driver: Driver) -> None:
    driver.begin(GAME, None, UNBOUNDED, afresh=True, seed=1)
    face = ClockFace(UNBOUNDED, None)
    with pytest.raises(Fault, match="a play only after") as fault:
        driver.choose(Scene(None, ["31"], 0), (face, face), 0.0, PATIENCE)
    assert fault.value.end is End.TIME
    assert ask(driver, ["31"], pace=UNBOUNDED).move == "8/5,6/5"


@pytest.mark.opponents
@pytest.mark.parametrize(
    ("game", "given", "complaint"),
    [
        ("chess", {}, "one: GNU Backgammon plays backgammon, not chess"),
        ("backgammon", {"pace": Pace(nodes=9)}, "one: GNU Backgammon has no limits of nodes or depth; use the option"),
        ("backgammon", {"options": {"plys": 1}}, "one: no option 'plys': did you mean 'plies'"),
        ("backgammon", {"options": {"plies": -1}}, "one: option plies: -1 is not a whole number from 0"),
        ("backgammon", {"options": {"plies": "two"}}, "one: option plies: 'two' is not a whole number from 0"),
        ("backgammon", {"options": {"plies": "²"}}, "one: option plies: '²' is not a whole number from 0"),
        ("backgammon", {"command": ["no-such-gnubg"]}, "no-such-gnubg: no such program on the path"),
        ("backgammon", {"command": ["true"]}, "it ended by itself"),
    ],
)
def test_what_cannot_be(game: str, given: dict[str, Any], complaint: str) -> None:
    values = {"command": [], "pace": UNBOUNDED} | given
    with pytest.raises(PlayoutError) as error:
        start(player(protocol="gnubg", **values), catalogue.load(game))
    assert str(error.value).startswith(complaint)


ARENA = f"""
import sys, time
from playout.arena.drivers import gnubg
from playout.arena.drivers.table import start
from playout.arena.terms.job import Player
from playout.games import catalogue
gnubg.PATIENCE = {PATIENCE}
driver = start(Player(name="one", protocol="gnubg", command=tuple(sys.argv[1:])), catalogue.load("backgammon"))
print("ready", flush=True)
time.sleep(3600)
"""


def test_nothing_is_left_after_kill_9_of_the_arena(command: list[str], token: str) -> None:
    with subprocess.Popen([sys.executable, "-c", ARENA, *command], stdout=subprocess.PIPE, text=True) as arena:
        try:
            assert arena.stdout is not None
            assert arena.stdout.readline() == "ready\n"
            assert len(processes(token)) == 3
        finally:
            arena.kill()
    assert eventually(lambda: not processes(token)), processes(token)
