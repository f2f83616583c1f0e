"""XBoard's protocol: the lines that the driver writes, and games with engines that speak it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playout.arena.drivers import xboard
from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Driver, Scene, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.table import start
from playout.arena.drivers.xboard import XBoardDriver
from playout.arena.terms.end import End
from playout.arena.terms.pace import Pace, read_pace
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.hex import Hex

from ...needs import needs, program
from ...opponents.pipe import forked
from .playing import FEW, UNBOUNDED, ask, play, player
from .scripted import Scripted, script

CHESS = catalogue.load("chess")
CHESS960 = catalogue.load("chess:chess960=true")
CASTLING = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
FEATURES = "ping=1 setboard=1 usermove=1 colors=0 reuse=1 nps=1 memory=1 smp=1"


class Desk:
    """A driver and the scripted engines that it started, the last one first of all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.features = [f"feature {FEATURES}", "feature done=1"]
        self.answers: dict[str, list[str]] = {}
        self.moves = iter(["e2e4", "g1f3"])
        self.started = script(monkeypatch, xboard, self.reply)
        monkeypatch.setattr(xboard, "SILENCE", 1.0)

    def reply(self, line: str) -> list[str]:
        word, _, rest = line.partition(" ")
        if line in self.answers:
            return self.answers[line]
        if word == "protover":
            return self.features
        return ["pong 0", f"pong {rest} "] if word == "ping" else []

    @property
    def engine(self) -> Scripted:
        return self.started[-1]

    def open(self, game: Any = CHESS, pace: Pace = UNBOUNDED, **others: Any) -> XBoardDriver:
        return XBoardDriver(player(["engine"], "xboard", pace, **others), game)

    def begun(self, game: Any = CHESS, start: str | None = None) -> XBoardDriver:
        driver = self.open(game)
        driver.begin(game, start, UNBOUNDED, afresh=True, seed=1)
        self.engine.take()
        return driver


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_a_whole_game(desk: Desk) -> None:
    """With a move of the opening, on a clock; what the engine writes on the way costs nothing."""
    pace = read_pace("40/1:30+0.5")
    driver = desk.open(pace=pace)
    assert desk.engine.take() == [
        "xboard",
        "protover 2",
        *(f"accepted {word.partition('=')[0]}" for word in FEATURES.split()),
        "accepted done",
        "ping 1",
    ]
    driver.begin(CHESS, None, pace, afresh=True, seed=1)
    assert desk.engine.take() == ["new", "level 40 1:30 0.5", "easy", "post", "force", "ping 2"]

    def faces(own: float, other: float) -> tuple[ClockFace, ClockFace]:
        return ClockFace(pace, other), ClockFace(pace, own)

    moves = ["e2e4"]
    desk.answers["go"] = ["# a comment", "3 15 2 900 e7e5 g1f3", "9. -31 150 81000 e7e5", "move e7e5"]
    answer = driver.choose(Scene(None, moves, 1), faces(90.5, 80.0), 1.0, 1.0)
    assert desk.engine.take() == ["usermove e2e4", "time 9050", "otim 8000", "go"]
    assert (answer.move, answer.thought) == ("e7e5", Thought(-31, None, 9, 81000))
    moves += ["e7e5", "g1f3"]
    desk.answers["usermove g1f3"] = ["offer draw", "1 100005 0 7 Qh4", "move Qh4"]
    answer = driver.choose(Scene(None, moves, 1), faces(0.001, 80.0), 1.0, 1.0)
    assert desk.engine.take() == ["time 1", "otim 8000", "usermove g1f3"]
    assert (answer.move, answer.thought) == ("d8h4", Thought(None, 5, 1, 7))
    desk.engine.pending.append("0-1 {White resigns}")
    driver.finish(-1.0)
    assert desk.engine.take() == ["result 0-1 {}", "force"]
    assert driver.remarks == ["one: it says, unasked: offer draw"]
    driver.begin(CHESS, CASTLING, pace, afresh=True, seed=1)
    assert desk.engine.take()[-3:] == ["force", f"setboard {CASTLING}", "ping 3"]
    assert len(desk.started) == 1


def test_moves_that_nobody_thought_about_come_in_force_mode(desk: Desk) -> None:
    driver = desk.begun()
    desk.answers["go"] = ["move a2a3"]
    ask(driver, ["e2e4", "e7e5"])
    assert desk.engine.take() == ["usermove e2e4", "usermove e7e5", "go"]
    ask(driver, ["e2e4", "e7e5", "a2a3", "a7a6", "b2b3", "b7b6"])
    assert desk.engine.take() == ["force", "usermove a7a6", "usermove b2b3", "usermove b7b6", "go"]


@pytest.mark.parametrize(
    ("features", "sent"),
    [
        ("usermove=0", ["e2e4", "f7f6", "d1h5", "black", "go"]),
        ("usermove=1 san=1", ["usermove e4", "usermove f6", "usermove Qh5", "black", "go"]),
        ("san=1 colors=0", ["e4", "f6", "Qh5", "go"]),
    ],
)
def test_notations(desk: Desk, features: str, sent: list[str]) -> None:
    desk.features = [f"feature {features} done=1"]
    desk.answers["go"] = ["move g6"]
    driver = desk.begun()
    assert ask(driver, ["e2e4", "f7f6", "d1h5"], 1).move == "g7g6"
    assert desk.engine.take() == sent


@pytest.mark.parametrize(
    ("game", "start", "said", "move"),
    [
        (CHESS, CASTLING, "O-O", "e1g1"),
        (CHESS, CASTLING, "e1g1", "e1g1"),
        (CHESS960, CASTLING, "O-O-O", "e1a1"),
        (CHESS, "8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", "a7a8q"),
        (CHESS, "8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a7a8n"),
        (CHESS, CASTLING, "Qd4", "Qd4"),
        (CHESS, CASTLING, "", ""),
        (CHESS, CASTLING, "0000", "0000"),
    ],
)
def test_moves_of_the_engine(desk: Desk, game: Any, start: str, said: str, move: str) -> None:
    """A text that is no move comes through to the referee."""
    desk.features = [f'feature {FEATURES} variants="normal,fischerandom"', "feature done=1"]
    desk.answers["go"] = [f"move {said}"]
    assert ask(desk.begun(game, start), [], start=start).move == move


def test_castling_in_chess960_is_written_with_o(desk: Desk) -> None:
    desk.features = [f'feature {FEATURES} variants="normal,fischerandom" done=1']
    desk.answers["go"] = ["move e8d8"]
    driver = desk.open(CHESS960)
    desk.engine.take()
    driver.begin(CHESS960, None, UNBOUNDED, afresh=True, seed=1)
    array = "setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert desk.engine.take() == ["new", "variant fischerandom", "easy", "post", "force", array, "ping 2"]
    driver.begin(CHESS960, CASTLING, UNBOUNDED, afresh=True, seed=1)
    desk.engine.take()
    ask(driver, ["e1h1"], 1, start=CASTLING)
    assert desk.engine.take() == ["usermove O-O", "go"]


@pytest.mark.parametrize(
    ("pace", "lines"),
    [
        (UNBOUNDED, []),
        (read_pace("60+0.6"), ["level 0 1:00 0.6"]),
        (read_pace("0.5"), ["level 0 0:01 0"]),
        (Pace(movetime=0.25), ["st 0.25"]),
        (Pace(depth=3), ["sd 3"]),
        (Pace(movetime=2, depth=3), ["st 2", "sd 3"]),
        (Pace(nodes=500), ["st 500", "nps 1"]),
    ],
)
def test_time_controls(desk: Desk, pace: Pace, lines: list[str]) -> None:
    driver = desk.open(pace=pace)
    desk.engine.take()
    driver.begin(CHESS, None, pace, afresh=True, seed=1)
    assert desk.engine.take() == ["new", *lines, "easy", "post", "force", "ping 2"]


@pytest.mark.parametrize(
    ("features", "pace", "complaint"),
    [
        (FEATURES, Pace(nodes=5, movetime=1), "one: XBoard's protocol has either time or nodes"),
        ("nps=0", Pace(nodes=5), "one: it has no limit of nodes: feature nps=0"),
        (FEATURES, read_pace("60+5x10"), "one: time control 60+5x10: XBoard's protocol has no byo-yomi"),
    ],
)
def test_time_controls_that_it_lacks(desk: Desk, features: str, pace: Pace, complaint: str) -> None:
    desk.features = [f"feature {features} done=1"]
    with pytest.raises(PlayoutError) as error:
        desk.open(pace=pace)
    assert str(error.value) == complaint
    assert desk.engine.closed


def test_games_that_it_lacks(desk: Desk) -> None:
    with pytest.raises(PlayoutError, match="one: XBoard's protocol is for chess, not for hex:5"):
        desk.open(Hex(5))
    with pytest.raises(PlayoutError, match="one: it does not play Chess960"):
        desk.open(CHESS960)
    desk.features = ["feature setboard=0 done=1"]
    driver = desk.open()
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    with pytest.raises(PlayoutError, match="one: it cannot set up a position: feature setboard=0"):
        driver.begin(CHESS, CASTLING, UNBOUNDED, afresh=True, seed=1)


def test_options(desk: Desk) -> None:
    desk.features = [
        f'feature {FEATURES} egt="syzygy,gaviota"',
        'feature option="Own Book -check 0" option="Contempt -spin 0 -100 100" option="Clear Hash -button"',
        'feature option="Style -combo Solid /// *Normal" myname="Some Engine 1.0" odd=1 done=1',
    ]
    options = {"own book": True, "Contempt": -5, "Clear Hash": "", "Style": "Solid"}
    others = {"memory": 64, "cores": 2, "egtpath syzygy": "/tables"}
    driver = desk.open(options=options | others, commands=("random",))
    assert driver.name == "Some Engine 1.0"
    sent = desk.engine.take()
    assert "rejected odd" in sent
    assert sent[sent.index("accepted done") + 1 :] == [
        "option Own Book=1",
        "option Contempt=-5",
        "option Clear Hash",
        "option Style=Solid",
        "memory 64",
        "cores 2",
        "egtpath syzygy /tables",
        "random",
        "ping 1",
    ]


@pytest.mark.parametrize(
    ("features", "option", "complaint"),
    [
        ('option="Contempt -spin 0 0 9"', "Contemt", "one: no option 'Contemt': did you mean 'Contempt'?"),
        ("memory=0", "memory", "one: no option 'memory'"),
        ("memory=1", "memry", "one: no option 'memry': did you mean 'memory'?"),
    ],
)
def test_options_that_it_lacks(desk: Desk, features: str, option: str, complaint: str) -> None:
    desk.features = [f"feature {features} done=1"]
    with pytest.raises(PlayoutError) as error:
        desk.open(options={option: 1})
    assert str(error.value) == complaint
    assert desk.engine.closed


def test_an_engine_that_cannot_be_reused_is_started_for_each_game(desk: Desk) -> None:
    desk.features = ["feature ping=1 reuse=0 done=1"]
    driver = desk.begun()
    assert len(desk.started) == 1
    driver.finish(1.0)
    desk.engine.ended = True  # it knows that it is not used again
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    assert [engine.closed for engine in desk.started] == [True, False]
    assert desk.engine.take()[-5:] == ["new", "easy", "post", "force", "ping 2"]


def test_done_0_asks_for_time(desk: Desk) -> None:
    """Without ``done=1`` an engine that asked for time hangs; another one has the features that it has named."""
    desk.features = ["feature done=0", "feature ping=1"]
    with pytest.raises(Fault, match=r"no feature done=1 .* s after protover 2") as fault:
        desk.open()
    assert fault.value.end is End.HANG
    desk.features = ["feature ping=1 myname=Old"]
    assert desk.open().name == "Old"
    assert desk.engine.take()[-1] == "ping 1"


def test_an_engine_of_version_1(desk: Desk) -> None:
    desk.features = ["Chess", "Illegal move: protover 2"]
    driver = desk.begun()
    assert driver.name == "one"
    desk.answers["go"] = ["move e2e4"]
    assert ask(driver, []).move == "e2e4"
    assert desk.engine.take() == ["white", "go"]
    assert driver.remarks == ["one: Illegal move: protover 2"]


@pytest.mark.parametrize("said", ["resign", "tellics resign", "0-1 {White resigns}", "0-1 {Black mates}"])
def test_resignations(desk: Desk, said: str) -> None:
    desk.answers["go"] = [said]
    assert ask(desk.begun(), []).move == RESIGN


def test_claims(desk: Desk) -> None:
    """A claim costs nothing, and helps nothing; a wrong one gets a remark."""
    driver = desk.begun()
    desk.answers["go"] = ["1/2-1/2 {Draw by repetition}", "move e2e4", "1-0 {White mates}"]
    assert ask(driver, []).move == "e2e4"
    desk.answers["usermove e7e5"] = ["move g1f3", "1/2-1/2 {Stalemate}"]
    assert ask(driver, ["e2e4", "e7e5"]).move == "g1f3"
    driver.finish(0.0)
    assert driver.remarks == [
        "one: it claims a result instead of a move: 1/2-1/2 {Draw by repetition}",
        "one: a wrong claim: 1-0 {White mates}",
    ]
    driver.remarks.clear()
    desk.engine.pending.append("0-1 {too late}")
    driver.begin(CHESS, None, UNBOUNDED, afresh=True, seed=1)
    assert driver.remarks == ["one: a wrong claim: 0-1 {too late}"]


@pytest.mark.parametrize(
    "said",
    [
        "Illegal move: e2e4",
        "Illegal move (not your turn): e2e4",
        "Error (unknown command): usermove e2e4",
        "Error (bad move): e2e4",
        "Error (what?): go",
    ],
)
def test_refusals_of_what_is_legal(desk: Desk, said: str) -> None:
    desk.answers["go"] = [said, "move e7e5"]
    with pytest.raises(Fault) as fault:
        ask(desk.begun(), ["e2e4"], 1)
    assert (fault.value.end, str(fault.value)) == (End.GARBAGE, f"it refuses what is legal: {said}")


def test_refusals_of_what_does_not_matter(desk: Desk) -> None:
    desk.answers["easy"] = ["Error (unknown command): easy"]
    driver = desk.begun()
    assert driver.remarks == ["one: Error (unknown command): easy"]


def test_a_refused_position(desk: Desk) -> None:
    desk.answers[f"setboard {CASTLING}"] = ["tellusererror Illegal position: no pawns"]
    with pytest.raises(Fault, match="it refuses what is legal: tellusererror Illegal position: no pawns"):
        desk.begun(start=CASTLING)


@pytest.mark.parametrize(
    ("line", "thought"),
    [
        ("", Thought()),
        ("4 33 10 900 e2e4 e7e5", Thought(33, None, 4, 900)),
        ("  12&    -7      3     50   Nf3", Thought(-7, None, 12, 50)),
        ("5\t+12\t0\t8\te4", Thought(12, None, 5, 8)),
        ("4 100003 10 900 Qh7", Thought(None, 3, 4, 900)),
        ("4 -100002 10 900 Kh8", Thought(None, -2, 4, 900)),
        ("0 0 0 0 (book)", Thought()),
        ("4 33", Thought()),
        (f"{'9' * 5000} 12 0 40 e2e4", Thought()),
        (f"3 {'9' * 19} 0 40 e2e4", Thought()),
        (f"3 12 0 {'9' * 19} e2e4", Thought()),
        ("\u0663 12 0 40 e2e4", Thought()),
    ],
)
def test_thoughts(line: str, thought: Thought) -> None:
    assert xboard.thought_of(line) == thought


Open = Callable[..., Driver]


@pytest.fixture
def running() -> Iterator[Open]:
    """Starts real engines."""
    drivers: list[Driver] = []

    def run(command: list[str], game: Any = CHESS, pace: Pace = FEW, **others: Any) -> Driver:
        drivers.append(start(player(command, "xboard", pace, **others), game))
        return drivers[-1]

    yield run
    for driver in drivers:
        driver.close()


OPTIONS = {"OwnBook": False, "memory": 16, "cores": 1}


@pytest.mark.parametrize(
    ("game", "position"),
    [
        (CHESS, None),
        (CHESS, "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R b KQkq - 0 1"),
        (CHESS960, "1r2k1r1/pppq1ppp/8/8/8/8/PPPQ1PPP/1R2K1R1 w KQkq - 0 1"),
    ],
)
def test_a_game_with_playout(running: Open, game: Any, position: str | None) -> None:
    """The same process plays a second game."""
    drivers = tuple(running(forked("xboard"), game, options=OPTIONS) for _ in range(2))
    assert drivers[0].name.startswith("playout ")
    for _ in range(2):
        record = play(game, (drivers[0], drivers[1]), start=position, plies=40)
        assert len(record.answers) == 40 or record.board.result is not None or record.answers[-1].move == RESIGN
        assert all(has_thought(answer) for answer in record.answers)
    assert [driver.remarks for driver in drivers] == [[], []]


def has_thought(answer: Answer) -> bool:
    return answer.thought.nodes is not None and (answer.thought.centipawns, answer.thought.mate) != (None, None)


def test_a_long_search_is_stopped(running: Open) -> None:
    """Its answer is not that of the next game."""
    driver = running(forked("xboard"), pace=Pace(movetime=3600.0), options=OPTIONS)
    driver.begin(CHESS, None, Pace(movetime=3600.0), afresh=True, seed=1)
    with pytest.raises(Fault, match=r"a move only after \?") as fault:
        ask(driver, [], limit=0.3)
    assert fault.value.end is End.TIME
    driver.finish(-1.0)
    driver.begin(CHESS, "7k/8/8/8/8/8/8/R3K3 b - - 0 1", FEW, afresh=True, seed=1)
    assert ask(driver, [], 1).move.startswith("h8")
    assert driver.remarks == []


def test_a_game_to_mate_with_playout(running: Open) -> None:
    """It claims the result that the rules give."""
    mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    one, two = (running(forked("xboard"), pace=Pace(nodes=500), options=OPTIONS) for _ in range(2))
    record = play(CHESS, (one, two), start=mate, pace=Pace(nodes=500))
    assert (record.moves, record.board.result) == (["a1a8"], 1.0)
    one.begin(CHESS, None, FEW, afresh=True, seed=1)
    assert one.remarks == []


@needs("polyglot", "stockfish")
def test_a_game_with_stockfish_behind_polyglot(running: Open) -> None:
    pace = Pace(depth=1)
    command = [str(program("polyglot")), "-noini", "-ec", str(program("stockfish"))]
    one, two = running(command, pace=pace), running(forked("xboard"), pace=pace, options=OPTIONS)
    record = play(CHESS, (one, two), pace=pace, opening=("e2e4", "c7c5"), plies=30)
    assert len(record.moves) == 30
    assert all(has_thought(answer) for answer in record.answers)
