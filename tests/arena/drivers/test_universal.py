"""UCI and UGI: the lines that the driver writes, and games with engines that speak them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playout.arena.drivers import universal
from playout.arena.drivers.driver import ClockFace, Driver, Scene, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.table import start
from playout.arena.drivers.universal import UniversalDriver, thought_of
from playout.arena.terms.end import End
from playout.arena.terms.pace import Pace, read_pace
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ...needs import needs, program
from ...opponents.pipe import forked
from .playing import FEW, UNBOUNDED, ask, play, player
from .scripted import Scripted, script

CHESS = catalogue.load("chess")
MNK = f"{Path(__file__).parents[2]}/users/mnk.py:Mnk"
INTRODUCTION = ["id name Some Engine  1.0", "option name Move Overhead type spin default 10 min 0 max 100"]

Open = Callable[..., tuple[UniversalDriver, Scripted]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Starts an engine that answers each ``go`` with the next of some lines."""

    def open_(
        protocol: str, answers: list[list[str]], game: Any = CHESS, *introduction: str, **others: Any
    ) -> tuple[UniversalDriver, Scripted]:
        left = iter(answers)

        def reply(line: str) -> list[str]:
            word = line.split()[0]
            if word == protocol:
                return [*INTRODUCTION, *introduction, f"{protocol}ok "]
            if word == "isready":
                return ["info string ready", "readyok "]
            return next(left) if word == "go" else []

        started = script(monkeypatch, universal, reply)
        driver = UniversalDriver(player(["engine"], protocol, **others), game)
        return driver, started[-1]

    return open_


def test_a_game_on_a_clock(opened: Open) -> None:
    driver, engine = opened("uci", [["info depth 3 score cp 8", "bestmove e2e4 ponder e7e5"], ["bestmove g1f3"]])
    assert driver.name == "Some Engine 1.0"
    assert engine.take() == ["uci", "isready"]
    pace = read_pace("40/60+0.5")
    driver.begin(CHESS, None, pace, afresh=True, seed=1)
    assert engine.take() == ["ucinewgame", "isready"]
    faces = ClockFace(pace, 59.5, 38), ClockFace(pace, 0.0001, 39)
    moves: list[str] = []
    answer = driver.choose(Scene(None, moves, 0), faces, 1.0, 1.0)
    assert (answer.move, answer.thought) == ("e2e4", Thought(8, None, 3, None))
    assert engine.take() == ["position startpos", "go wtime 59500 btime 1 winc 500 binc 500 movestogo 38"]
    moves += ["e2e4", "e7e5"]
    assert driver.choose(Scene(None, moves, 0), faces, 1.0, 1.0).move == "g1f3"
    assert engine.take()[0] == "position startpos moves e2e4 e7e5"
    driver.begin(CHESS, "8/8/8/8/8/k7/8/K1R5 w - - 0 1", pace, afresh=False, seed=1)
    assert engine.take() == ["isready"]


@pytest.mark.parametrize(
    ("pace", "words"),
    [
        (UNBOUNDED, "go"),
        (Pace(nodes=50), "go nodes 50"),
        (Pace(movetime=0.25, depth=7), "go movetime 250 depth 7"),
        (read_pace("10"), "go p1time 10000 p2time 10000"),
        (read_pace("10+5x3"), "go p1time 10000 p2time 10000"),
    ],
)
def test_bounds(opened: Open, pace: Pace, words: str) -> None:
    driver, engine = opened("ugi", [["bestmove a b"]])
    driver.begin(CHESS, None, pace, afresh=True, seed=1)
    ask(driver, [], pace=pace)
    assert engine.sent[-1] == words


@pytest.mark.parametrize("protocol", ["uci", "ugi"])
def test_a_byo_yomi_period_is_for_one_move(opened: Open, protocol: str) -> None:
    driver, engine = opened(protocol, [["bestmove e2e4"], ["bestmove g1f3"]])
    pace = read_pace("10+5x3")
    driver.begin(CHESS, None, pace, afresh=True, seed=1)
    faces = ClockFace(pace, 3.0, None, 5), ClockFace(pace, 10.0)
    driver.choose(Scene(None, [], 0), faces, 1.0, 1.0)
    assert engine.sent[-1].endswith("time 3000 " + ("btime" if protocol == "uci" else "p2time") + " 10000 movestogo 1")
    driver.choose(Scene(None, ["e2e4"], 1), faces, 1.0, 1.0)
    assert "movestogo" not in engine.sent[-1]


def test_a_position(opened: Open) -> None:
    driver, engine = opened("uci", [["bestmove c1c3"]])
    fen = "8/8/8/8/8/k7/8/K1R5 w - - 0 1"
    driver.begin(CHESS, fen, UNBOUNDED, afresh=True, seed=1)
    ask(driver, ["c1c2", "a3b3"], start=fen)
    assert engine.sent[-2] == f"position fen {fen} moves c1c2 a3b3"


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("chess", "position startpos"),
        ("chess:chess960=true", "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("chess:chess960=true,position=0", "position fen bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"),
    ],
)
def test_arrays_of_chess960_are_written_out(opened: Open, game: str, words: str) -> None:
    loaded = catalogue.load(game)
    driver, engine = opened("uci", [["bestmove e2e4"]], loaded, "option name UCI_Chess960 type check default false")
    value = "true" if "960" in game else "false"
    assert engine.take() == ["uci", f"setoption name UCI_Chess960 value {value}", "isready"]
    driver.begin(loaded, None, UNBOUNDED, afresh=True, seed=1)
    ask(driver, [])
    assert engine.sent[-2] == words


def test_an_engine_without_chess960(opened: Open) -> None:
    with pytest.raises(PlayoutError, match="one: it does not play Chess960"):
        opened("uci", [], catalogue.load("chess:chess960=true"))


@pytest.mark.parametrize(
    ("protocol", "line", "move"),
    [
        ("uci", "bestmove e2e4", "e2e4"),
        ("uci", "bestmove  e7e8q  ponder a7a8q", "e7e8q"),
        ("uci", "bestmove", ""),
        ("ugi", "bestmove a1 b2 b3", "a1 b2 b3"),
        ("ugi", "bestmove a1 ponder b2", "a1"),
        ("ugi", "bestmove", ""),
    ],
)
def test_moves(opened: Open, protocol: str, line: str, move: str) -> None:
    driver, _ = opened(protocol, [["bestmoves", "info", "", line]])
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    assert ask(driver, []).move == move


def test_a_move_of_two_words_cannot_be_told(opened: Open) -> None:
    driver, _ = opened("ugi", [])
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    with pytest.raises(PlayoutError, match="UGI writes a move as one word: 'a1 b2'"):
        ask(driver, ["a1 b2"])


def test_a_bestmove_that_nobody_asked_for(opened: Open) -> None:
    driver, engine = opened("uci", [["bestmove e2e4"], ["bestmove g1f3"]])
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    ask(driver, [])
    engine.pending.append("bestmove a2a3")
    assert ask(driver, ["e2e4", "e7e5"]).move == "g1f3"
    engine.pending.append("bestmove a2a4")
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    assert [remark.rpartition(": ")[2] for remark in driver.remarks] == ["bestmove a2a3", "bestmove a2a4"]


def test_options(opened: Open) -> None:
    extra = ("option name Ponder type check default false", "option name Clear Hash type button")
    options = {"move overhead": 30, "Ponder": True, "Clear Hash": ""}
    _, engine = opened("uci", [], CHESS, *extra, options=options, commands=("debug off",))
    assert engine.take() == [
        "uci",
        "setoption name Move Overhead value 30",
        "setoption name Ponder value true",
        "setoption name Clear Hash",
        "debug off",
        "isready",
    ]
    with pytest.raises(PlayoutError, match="one: no option 'Moveoverhead': did you mean 'Move Overhead'"):
        opened("uci", [], options={"Moveoverhead": 30})


@pytest.mark.parametrize(
    ("line", "thought"),
    [
        ("", Thought()),
        ("info depth 12 seldepth 20 score cp -31 nodes 900 nps 5 pv e2e4", Thought(-31, None, 12, 900)),
        ("info depth 5 score mate -3 nodes 7", Thought(None, -3, 5, 7)),
        ("info score cp x depth", Thought()),
        ("info depth ² score cp --5 nodes +", Thought()),
        (f"info depth {'9' * 5000} score cp {'9' * 19} nodes 7", Thought(None, None, None, 7)),
        ("info pv depth 3 nodes 4", Thought()),
    ],
)
def test_thoughts(line: str, thought: Thought) -> None:
    assert thought_of(line) == thought


def test_the_score_is_that_of_the_first_line(opened: Open) -> None:
    said = ["info multipv 1 score cp 5", "info multipv 2 score cp 3", "info score cp 9 lowerbound", "info nodes 4"]
    driver, _ = opened("uci", [[*said, "bestmove e2e4"]])
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    assert ask(driver, []).thought == Thought(5)


@pytest.fixture
def running() -> Iterator[Callable[..., Driver]]:
    """Starts real engines."""
    drivers: list[Driver] = []

    def run(command: list[str], protocol: str, game: Any, **others: Any) -> Driver:
        drivers.append(start(player(command, protocol, **others), game))
        return drivers[-1]

    yield run
    for driver in drivers:
        driver.close()


@needs("stockfish")
@pytest.mark.parametrize("name", ["chess", "chess:chess960=true,position=0"])
def test_a_game_with_stockfish(running: Callable[..., Driver], name: str) -> None:
    """Against playout; of Chess960 with a castling of each side."""
    game = catalogue.load(name)
    options = {"Hash": 1, "Threads": 1}
    one = running([str(program("stockfish"))], "uci", game, options=options)
    two = running(forked("uci"), "uci", game, options=options)
    assert one.name.startswith("Stockfish")
    opening = ("f1g1", "f8g8") if "960" in name else ()
    start_ = "5rk1/pppppppp/8/8/8/8/PPPPPPPP/5RK1 w - - 0 1" if not opening else None
    record = play(game, (one, two), start=start_, plies=30)
    assert len(record.moves) == 30 or record.board.result is not None
    assert all(answer.thought.depth is not None and answer.thought.nodes for answer in record.answers)
    assert one.remarks == two.remarks == []


@needs("stockfish")
def test_a_search_without_end_is_stopped(running: Callable[..., Driver]) -> None:
    """Its answer is not that of the next game."""
    driver = running([str(program("stockfish"))], "uci", CHESS, pace=UNBOUNDED, options={"Hash": 1})
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    with pytest.raises(Fault, match="bestmove only after stop") as fault:
        ask(driver, [], pace=UNBOUNDED, limit=0.3)
    assert fault.value.end is End.TIME
    fen = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    driver.begin(CHESS, fen, UNBOUNDED, afresh=True, seed=1)
    answer = ask(driver, [], start=fen, pace=Pace(depth=3))
    assert (answer.move, answer.thought.mate) == ("a1a8", 1)
    assert driver.remarks == []


@needs("stockfish")
def test_options_of_stockfish(running: Callable[..., Driver]) -> None:
    with pytest.raises(PlayoutError, match="one: no option 'Hahs': did you mean 'Hash'"):
        running([str(program("stockfish"))], "uci", CHESS, options={"Hahs": 1})


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four:5,4", "hex:3", "go:3", "backgammon", MNK])
def test_games_by_ugi(running: Callable[..., Driver], name: str) -> None:
    """To the end; the rolls of the dice are moves."""
    game = catalogue.load(name)
    drivers = tuple(running(forked("ugi", "--game", name), "ugi", game, options={"Hash": 1}) for _ in range(2))
    record = play(game, (drivers[0], drivers[1]), pace=FEW, plies=60)
    assert record.board.result is not None or len(record.moves) == 60
    assert drivers[0].remarks == drivers[1].remarks == []


def test_the_command_may_name_the_game(running: Callable[..., Driver]) -> None:
    game = catalogue.load("connect_four:5,4")
    driver = running(forked("ugi", "--game", "{game}"), "ugi", game)
    driver.begin(game, None, FEW, afresh=True, seed=1)
    assert ask(driver, ["a1", "a2"], pace=FEW).thought.nodes == 20


def test_a_program_that_is_no_engine(running: Callable[..., Driver]) -> None:
    with pytest.raises(Fault, match="it ended"):
        running(["true"], "uci", CHESS)
