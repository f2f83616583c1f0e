"""UBGI: the lines that the driver writes, and games with playout's own server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playout.arena.drivers import ubgi
from playout.arena.drivers.driver import Driver, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.table import start
from playout.arena.drivers.ubgi import UbgiDriver, thought_of
from playout.arena.terms.end import End
from playout.arena.terms.pace import Pace, read_pace
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ...opponents.pipe import forked
from .playing import FEW, ask, play, player
from .scripted import Scripted, script

GAME = catalogue.load("backgammon")
INTRODUCTION = ["id name Some Engine", "id version 3", "option name Own Book type check default true"]
OPENING = "position gnubgid 4HPwATDgc/ABMA"

Open = Callable[..., tuple[UbgiDriver, Scripted]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Starts an engine that answers each ``go`` with some lines."""

    def open_(answers: list[str], *introduction: str, **others: Any) -> tuple[UbgiDriver, Scripted]:
        table = {
            "ubgi": [*INTRODUCTION, *introduction, "ubgiok"],
            "isready": ["readyok"],
            "go": answers,
            "newgame": others.pop("newgame", []),
            "stop": others.pop("stop", []),
        }

        def reply(line: str) -> list[str]:
            return table.get(line.split()[0], [])

        started = script(monkeypatch, ubgi, reply)
        driver = UbgiDriver(player(["engine"], "ubgi", **others), GAME)
        return driver, started[-1]

    return open_


def test_a_game(opened: Open) -> None:
    """Each order has the whole position, from the view of the player to move."""
    driver, engine = opened(["info role chequer nodes 50 depth 2 eq 0.300", "bestmove 8/5 6/5"])
    assert driver.name == "Some Engine 3"
    assert engine.take() == ["ubgi", "isready"]
    driver.begin(GAME, None, FEW, afresh=True, seed=1)
    assert engine.take() == ["newgame", "isready"]
    moves = ["31"]
    answer = ask(driver, moves)
    assert answer.move == "8/5,6/5"
    assert answer.thought == Thought(14, None, 2, 50)
    assert engine.take() == [OPENING, "dice 3 1", "go role chequer nodes 20"]
    moves += ["8/5,6/5", "61", "13/7,8/7", "31"]
    ask(driver, moves)
    assert engine.take()[:2] == ["position gnubgid 4NvgATCwZ/ABMA", "dice 3 1"]
    driver.begin(GAME, None, FEW, afresh=False, seed=1)
    assert engine.take() == ["isready"]
    ask(driver, ["13"], 1)
    assert engine.take()[0] == OPENING


@pytest.mark.parametrize(
    ("start_", "said", "move"),
    [
        ("4HPwATDgc/ABMA 0 62", "24/18 18/16", "24/16"),
        ("4HPwATDgc/ABMA 0 62", "24/16", "24/16"),
        ("4HPwATDgc/ABMA 1 11", "8/7 8/7 6/5 6/5", "8/7(2),6/5(2)"),
        ("27YdAAD/PwAAQA 0 66", "pass", "pass"),
        ("4HPwATDgc/ABMA 0 62", "8/1", "8/1"),
        ("4HPwATDgc/ABMA 0 62", "", ""),
        ("4HPwATDgc/ABMA 0 62", "pass", "pass"),
    ],
)
def test_plays(opened: Open, start_: str, said: str, move: str) -> None:
    """In the game's notation if they are plays of the position, else as they are, for the referee to judge."""
    driver, _ = opened(["bestmoves", f"bestmove {said}"])
    driver.begin(GAME, start_, FEW, afresh=True, seed=1)
    assert ask(driver, [], int(start_.split()[1]), start=start_).move == move


@pytest.mark.parametrize(
    ("pace", "words"),
    [
        (Pace(movetime=0.5), "go chequer movetime 500"),
        (Pace(depth=2, nodes=100), "go chequer depth 2 nodes 100"),
        (Pace(), "go chequer"),
    ],
)
def test_bounds_and_version_2(opened: Open, pace: Pace, words: str) -> None:
    driver, engine = opened(["bestmove 8/5 6/5"], "proto 0.2")
    driver.begin(GAME, None, pace, afresh=True, seed=1)
    ask(driver, ["31"], pace=pace)
    assert engine.sent[-1] == words


def test_options(opened: Open) -> None:
    keys = ("key engine.seed int 0..9 0", "proto 0.2")
    options = {"own book": False, "engine.seed": 7, "Engine.Seed": 8}
    _, engine = opened([], *keys, options=options, commands=("keys",))
    assert engine.sent[1:] == [
        "set engine.seed 7",
        "set engine.seed 8",
        "setoption name Own Book value false",
        "keys",
        "isready",
    ]
    with pytest.raises(PlayoutError, match="one: no option 'Own Bok': did you mean 'Own Book'"):
        opened([], options={"Own Bok": False})


def test_what_it_lacks(opened: Open) -> None:
    with pytest.raises(PlayoutError, match=r"one: time control 60\+1: UBGI has no clock, only a time for each move"):
        opened([], pace=read_pace("60+1"))
    with pytest.raises(PlayoutError, match="one: UBGI is for backgammon, not for chess"):
        UbgiDriver(player(["engine"], "ubgi"), catalogue.load("chess"))


def test_errors(opened: Open) -> None:
    driver, _ = opened(["error missing_context dice"])
    driver.begin(GAME, None, FEW, afresh=True, seed=1)
    with pytest.raises(Fault) as fault:
        ask(driver, ["31"])
    assert (fault.value.end, str(fault.value)) == (End.GARBAGE, "it refuses what is legal: error missing_context dice")
    driver, _ = opened([], newgame=["error unknown_command newgame"])
    with pytest.raises(Fault, match="it refuses an order: error unknown_command newgame"):
        driver.begin(GAME, None, FEW, afresh=True, seed=1)


def test_no_answer(opened: Open) -> None:
    driver, engine = opened(["info string what?"])
    driver.begin(GAME, None, FEW, afresh=True, seed=1)
    with pytest.raises(Fault, match=r"no bestmove .* nor after stop; its last line: info string what\?") as fault:
        ask(driver, ["31"])
    assert fault.value.end is End.HANG
    assert engine.sent[-1] == "stop"
    driver, _ = opened(["info string what?"], stop=["bestmove 8/5 6/5"])
    driver.begin(GAME, None, FEW, afresh=True, seed=1)
    with pytest.raises(Fault, match="bestmove only after stop") as fault:
        ask(driver, ["31"])
    assert fault.value.end is End.TIME


def test_a_second_answer(opened: Open) -> None:
    driver, engine = opened(["bestmove 8/5 6/5"])
    driver.begin(GAME, None, FEW, afresh=True, seed=1)
    ask(driver, ["31"])
    engine.pending.append("bestmove 24/20")
    ask(driver, ["31"])
    assert driver.remarks == ["one: a bestmove that nobody asked for: bestmove 24/20"]


@pytest.mark.parametrize(
    ("line", "thought"),
    [
        ("", Thought()),
        ("info role chequer nodes 50 depth 2 eq -0.300 pv 8/5", Thought(-14, None, 2, 50)),
        ("info eq x nodes", Thought()),
        (f"info depth inf nodes 1e999 eq nan depth {'9' * 5000}", Thought()),
    ],
)
def test_thoughts(line: str, thought: Thought) -> None:
    assert thought_of(line, 3) == thought


@pytest.fixture
def running() -> Iterator[Callable[..., Driver]]:
    """Starts real engines."""
    drivers: list[Driver] = []

    def run(command: list[str], **others: Any) -> Driver:
        drivers.append(start(player(command, "ubgi", **others), GAME))
        return drivers[-1]

    yield run
    for driver in drivers:
        driver.close()


def test_a_long_search_is_stopped(running: Callable[..., Driver]) -> None:
    """Its answer is not that of the next game."""
    driver = running(forked("ubgi"), options={"OwnBook": False}, pace=Pace(movetime=3600.0))
    driver.begin(GAME, None, FEW, afresh=True, seed=1)
    with pytest.raises(Fault, match="bestmove only after stop") as fault:
        ask(driver, ["31"], pace=Pace(movetime=3600.0), limit=0.3)
    assert fault.value.end is End.TIME
    start_ = "27YdAAD/PwAAQA 0 66"
    driver.begin(GAME, start_, FEW, afresh=True, seed=1)
    assert ask(driver, [], start=start_).move == "pass"
    assert driver.remarks == []


def test_a_game_with_playout(running: Callable[..., Driver]) -> None:
    options = {"OwnBook": False, "Hash": 1}
    one, two = running(forked("ubgi"), options=options), running(forked("ubgi"), options={"engine.ownbook": False})
    record = play(GAME, (one, two))
    assert record.board.result is not None
    assert len(record.moves) > 40
    assert one.remarks == two.remarks == []
    assert any(answer.thought.nodes for answer in record.answers)
