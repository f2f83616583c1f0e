"""The engine at a server's board: scripted engines, and playout itself."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import pytest

from playout.arena.drivers.driver import RESIGN, ClockFace, Driver, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.enter.cgos import Match, Think
from playout.arena.enter.own import SHOWN, OwnEngine
from playout.arena.enter.seat import Seat, start_engine
from playout.arena.play.board import board_of
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.game import Game

from ...patience import PATIENCE
from ..players import Reply, ScriptedDriver

ENGINE = Player(name="one", command=("one",), protocol="gtp")
OWN = Player(name="playout", protocol="inside", options={"MaxNodes": "200", "Seed": "1"})
LONG = 100_000.0
"""Seconds of a clock that no search of a test uses up."""


def match(game: str = "go:5,komi=7", number: str = "1") -> Match:
    """A game in which this side is Black."""
    return Match(number, game, LONG, ("bot(1)", "owner(1)"), 0)


def think(moves: Sequence[str] = (), of: Match | None = None, analysis: bool = False, left: float = LONG) -> Think:
    """An order for the player who is to move after ``moves``."""
    return Think(of or match(), tuple(moves), len(moves) % 2, left, left, 60.0, time.monotonic(), analysis)


@dataclass
class Heard:
    """Takes what a seat says."""

    answers: SimpleQueue[tuple[Think, str, str]] = field(default_factory=SimpleQueue)
    errors: SimpleQueue[Exception] = field(default_factory=SimpleQueue)

    def answered(self, asked: Think, move: str, analysis: str) -> None:
        self.answers.put((asked, move, analysis))

    def failed(self, error: Exception) -> None:
        self.errors.put(error)


class Table:
    """A seat with engines that the test has written."""

    def __init__(self, *engines: ScriptedDriver) -> None:
        self.heard = Heard()
        self._engines = iter(engines)
        self.seat = Seat(ENGINE, self.heard, self._start)

    def _start(self, _player: Player, _game: Game[Any, Any]) -> Driver:
        found = next(self._engines, None)
        if found is None:
            raise PlayoutError("one: no such program")
        return found

    def ask(self, *moves: str, of: Match | None = None, left: float = LONG) -> str:
        """The move of the engine."""
        asked = think(moves, of, left=left)
        self.seat.think(asked)
        answered, move, _ = self.heard.answers.get(timeout=PATIENCE)
        assert answered is asked
        return move


@pytest.fixture
def table() -> Iterator[Callable[..., Table]]:
    """Makes tables, whose engines are ended after the test."""
    made: list[Table] = []

    def make(*engines: ScriptedDriver) -> Table:
        made.append(Table(*engines))
        return made[-1]

    yield make
    for one in made:
        one.seat.close()


def scripted(*replies: Reply, begin: Fault | None = None) -> ScriptedDriver:
    """An engine with these answers."""
    return ScriptedDriver(replies, begin)


CRASH = Fault(End.CRASH, "it ended with status 1")


def test_the_engine_is_told_of_a_game_once(table: Callable[..., Table]) -> None:
    engine = scripted("c3", "B2", "D4")
    at = table(engine)
    at.seat.prepare(match())
    assert at.ask() == "C3"
    assert at.ask("C3", "D4") == "B2"
    assert len(engine.begun) == 1
    assert [one[1] for one in engine.begun] == [True]
    at.seat.finish(1.0)
    at.seat.prepare(match(number="2"))
    assert at.ask(of=match(number="2")) == "D4"
    assert [one[1] for one in engine.begun] == [True, True]
    assert engine.finished == [1.0]


def test_clocks_and_limits_are_those_of_the_server(table: Callable[..., Table]) -> None:
    engine = scripted("C3", "C3")
    at = table(engine)
    at.ask(left=100.0)
    left = engine.faces[0].left
    assert left is not None
    assert 0 <= left <= 100.0
    assert engine.limits == [110.0]
    at.ask(left=-5.0)
    assert engine.faces[1].left == 0.0


def test_an_engine_whose_move_never_arrived_hears_the_game_anew(table: Callable[..., Table]) -> None:
    engine = scripted("C3", "B2", "A1")
    at = table(engine)
    assert at.ask() == "C3"
    assert at.ask() == "B2"
    assert [one[1] for one in engine.begun] == [True, False]
    assert at.ask("D4", "E5") == "A1"
    assert len(engine.begun) == 3


@pytest.mark.parametrize("move", ["C3", "Z9", "huh", ""])
def test_an_illegal_move_is_not_sent(table: Callable[..., Table], move: str, caplog: pytest.LogCaptureFixture) -> None:
    engine = scripted(move, "D2")
    at = table(engine)
    assert at.ask("C3", "D4") == "pass"
    assert "an illegal move, a pass instead" in caplog.text
    assert at.ask("C3", "D4", "pass", "E5") == "D2"
    assert len(engine.begun) == 2


def test_a_move_that_superko_forbids_is_not_sent(table: Callable[..., Table]) -> None:
    ko = ["B1", "C1", "A2", "D2", "B3", "C3", "E5", "B2", "C2"]
    at = table(scripted("B2"))
    assert at.ask(*ko) == "pass"


def test_a_crashed_engine_is_started_anew(table: Callable[..., Table], caplog: pytest.LogCaptureFixture) -> None:
    first, second = scripted("C3", CRASH), scripted("B2")
    at = table(first, second)
    assert at.ask() == "C3"
    assert at.ask("C3", "D4") == "B2"
    assert first.closed
    assert len(second.begun) == 1
    assert "crash: it ended with status 1" in caplog.text


def test_a_late_engine_goes_on(table: Callable[..., Table]) -> None:
    engine = scripted(Fault(End.TIME, "late"), "C3")
    at = table(engine)
    assert at.ask() == "C3"
    assert not engine.closed


def test_an_engine_that_crashes_again_resigns(table: Callable[..., Table]) -> None:
    third = scripted("C3")
    at = table(scripted(CRASH), scripted(CRASH), third)
    assert at.ask() == RESIGN
    assert at.ask(of=match(number="2")) == "C3"


def test_an_engine_that_does_not_start_again_ends_the_stay(table: Callable[..., Table]) -> None:
    at = table(scripted(CRASH))
    at.seat.think(think())
    assert str(at.heard.errors.get(timeout=PATIENCE)) == "one: no such program"


def test_an_engine_that_refuses_the_game_ends_the_stay(table: Callable[..., Table]) -> None:
    refuses = Fault(End.GARBAGE, "boardsize 5: ? unacceptable size")
    at = table(scripted(begin=refuses), scripted(begin=refuses))
    at.seat.prepare(match())
    assert str(at.heard.errors.get(timeout=PATIENCE)) == "one: boardsize 5: ? unacceptable size"


@pytest.mark.parametrize("game", ["go:99,komi=7", "go:9,komi=nan", "go:9,komi=inf", "go:-1,komi=7"])
def test_a_game_that_cannot_be_played_ends_the_stay(table: Callable[..., Table], game: str) -> None:
    at = table(scripted())
    at.seat.prepare(match(game))
    error = at.heard.errors.get(timeout=PATIENCE)
    assert isinstance(error, PlayoutError)
    assert "\n" not in str(error)


def test_a_game_by_other_rules_is_resigned(table: Callable[..., Table], caplog: pytest.LogCaptureFixture) -> None:
    engine = scripted("C3")
    at = table(engine)
    assert at.ask("C3", "C3") == RESIGN
    assert "the rules here do not allow a move of the game" in caplog.text
    assert engine.begun == []


def test_a_game_that_is_over_by_our_rules_is_passed(table: Callable[..., Table]) -> None:
    engine = scripted("C3")
    at = table(engine)
    assert at.ask("pass", "pass") == "pass"
    assert at.ask("pass", "pass", "C3") == "pass"
    assert engine.begun == []


def test_a_halted_engine_does_not_try_again(table: Callable[..., Table]) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: Scene) -> Reply:
        begun.set()
        assert go_on.wait(PATIENCE)
        return Fault(End.HANG, "no answer")

    at = table(ScriptedDriver(slow), scripted("C3"))
    at.seat.think(think())
    assert begun.wait(PATIENCE)
    at.seat.halt()
    go_on.set()
    assert at.heard.answers.get(timeout=PATIENCE)[1] == RESIGN
    assert at.ask() == "C3"


def test_a_seat_closes_while_its_engine_thinks(table: Callable[..., Table]) -> None:
    begun, closed = threading.Event(), threading.Event()

    class Stubborn(ScriptedDriver):
        def close(self) -> None:
            super().close()
            closed.set()

    def slow(_: Scene) -> Reply:
        begun.set()
        assert closed.wait(PATIENCE)
        return Fault(End.EXIT, "it ended by itself")

    at = table(Stubborn(slow), scripted("C3"))
    at.seat.think(think())
    assert begun.wait(PATIENCE)
    at.seat.close()
    assert at.heard.errors.empty()


# playout itself.


@pytest.fixture
def own() -> Iterator[Callable[..., OwnEngine]]:
    """Makes engines of playout, which are ended after the test."""
    made: list[OwnEngine] = []

    def make(game: str = "go:5,komi=7", **options: str) -> OwnEngine:
        player = Player(name="playout", protocol="inside", options={**OWN.options, **options})
        engine = start_engine(player, catalogue.load("go:9,komi=7"))
        assert isinstance(engine, OwnEngine)
        engine.begin(catalogue.load(game), None, Pace(), afresh=True, seed=0)
        made.append(engine)
        return engine

    yield make
    for one in made:
        one.close()


def move_of(engine: OwnEngine, *moves: str) -> str:
    """The answer of an engine after ``moves``."""
    face = ClockFace(Pace(time=LONG), LONG)
    return engine.choose(Scene(None, list(moves), len(moves) % 2), (face, face), LONG, 0.0).move


WALLED = ["C1", "B1", "C2", "B2", "C3", "B3", "C4", "B4", "C5", "B5"]
"""Black has the columns from C on a board of 5x5, 15 points, White the columns to B, 10 points."""
INVADED = [*WALLED, "pass", "E3", "D2", "E2", "D4", "D3"]
"""White's stones in Black's area cannot live, and make its empty points neutral as long as they stand."""


def test_dead_stones_are_captured_before_a_pass(own: Callable[..., OwnEngine]) -> None:
    """White passes from now on, and Black loses by a pass while White's stones stand: the server removes nothing."""
    game = catalogue.load("go:5,komi=2.5")
    board = board_of(game)
    for move in [*INVADED, "pass", "pass"]:
        board.play(move)
    assert board.result == -1.0
    engine = own("go:5,komi=2.5", MaxNodes="1000")
    board = board_of(game)
    for move in INVADED:
        board.play(move)
    while board.player is not None:
        move = move_of(engine, *board.moves) if board.player == 0 else "pass"
        board.play(move)
        assert len(board.moves) < 60
    assert board.result == 1.0


def test_the_analysis_is_json_about_the_move(own: Callable[..., OwnEngine]) -> None:
    engine = own()
    engine.analyses = True
    move = move_of(engine)
    said = json.loads(engine.analysis)
    assert "\n" not in engine.analysis
    assert set(said) == {"winrate", "score", "visits", "moves", "ownership"}
    assert 0 <= said["winrate"] <= 1
    assert said["visits"] >= 200
    assert len(said["ownership"]) == 25
    assert 1 <= len(said["moves"]) <= SHOWN
    assert said["moves"][0]["move"] == move
    assert set(said["moves"][0]) == {"move", "visits", "winrate", "prior", "pv"}
    board = board_of(catalogue.load("go:5,komi=7"))
    for text in [move, *said["moves"][0]["pv"].split()]:
        board.play(text)
    engine.analyses = False
    move_of(engine)
    assert engine.analysis == ""


def test_the_engine_resigns_what_is_lost(own: Callable[..., OwnEngine]) -> None:
    lost = [*WALLED[:-2], "pass", "B5"]
    assert move_of(own("go:5,komi=24"), *lost) == RESIGN
    assert move_of(own("go:5,komi=24", Resign="0"), *lost) != RESIGN
    assert move_of(own("go:5,komi=-24"), *lost) != RESIGN


def test_the_engine_takes_up_boards_of_other_sizes(own: Callable[..., OwnEngine]) -> None:
    engine = own("go:5,komi=7")
    for game in ("go:7,komi=9", "go:5,komi=7", "go:5,komi=6.5"):
        engine.begin(catalogue.load(game), None, Pace(), afresh=True, seed=0)
        board = board_of(catalogue.load(game))
        board.play(move_of(engine))


def test_a_halted_search_ends(own: Callable[..., OwnEngine]) -> None:
    """Without that, these searches would last for hours."""
    engine = own("go:9,komi=7", MaxNodes="0", BookFile="", AdaptiveTime="false")
    engine.wanted = lambda: False
    assert move_of(engine)
    begun = threading.Event()

    def wanted() -> bool:
        begun.set()
        return True

    def stop() -> None:
        assert begun.wait(PATIENCE)
        engine.stop()

    engine.wanted = wanted
    stopper = threading.Thread(target=stop)
    stopper.start()
    assert move_of(engine)
    stopper.join()


def test_a_book_move_comes_without_analysis(own: Callable[..., OwnEngine]) -> None:
    engine = own("go:9,komi=7", OwnBook="true")
    engine.analyses = True
    assert (move_of(engine), engine.analysis) == ("E5", "")
    engine = own("go:9,komi=7", OwnBook="false")
    engine.analyses = True
    assert move_of(engine)
    assert json.loads(engine.analysis)["visits"] >= 200


def test_a_seat_closes_while_playout_thinks() -> None:
    seat = Seat(Player(name="playout", protocol="inside"), Heard())
    seat.think(think(of=match("go:9,komi=7")))
    seat.close()


@pytest.mark.parametrize(
    ("options", "said"), [({"Sped": "1"}, "no option 'Sped'"), ({"Threads": "no"}, "Threads"), ({"Hash": "-1"}, "Hash")]
)
def test_options_that_are_wrong_are_told_before_the_server_is_asked(options: dict[str, str], said: str) -> None:
    with pytest.raises(PlayoutError, match=said):
        Seat(Player(name="playout", protocol="inside", options=dict(options)), Heard())
