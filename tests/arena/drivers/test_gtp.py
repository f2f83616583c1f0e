"""GTP: the commands that the driver writes, and games with engines that speak it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playout.arena.drivers import gtp
from playout.arena.drivers.driver import RESIGN, ClockFace, Driver, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.gtp import GtpDriver
from playout.arena.drivers.table import start
from playout.arena.play.board import board_of
from playout.arena.terms.end import End
from playout.arena.terms.pace import Pace, read_pace
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ...needs import needs, program
from ...opponents.pipe import forked
from .playing import UNBOUNDED, ask, play, player
from .scripted import Scripted, script

GO = catalogue.load("go:5,komi=0.5")
SWAP = catalogue.load("hex:3,swap=true")
FISCHER, KGS = "kata-time_settings", "kgs-time_settings"

Open = Callable[..., tuple[GtpDriver, Scripted]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Starts an engine with given answers; all others are successes without a text."""

    def open_(
        answers: dict[str, str] | None = None, game: Any = GO, pace: Pace = UNBOUNDED, commands: str = "", **others: Any
    ) -> tuple[GtpDriver, Scripted]:
        texts = {"name": "= Some Engine", "version": "=\t1.0", "list_commands": f"= name\n{commands}"} | (answers or {})
        started = script(monkeypatch, gtp, lambda line: [*texts.get(line, "=").split("\n"), ""])
        return GtpDriver(player(["engine"], "gtp", pace, **others), game), started[-1]

    return open_


def test_a_game(opened: Open) -> None:
    driver, engine = opened({"genmove b": "=C3", "genmove w": "= PASS"})
    assert driver.name == "Some Engine 1.0"
    assert engine.take() == ["name", "version", "list_commands"]
    driver.begin(GO, None, UNBOUNDED, afresh=True, seed=1)
    assert engine.take() == ["boardsize 5", "clear_board", "komi 0.5"]
    moves: list[str] = []
    assert ask(driver, moves).move == "C3"
    assert engine.take() == ["genmove b"]
    moves += ["C3", "D4"]
    assert ask(driver, moves).move == "C3"
    assert engine.take() == ["play w D4", "genmove b"]
    driver.begin(GO, None, UNBOUNDED, afresh=True, seed=1)
    engine.take()
    assert ask(driver, ["A1", "A2", "A3"], 1).move == "pass"
    assert engine.take() == ["play b A1", "play w A2", "play b A3", "genmove w"]


FOUR = catalogue.load("connect_four:5,4")


@pytest.mark.parametrize(
    ("game", "moves", "said", "move"),
    [
        (GO, [], "=c3", "C3"),
        (GO, [], "= c3 ", "C3"),
        (GO, [], "=7 pass", "pass"),
        (GO, [], "= PASS", "pass"),
        (GO, [], "= Resign", RESIGN),
        (GO, [], "= RESIGN", RESIGN),
        (GO, [], "noise\n\n= c3", "C3"),
        (GO, [], "=", ""),
        (GO, [], "= Z99", "Z99"),
        (GO, [], "= C3\nand more", "C3\nand more"),
        (SWAP, ["b2"], "= SWAP-PIECES", "swap-pieces"),
        (SWAP, ["b2"], "= swap", "swap-pieces"),
        (FOUR, [], "= B1", "b"),
    ],
)
def test_moves(opened: Open, game: Any, moves: list[str], said: str, move: str) -> None:
    """They come in the game's notation if they are moves of the position, else as they are."""
    mover = len(moves) % 2
    driver, _ = opened({f"genmove {'bw'[mover]}": said}, game)
    driver.begin(game, None, UNBOUNDED, afresh=True, seed=1)
    assert ask(driver, moves, mover).move == move


def test_responses_of_several_lines_and_with_numbers(opened: Open) -> None:
    driver, engine = opened({"list_commands": "=3 name\nplay\nplayout-set_option\n", "name": "=1 Old", "version": "=2"})
    assert driver.name == "Old"
    assert engine.sent == ["name", "version", "list_commands"]


@pytest.mark.parametrize(
    ("pace", "commands", "sent"),
    [
        (UNBOUNDED, "", []),
        (Pace(movetime=0.2), "", []),
        (Pace(movetime=1.0), "", ["time_settings 0 1 1"]),
        (Pace(movetime=1.6), "", ["time_settings 0 1 1"]),
        (Pace(movetime=0.2), FISCHER, ["time_settings 0 0.2 1"]),
        (read_pace("60"), "", ["time_settings 60 0 0"]),
        (read_pace("40/60"), "", ["time_settings 0 60 40"]),
        (read_pace("60+5x10"), "", ["time_settings 60 10 1"]),
        (read_pace("60+5x10"), KGS, ["kgs-time_settings byoyomi 60 10 5"]),
        (read_pace("60+2"), FISCHER, ["kata-time_settings fischer 60 2"]),
    ],
)
def test_time_settings(opened: Open, pace: Pace, commands: str, sent: list[str]) -> None:
    driver, engine = opened(pace=pace, commands=commands)
    engine.take()
    driver.begin(GO, None, pace, afresh=True, seed=1)
    assert engine.take() == ["boardsize 5", "clear_board", "komi 0.5", *sent]


@pytest.mark.parametrize(
    ("pace", "complaint"),
    [
        (read_pace("60+2"), "one: time control 60+2: this GTP engine knows no increments"),
        (read_pace("40/60+1"), "one: time control 40/60+1: GTP has either moves or an increment"),
        (Pace(nodes=5), "one: GTP has no limits of nodes or depth; use its options, command line or `commands`"),
        (Pace(depth=5), "one: GTP has no limits of nodes or depth; use its options, command line or `commands`"),
    ],
)
def test_paces_that_it_lacks(opened: Open, pace: Pace, complaint: str) -> None:
    with pytest.raises(PlayoutError) as error:
        opened(pace=pace, commands=FISCHER if pace.moves else "")
    assert str(error.value) == complaint


@pytest.mark.parametrize(
    ("commands", "sent"),
    [
        ("time_left", ["time_left b 12 0", "time_left w 10 1"]),
        (f"time_left\n{KGS}", ["time_left b 12 0", "time_left w 10 3"]),
        ("", []),
    ],
)
def test_clocks(opened: Open, commands: str, sent: list[str]) -> None:
    """An engine that was told one period of one move hears of no other; one without the command hears nothing."""
    pace = read_pace("60+5x10")
    driver, engine = opened({"genmove b": "= C3"}, pace=pace, commands=commands)
    driver.begin(GO, None, pace, afresh=True, seed=1)
    engine.take()
    driver.choose(Scene(None, [], 0), (ClockFace(pace, 12.7), ClockFace(pace, 10.0, None, 3)), 1.0, 1.0)
    assert engine.take() == [*sent, "genmove b"]


def test_a_clock_with_moves(opened: Open) -> None:
    pace = read_pace("40/60")
    driver, engine = opened({"genmove b": "= C3"}, pace=pace, commands="time_left")
    driver.begin(GO, None, pace, afresh=True, seed=1)
    engine.take()
    driver.choose(Scene(None, [], 0), (ClockFace(pace, 12.7, 31), ClockFace(pace, 10.0, 30)), 1.0, 1.0)
    assert engine.take() == ["time_left b 12 31", "time_left w 10 30", "genmove b"]


def test_options(opened: Open) -> None:
    options = {"MaxNodes": 20, "OwnBook": False}
    _, engine = (
        opened(commands="playout-set_option", options=options, commands_="x")
        if False
        else opened(commands="playout-set_option", options=options)
    )
    assert engine.sent[3:] == ["playout-set_option MaxNodes 20", "playout-set_option OwnBook false"]
    with pytest.raises(PlayoutError, match="one: option 'MaxNodes': GTP has no options"):
        opened(options=options)
    refused = {"playout-set_option MaxNodes 20": "? no such option"}
    with pytest.raises(PlayoutError, match="one: option 'MaxNodes': no such option"):
        opened(refused, commands="playout-set_option", options=options)


def test_output_that_nobody_asked_for(opened: Open) -> None:
    """A second answer is not taken for that to the next command."""
    driver, engine = opened({"genmove b": "= C3"})
    driver.begin(GO, None, UNBOUNDED, afresh=True, seed=1)
    engine.pending.extend(["= D4", "", "? what", ""])
    assert ask(driver, ["A1", "A2"]).move == "C3"
    assert driver.remarks == ["one: output that nobody asked for: = D4"]


def test_a_refused_command_is_named(opened: Open) -> None:
    driver, _ = opened({"play b A1": "?2 illegal move", "boardsize 7": "? unacceptable size"})
    driver.begin(GO, None, UNBOUNDED, afresh=True, seed=1)
    with pytest.raises(Fault) as fault:
        ask(driver, ["A1"], 1)
    assert (fault.value.end, str(fault.value)) == (End.GARBAGE, "play b A1: ?2 illegal move")
    with pytest.raises(Fault, match="boardsize 7: \\? unacceptable size"):
        driver.begin(catalogue.load("go:7"), None, UNBOUNDED, afresh=True, seed=1)


def test_a_position(opened: Open) -> None:
    driver, engine = opened({"genmove w": "= C3"})
    state = GO.initial_state()
    for move in ("A1", "E5", "B2"):
        state = GO.next_state(state, GO.text_to_action(state, move))
    engine.take()
    driver.begin(GO, GO.state_to_text(state), UNBOUNDED, afresh=True, seed=1)
    assert engine.take() == ["boardsize 5", "clear_board", "komi 0.5", "play b A1", "play b B2", "play w E5"]
    chess = catalogue.load("chess")
    with pytest.raises(PlayoutError, match="chess: GTP cannot set up the position"):
        driver.begin(chess, chess.state_to_text(chess.initial_state()), UNBOUNDED, afresh=True, seed=1)


@pytest.fixture
def running() -> Iterator[Callable[..., Driver]]:
    """Starts real engines."""
    drivers: list[Driver] = []

    def run(command: list[str], game: Any, **others: Any) -> Driver:
        drivers.append(start(player(command, "gtp", UNBOUNDED, **others), game))
        return drivers[-1]

    yield run
    for driver in drivers:
        driver.close()


FEW = {"MaxNodes": 20, "OwnBook": False}


@needs("gnugo")
def test_a_game_with_gnu_go(running: Callable[..., Driver]) -> None:
    """To the end, twice in the same processes."""
    game = catalogue.load("go:5")
    command = [str(program("gnugo")), "--mode", "gtp", "--level", "1", "--chinese-rules"]
    one, two = running(command, game), running(forked("gtp", "--game", "go:5"), game, options=FEW)
    assert one.name.startswith("GNU Go 3")
    for drivers in ((one, two), (two, one)):
        record = play(game, drivers, pace=UNBOUNDED, plies=120)
        assert record.board.result is not None or record.answers[-1].move == RESIGN or len(record.moves) == 120
    assert one.remarks == two.remarks == []


@pytest.mark.parametrize("name", ["hex:3", "hex:4,swap=true", "chess", "tic_tac_toe", "connect_four:5,4", "go:3"])
def test_games_with_playout(running: Callable[..., Driver], name: str) -> None:
    """On both sides: the colours of the moves are those of the players."""
    game = catalogue.load(name)
    one, two = (running(forked("gtp", "--game", name), game, options=FEW) for _ in range(2))
    record = play(game, (one, two), pace=UNBOUNDED, plies=40)
    assert record.board.result is not None or record.answers[-1].move == RESIGN or len(record.moves) == 40
    assert one.remarks == two.remarks == []


def test_the_other_player_may_swap(running: Callable[..., Driver]) -> None:
    driver = running(forked("gtp", "--game", SWAP.name), SWAP, options=FEW)
    driver.begin(SWAP, None, UNBOUNDED, afresh=True, seed=1)
    board = board_of(SWAP)
    for move in ("b2", "swap-pieces"):
        board.play(move)
    board.play(ask(driver, board.moves, board.player or 0, pace=UNBOUNDED).move)
