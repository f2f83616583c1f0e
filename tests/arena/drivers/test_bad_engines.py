"""Engines that misbehave: each driver says what happened, in bounded time, and leaves no process behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playout.arena.drivers import gtp, process, universal, xboard
from playout.arena.drivers.driver import RESIGN, Driver
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.table import start
from playout.arena.play.desk import Desk
from playout.arena.terms.end import End
from playout.arena.terms.job import Adjudication, Job
from playout.games import catalogue

from ...patience import PATIENCE
from .bad import bad
from .conftest import processes
from .playing import UNBOUNDED, ask, player

SHORT = 0.1
"""Seconds until a deadline at which no answer is to have come. A slow machine only makes it come later."""
STARTED = 0.3
"""Seconds until a deadline at which a program has started, but not answered."""
GAMES = {"uci": "chess", "gtp": "go:5", "xboard": "chess"}
FIRST = {"uci": "e2e4", "gtp": "A1", "xboard": "e2e4"}
PROTOCOLS = tuple(GAMES)

Start = Callable[..., Driver]


@pytest.fixture
def running(token: str) -> Iterator[Start]:
    """Starts bad engines, and has them begin a game."""
    drivers = []

    def run(protocol: str, mode: str) -> Driver:
        game = catalogue.load(GAMES[protocol])
        driver = start(player(bad(protocol, mode, token), protocol, pace=UNBOUNDED), game)
        drivers.append(driver)
        driver.begin(game, None, UNBOUNDED, afresh=True, seed=1)
        return driver

    yield run
    for driver in drivers:
        driver.close()
        driver.close()
    assert processes(token) == []


def outcome(driver: Driver, limit: float, grace: float, moves: list[str] | None = None) -> tuple[End, str]:
    """The end and the detail of a fault, or ``NORMAL`` and the move."""
    try:
        answer = ask(driver, moves or [], pace=UNBOUNDED, limit=limit, grace=grace)
    except Fault as fault:
        return fault.end, str(fault)
    # The referee judges an answer that the driver found after the deadline because the machine had stood still.
    return (End.NORMAL if answer.seconds <= limit else End.TIME), answer.move


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("mode", ["good", "in_pieces", "floods", "shouts", "forks", "stays"])
def test_what_costs_nothing(running: Start, protocol: str, mode: str) -> None:
    driver = running(protocol, mode)
    assert driver.name == "Bad"
    assert outcome(driver, PATIENCE, PATIENCE) == (End.NORMAL, FIRST[protocol])


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("mode", "move"),
    [
        ("illegal", {"uci": "e2e5", "gtp": "Z99", "xboard": "e2e5"}),
        ("empty", dict.fromkeys(PROTOCOLS, "")),
        ("none", {"uci": "(none)", "gtp": "NONE", "xboard": "0000"}),
        ("resigns", dict.fromkeys(PROTOCOLS, RESIGN)),
    ],
)
def test_answers_that_the_referee_judges(running: Start, protocol: str, mode: str, move: dict[str, str]) -> None:
    assert outcome(running(protocol, mode), PATIENCE, PATIENCE) == (End.NORMAL, move[protocol])


CRASHES = {
    "dies": (End.CRASH, "it ended with status 3: no file of weights"),
    "leaves": (End.EXIT, "it ended by itself"),
    "crashes": (End.CRASH, "it was ended by SIGSEGV: about to crash"),
    "drones": (End.GARBAGE, "a line of more than 1048576 bytes"),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("mode", CRASHES)
def test_engines_that_fail_at_a_move(running: Start, protocol: str, mode: str) -> None:
    assert outcome(running(protocol, mode), PATIENCE, PATIENCE) == CRASHES[mode]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_engine_that_closes_its_output(running: Start, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "VERDICT", SHORT)
    assert outcome(running(protocol, "closes"), PATIENCE, PATIENCE) == (End.DISCONNECT, "it closed its output")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("mode", ["mute", "deaf", "babbles", "garbage", "tells"])
def test_engines_that_never_answer(running: Start, protocol: str, mode: str) -> None:
    """However much they write."""
    driver = running(protocol, mode)
    if mode == "garbage":
        impatient(driver, after="blah blah")
        end, detail = outcome(driver, PATIENCE, PATIENCE)
        assert detail.endswith("; its last line: blah blah")
    else:
        end, detail = outcome(driver, SHORT, SHORT)
    if (protocol, mode) == ("gtp", "tells") and end is End.GARBAGE:
        assert detail == "a response of more than 1048576 characters: = A1"
    else:
        assert end is End.HANG
        wanted = {"uci": "no bestmove", "gtp": "no answer to genmove", "xboard": "no move"}
        assert detail.startswith(wanted[protocol])


def test_a_response_without_an_end(running: Start) -> None:
    end, detail = outcome(running("gtp", "tells"), PATIENCE, PATIENCE)
    assert (end, detail) == (End.GARBAGE, "a response of more than 1048576 characters: = A1")


@pytest.mark.parametrize(("protocol", "order"), [("uci", "stop"), ("xboard", r"\?")])
def test_an_answer_only_after_stop(running: Start, protocol: str, order: str) -> None:
    """It is consumed: the next one is the answer to the next question."""
    driver = running(protocol, "after_stop")
    with pytest.raises(Fault, match=f"only after {order}, ") as fault:
        ask(driver, [], pace=UNBOUNDED, limit=SHORT, grace=PATIENCE)
    assert fault.value.end is End.TIME
    assert fault.value.began is not None
    driver.begin(catalogue.load("chess"), None, UNBOUNDED, afresh=True, seed=1)
    with pytest.raises(Fault) as fault:
        ask(driver, [], pace=UNBOUNDED, limit=SHORT, grace=PATIENCE)
    assert fault.value.end is End.TIME


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_answer_after_the_time(running: Start, protocol: str) -> None:
    """The engine thinks for a second and does not listen to ``stop``. Its answer does not come in the next game."""
    driver, game = running(protocol, "slow"), catalogue.load(GAMES[protocol])
    assert outcome(driver, SHORT, PATIENCE)[0] is End.TIME
    driver.begin(game, None, UNBOUNDED, afresh=True, seed=1)
    answer = ask(driver, [], pace=UNBOUNDED)
    assert answer.move in ("d2d4", "B2")
    assert answer.seconds >= 1.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_second_answer(running: Start, protocol: str) -> None:
    """It is not the answer to the next question, and the report has a remark about it."""
    driver = running(protocol, "twice")
    moves = {"gtp": ["A1", "E5"]}.get(protocol, ["e2e4", "e7e5"])
    first = ask(driver, [], pace=UNBOUNDED)
    second = ask(driver, moves, pace=UNBOUNDED)
    assert [first.move, second.move] == [FIRST[protocol], {"gtp": "C3"}.get(protocol, "g1f3")]
    [remark] = driver.remarks
    assert remark.startswith("one: ")
    assert {"gtp": "= B2"}.get(protocol, "d2d4") in remark


@pytest.mark.parametrize(
    ("protocol", "detail"),
    [("gtp", "genmove: ? cannot think"), ("xboard", "it refuses what is legal: Illegal move: e7e5")],
)
def test_refusals_to_move(running: Start, protocol: str, detail: str) -> None:
    assert outcome(running(protocol, "refuses"), PATIENCE, PATIENCE) == (End.GARBAGE, detail)


def test_a_gtp_engine_that_refuses_a_legal_move(running: Start) -> None:
    wanted = (End.GARBAGE, "play w E5: ? illegal move")
    assert outcome(running("gtp", "refuses"), PATIENCE, PATIENCE, ["E5"]) == wanted


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_unasked_output_without_end(running: Start, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = running(protocol, "spills")
    assert outcome(driver, PATIENCE, PATIENCE) == (End.NORMAL, FIRST[protocol])
    monkeypatch.setattr(gtp, "PATIENCE", SHORT)
    end, _ = outcome(driver, SHORT, SHORT, {"gtp": ["A1", "E5"]}.get(protocol, ["e2e4", "e7e5"]))
    assert end in (End.GARBAGE, End.HANG)  # whether it writes faster than it is read


def test_an_engine_that_does_not_read_a_long_game(running: Start) -> None:
    driver = running("uci", "deaf")
    driver._process.send("go\n", time.monotonic() + PATIENCE)  # type: ignore[attr-defined]
    wanted = (End.HANG, "it does not read its input")
    assert outcome(driver, SHORT, SHORT, ["e2e4"] * 2**20) == wanted


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_engine_that_closes_its_input(running: Start, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "VERDICT", SHORT)
    driver = running(protocol, "closes_input")
    assert outcome(driver, PATIENCE, PATIENCE) == (End.NORMAL, FIRST[protocol])
    monkeypatch.setattr(gtp, "PATIENCE", SHORT)  # what is written before it has closed its input has no answer
    moves = {"gtp": ["A1", "E5"]}.get(protocol, ["e2e4", "e7e5"])
    for _ in range(100):  # until it has closed it
        if (found := outcome(driver, SHORT, SHORT, moves))[0] is not End.HANG:
            break
    assert found == (End.DISCONNECT, "it closed its input")


STARTS = {
    "dies_at_once": CRASHES["dies"],
    "leaves_at_once": CRASHES["leaves"],
    "drones_at_once": CRASHES["drones"],
    "mute_at_once": (End.HANG, {"uci": "no uciok", "gtp": "no answer to name", "xboard": "no feature done=1"}),
    "babbles_at_once": (End.HANG, {"uci": "no uciok", "gtp": "no answer to name", "xboard": "no feature done=1"}),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("mode", STARTS)
def test_engines_that_do_not_start(protocol: str, mode: str, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    end, detail = STARTS[mode]
    for module in (gtp, universal, xboard):
        if end is End.HANG:
            monkeypatch.setattr(module, "PATIENCE", STARTED)
    with pytest.raises(Fault) as fault:
        start(player(bad(protocol, mode, token), protocol, pace=UNBOUNDED), catalogue.load(GAMES[protocol]))
    assert fault.value.end is end
    assert str(fault.value).startswith(detail if isinstance(detail, str) else detail[protocol])
    assert processes(token) == []


def impatient(driver: Any, after: str) -> None:
    """Lets the deadline pass as soon as the line ``after`` has come."""
    line, seen = driver._process.line, False

    def until(deadline: float) -> str | None:
        nonlocal seen
        if seen:
            return None
        text: str | None = line(deadline)
        seen = text == after
        return text

    driver._process.line = until


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_engine_that_ends_between_two_games_loses_neither(token: str, protocol: str) -> None:
    """It moves in the first game, which then is over; in the second one its opponent does."""
    one = player(bad(protocol, "departs", token), protocol, pace=UNBOUNDED)
    two = player(bad(protocol, "good", token), protocol, pace=UNBOUNDED)
    wanted = Job(id="e/1/1", game=GAMES[protocol], players=(one, two), adjudication=Adjudication(plies=1))
    desk = Desk()
    try:
        games = [played for _, played in desk.play(wanted)]
    finally:
        desk.close()
    assert [(played.end, len(played.moves)) for played in games] == [(End.MOVES, 1)] * 2
    assert "one: started anew before the game: it ended by itself" in games[1].remarks
