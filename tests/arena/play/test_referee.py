"""The referee: results, reasons of ends, clocks, adjudication, dice; and the check of games that others played."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from playout.arena.drivers.driver import Answer, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.inside import InsideDriver
from playout.arena.play.adjudication import Adjudicator, Verdict
from playout.arena.play.board import PythonBoard, board_of
from playout.arena.play.check import refusal
from playout.arena.play.referee import play
from playout.arena.report.records import written_game
from playout.arena.terms.end import FAULTS, End
from playout.arena.terms.job import Adjudication, DrawRule, Job, Move, Opening, Played, Player, ResignRule
from playout.arena.terms.pace import Pace
from playout.games import catalogue
from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import CHANCE

from ...needs import needs
from ...syzygy import tables
from ..players import Reply, ScriptedDriver, answer, job

TIC_TAC_TOE = catalogue.load("tic_tac_toe")


class Stopped:
    """A witness that saw the machine stand still for a number of seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def stood_still(self, begin: float, end: float) -> float:
        return self.seconds


def game(wanted: Job, one: Sequence[Reply], two: Sequence[Reply], number: int = 0, witness: Any = None) -> Played:
    """Game ``number`` of a pair; ``one`` are the replies of the job's first player."""
    drivers = ScriptedDriver(one), ScriptedDriver(two)
    return play(catalogue.load(wanted.game), wanted, number, drivers, witness)


def first_legal(scene: Scene) -> str:
    """The first legal move of backgammon."""
    board = board_of(catalogue.load("backgammon"), scene.start)
    for text in scene.moves:
        board.play(text)
    return board.legal()[0]


def test_the_rules_of_the_game_end_it() -> None:
    played = game(job(), ["a1", "a2", "a3"], ["b1", "b2"])
    assert (played.result, played.end, played.at_fault) == (1.0, End.NORMAL, None)
    assert [move.text for move in played.moves] == ["a1", "b1", "a2", "b2", "a3"]
    assert (played.id, played.names) == ("e/1/1/0", ("one", "two"))


def test_the_players_exchange_their_sides_in_the_second_game() -> None:
    played = game(job(), ["b1", "b2"], ["a1", "a2", "a3"], number=1)
    assert (played.id, played.names, played.result) == ("e/1/1/1", ("two", "one"), 1.0)


def test_the_opening_is_played_for_both() -> None:
    wanted = job(moves=["a1", "b1"])
    played = game(wanted, ["a2", "a3"], ["b2"])
    assert [move.text for move in played.moves] == ["a1", "b1", "a2", "b2", "a3"]
    assert played.opening == wanted.opening


def test_a_game_may_begin_in_a_position() -> None:
    mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    played = game(job("chess", opening=Opening(start=mate)), ["a1a8"], [])
    assert (played.result, played.end) == (1.0, End.NORMAL)


def test_a_player_may_resign() -> None:
    played = game(job(), ["a1"], ["resign"])
    assert (played.result, played.end, played.at_fault) == (1.0, End.RESIGN, None)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("end", sorted(FAULTS - {End.TIME, End.HANG, End.ILLEGAL}))
def test_a_fault_loses_and_is_told(end: End, number: int) -> None:
    scripts: list[list[Reply]] = [["a1"], [Fault(end, "what was seen")]]
    one, two = scripts if number == 0 else scripts[::-1]
    played = game(job(), one, two, number)
    assert (played.result, played.end, played.at_fault, played.detail) == (1.0, end, 1, "what was seen")


@pytest.mark.parametrize("move", ["a1", "z9", "", "(none)"])
def test_an_illegal_move_loses(move: str) -> None:
    played = game(job(), ["a1"], [move])
    assert (played.result, played.end, played.at_fault) == (1.0, End.ILLEGAL, 1)
    assert played.detail == (move or "no move")
    assert [one.text for one in played.moves] == ["a1"]


def test_a_player_that_fails_before_the_first_move_loses_too() -> None:
    drivers = ScriptedDriver(["a1"]), ScriptedDriver([], begin=Fault(End.CRASH, "status 1"))
    played = play(catalogue.load("tic_tac_toe"), job(), 0, drivers)
    assert (played.result, played.end, played.at_fault) == (1.0, End.CRASH, 1)


def test_a_late_move_loses_on_time() -> None:
    played = game(job(pace=Pace(time=1.0)), [answer("a1", 0.4), answer("a2", 0.7)], [answer("b1", 0.9)])
    assert (played.result, played.end, played.at_fault) == (-1.0, End.TIME, 0)
    assert played.detail == "a2 after 0.700 s of 0.600 s"


@pytest.mark.parametrize(("still", "end"), [(0.05, End.TIME), (0.2, End.VOID)])
def test_a_machine_that_stood_still_costs_no_game(still: float, end: End) -> None:
    played = game(job(pace=Pace(time=1.0)), [answer("a1", 1.1)], [], witness=Stopped(still))
    assert (played.end, played.still) == (end, still)
    assert (played.result is None) == (end is End.VOID)


@pytest.mark.parametrize("end", [End.TIME, End.HANG])
@pytest.mark.parametrize("still", [0.0, 1e9])
def test_a_driver_that_waited_in_vain_is_judged_alike(end: End, still: float) -> None:
    played = game(job(pace=Pace(time=1.0)), [Fault(end, "no move", began=0.0)], [], witness=Stopped(still))
    assert played.end is (End.VOID if still else end)


def test_the_clocks_run_on_from_move_to_move() -> None:
    drivers = ScriptedDriver([answer("a1", 1.0), answer("a2", 2.0), "a3"]), ScriptedDriver([answer("b1", 4.0), "b2"])
    played = play(catalogue.load("tic_tac_toe"), job(pace=Pace(time=10.0, increment=0.5)), 0, drivers)
    assert [face.left for face in drivers[0].faces] == [10.5, 10.0, 8.5]
    assert [face.left for face in drivers[1].faces] == [10.5, 7.0]
    assert drivers[0].limits == [10.5, 10.0, 8.5]
    assert played.moves[0].left == 10.0


def test_without_time_the_patience_of_the_tournament_bounds_a_move() -> None:
    drivers = ScriptedDriver(["a1", "a2", "a3"]), ScriptedDriver(["b1", "b2"])
    play(catalogue.load("tic_tac_toe"), job(patience=7.0), 0, drivers)
    assert set(drivers[0].limits) == {7.0}


def test_engines_forget_between_games_unless_they_keep() -> None:
    wanted = job()
    keeping = msgspec.structs.replace(wanted.players[0], keep=True)
    wanted = msgspec.structs.replace(wanted, players=(keeping, wanted.players[1]))
    drivers = ScriptedDriver(lambda _: "resign"), ScriptedDriver(lambda _: "resign")
    for number in (0, 1):
        play(catalogue.load("tic_tac_toe"), wanted, number, drivers)
    assert [afresh for _, afresh, _ in drivers[0].begun] == [True, False]
    assert [afresh for _, afresh, _ in drivers[1].begun] == [True, True]


def test_an_engine_may_keep_what_it_learned_for_ever() -> None:
    wanted = job()
    keeping = msgspec.structs.replace(wanted.players[0], keep="always")
    wanted = msgspec.structs.replace(wanted, players=(keeping, wanted.players[1]))
    drivers = ScriptedDriver(lambda _: "resign"), ScriptedDriver(lambda _: "resign")
    play(catalogue.load("tic_tac_toe"), wanted, 0, drivers)
    assert [afresh for _, afresh, _ in drivers[0].begun] == [False]


def test_moves_of_a_book_are_marked() -> None:
    played = game(job(), [Answer("a1", 0.0, 0.0, book=True), answer("a2"), answer("a3")], ["b1", "b2"])
    assert [move.book for move in played.moves] == [True, False, False, False, False]
    assert written_game(played, "cup").comments[0] == "book"


def test_a_clock_that_jumps_costs_nobody_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of day is that of the record alone; a day back and forth between two looks changes nothing else."""
    days = itertools.cycle((0.0, 86_400.0))
    monkeypatch.setattr(time, "time", lambda: next(days))
    monkeypatch.setattr(time, "time_ns", lambda: int(1e9 * next(days)))
    wanted = job(pace=Pace(time=60.0))
    drivers = InsideDriver(wanted.players[0], TIC_TAC_TOE), InsideDriver(wanted.players[1], TIC_TAC_TOE)
    try:
        played = play(TIC_TAC_TOE, wanted, 0, drivers)
    finally:
        for driver in drivers:
            driver.close()
    assert played.end is End.NORMAL
    assert 0 < played.seconds < 120
    assert all(0 <= move.seconds < 60 and move.left is not None and 0 < move.left <= 60 for move in played.moves)


def test_the_players_are_told_the_result() -> None:
    drivers = ScriptedDriver(["a1", "a2", "a3"]), ScriptedDriver(["b1", "b2"])
    play(catalogue.load("tic_tac_toe"), job(), 0, drivers)
    assert drivers[0].finished == drivers[1].finished == [1.0]


def test_both_games_of_a_pair_have_the_same_dice() -> None:
    wanted = job("backgammon", adjudication=Adjudication(plies=40))
    played = [
        play(catalogue.load("backgammon"), wanted, number, (ScriptedDriver(first_legal), ScriptedDriver(first_legal)))
        for number in (0, 1)
    ]
    assert played[0].moves == played[1].moves
    assert played[0].end is End.MOVES
    assert [refusal(wanted, number, played[number]) for number in (0, 1)] == [None, None]
    other = msgspec.structs.replace(wanted, seed=1)
    assert refusal(other, 0, played[0]) is not None


CHESS = ["g1f3", "g8f6", "f3g1", "f6g8"]


def chess(rules: Adjudication, scores: Sequence[int | None], openings: Sequence[str] = ()) -> Played:
    """A game of knights that come and go, with the scores that the players in turn give."""
    moves = [answer(CHESS[ply % 4], 0.0, score) for ply, score in enumerate(scores)]
    return game(job("chess", adjudication=rules), moves[::2], moves[1::2])


def test_a_quiet_game_is_a_draw() -> None:
    rules = Adjudication(draw=DrawRule(number=2, moves=2, score=10))
    played = chess(rules, [0, 10, -10, 5, 0, 0])
    assert (played.result, played.end, len(played.moves)) == (0.0, End.DRAW, 4)
    played = chess(rules, [0, 11, 0, 0, 0, 0])
    assert (played.end, len(played.moves)) == (End.DRAW, 6)


def test_a_player_who_says_that_it_loses_has_lost_if_the_other_agrees() -> None:
    rules = Adjudication(resign=ResignRule(moves=2, score=500))
    played = chess(rules, [600, -600, 600, -600, 0, 0])
    assert (played.result, played.end, len(played.moves)) == (1.0, End.WIN, 4)
    played = chess(rules, [400, -600, 400, -600, 400])
    assert played.end is End.RESIGN  # the script is at its end
    alone = Adjudication(resign=ResignRule(moves=2, score=500, both=False))
    played = chess(alone, [0, -600, 0, -600, 0])
    assert (played.result, played.end, len(played.moves)) == (1.0, End.WIN, 4)


def test_a_mate_counts_as_a_score() -> None:
    assert [Move("", mate=3).score, Move("", mate=-3).score, Move("", centipawns=7).score] == [29997, -29997, 7]


def test_a_move_without_a_score_begins_the_count_anew() -> None:
    played = chess(Adjudication(draw=DrawRule(number=1, moves=2, score=10)), [0, 0, None, 0, 0, 0, 0])
    assert (played.end, len(played.moves)) == (End.DRAW, 7)


def test_a_long_game_is_a_draw() -> None:
    played = chess(Adjudication(plies=6), [None] * 8)
    assert (played.result, played.end, len(played.moves)) == (0.0, End.MOVES, 6)


def test_the_solver_ends_a_game_whose_result_is_certain() -> None:
    rules = Adjudication(solve=100.0)
    assert game(job(adjudication=rules), ["a1", "a2"], ["b1"]).end is End.SOLVED
    lost = game(job(adjudication=rules, moves=["b2"]), ["a1"], ["a2"])
    assert (lost.result, lost.end, [move.text for move in lost.moves]) == (1.0, End.SOLVED, ["b2", "a2"])
    assert refusal(job(adjudication=rules, moves=["b2"]), 0, lost) is None


class Throw:
    """Each player may throw a coin once, or not: a mean of results is no result."""

    name = "throw"

    def initial_state(self) -> str:
        return ""

    def current_player(self, state: str) -> int:
        return CHANCE if state.endswith("t") else len(state.replace("t", "")) % 2

    def legal_actions(self, state: str) -> list[str]:
        return ["h", "n"] if state.endswith("t") else ["t", "p"]

    def chance_outcomes(self, _: str) -> list[tuple[str, float]]:
        return [("h", 0.75), ("n", 0.25)]

    def next_state(self, state: str, action: str) -> str:
        return state + action

    def returns(self, state: str) -> tuple[float, float] | None:
        if len(state.replace("t", "")) < 2:
            return None
        return (1.0, -1.0) if state.count("h") % 2 else (-1.0, 1.0)


class Walk(Throw):
    """Lines return to a position."""

    def next_state(self, state: str, action: str) -> str:
        return "" if action == "n" else state + action


@pytest.mark.parametrize("made", [Throw, Walk])
def test_the_solver_ends_no_game_of_dice_by_a_mean(made: type[Throw]) -> None:
    adjudicator = Adjudicator(made(), None, Adjudication(solve=100.0))
    board = PythonBoard(made(), None)
    assert [adjudicator.verdict(board, 0, Move("x")) for _ in range(2)] == [None, None]
    board.play("p")  # the other player passes, too, and wins for sure
    assert adjudicator.verdict(board, 0, Move("p")) == (Verdict(End.SOLVED, -1.0) if made is Throw else None)


@needs("syzygy")
def test_tables_end_a_game_that_they_know() -> None:
    rules = Adjudication(tables=(str(tables()),))
    won = "8/8/8/8/8/2k5/7p/K6Q w - - 0 1"
    played = game(job("chess", opening=Opening(start=won), adjudication=rules), ["h1g1", "g1h2"], ["c3d3"])
    assert (played.result, played.end, len(played.moves)) == (1.0, End.TABLE, 3)


class Known(PythonBoard):
    """A board at its start whose position tables know."""

    def __init__(self, name: str, known: float) -> None:
        super().__init__(catalogue.load(name), None)
        self.known = known  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("name", "known", "result"),
    [
        ("chess", 1.0, 1.0),
        ("chess", 0.0, 0.0),
        ("backgammon", 0.02, None),
        ("backgammon", 0.0, None),
        ("backgammon", 0.33, None),
        ("backgammon", -0.6666666865348816, -2 / 3),
        ("backgammon", 0.3333333432674408, 1 / 3),
        ("backgammon:gammons=false", 1 / 3, None),
        ("backgammon:gammons=false", -1.0, -1.0),
    ],
)
def test_tables_end_a_game_only_by_a_result_of_its_rules(name: str, known: float, result: float | None) -> None:
    """The value of a bear-off table is the mean over the rolls to come."""
    adjudicator = Adjudicator(catalogue.load(name), None, Adjudication(tables=("table",)))
    verdict = adjudicator.verdict(Known(name, known), 0, Move("x"))
    assert verdict == (None if result is None else Verdict(End.TABLE, result))


@pytest.mark.parametrize("name", ["chess", "backgammon", "hex:3"])
def test_tables_that_are_not_there_are_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=r"^adjudication\.tables: [^\n]+$"):
        board_of(catalogue.load(name), None, (str(tmp_path / "none"),))


# The check of games that others played.


def honest() -> tuple[Job, Played]:
    """A game that was played as it should be."""
    wanted = job(moves=["a1"])
    return wanted, game(wanted, ["a2", "a3"], ["b1", "b2"])


def test_an_honest_game_is_taken() -> None:
    wanted, played = honest()
    assert refusal(wanted, 0, played) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": "e/1/1/1"}, "not asked for"),
        ({"names": ("two", "one")}, "other players"),
        ({"game": "hex:3"}, "another game"),
        ({"opening": Opening()}, "another opening"),
        ({"result": -1.0}, "the rules give 1, not -1.0"),
        ({"result": None}, "the rules give 1"),
        ({"end": End.RESIGN}, "the rules ended the game"),
        ({"moves": (Move("b2"), Move("a1"))}, "move 1 is b2 instead of a1"),
        ({"moves": (Move("a1"), Move("a1"))}, "illegal move"),
        ({"moves": (Move("a1"), Move("b1"))}, "no result"),
        ({"moves": (Move("a1"), Move("b1")), "end": End.RESIGN, "result": 0.0}, "resign with the result 0.0"),
        ({"moves": (Move("a1"), Move("b1")), "end": End.MOVES}, "move limit with the result 1.0"),
        ({"moves": (Move("a1"), Move("b1")), "end": End.TIME}, "without the player"),
        ({"moves": (Move("a1"), Move("b1")), "end": End.CRASH, "at_fault": 0}, "without the player"),
        ({"moves": (Move("a1"), Move("b1")), "end": End.RESIGN, "at_fault": 0}, "nobody's fault"),
        ({"moves": (Move("a1"), Move("b1")), "end": End.TABLE, "result": 2.0}, "the result 2.0"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_game_that_cannot_have_been_is_refused(change: dict[str, Any], reason: str) -> None:
    wanted, played = honest()
    assert reason in (refusal(wanted, 0, msgspec.structs.replace(played, **change)) or "")


def test_moves_after_the_end_are_refused() -> None:
    wanted, played = honest()
    longer = msgspec.structs.replace(played, moves=(*played.moves, Move("c3")))
    assert refusal(wanted, 0, longer) == "move 6 comes after the end of the game"


def test_a_played_game_survives_its_json() -> None:
    _, played = honest()
    assert msgspec.json.decode(msgspec.json.encode(played), type=Played) == played
    assert Player(name="x").allowance == 0.0
    assert Player(name="x", pace=Pace(movetime=1)).allowance > 0


class Counting:
    """Players count to three; a move is written as a number, and anything else breaks the user's code."""

    name = "counting"

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken

    def initial_state(self) -> int:
        return 0

    def current_player(self, state: int) -> int:
        return state % 2

    def legal_actions(self, state: int) -> list[int]:
        return [] if state == 3 else [state + 1]

    def next_state(self, state: int, action: int) -> int:
        return action

    def returns(self, state: int) -> tuple[float, float] | None:
        return (1.0, -1.0) if state == 3 else None

    def action_to_text(self, state: int, action: int) -> str:
        return str(action)

    def text_to_action(self, state: int, text: str) -> int:
        if self.broken or int(text) != state + 1:
            raise ValueError(text)
        return int(text)


@pytest.mark.parametrize("text", ["two", "3", ""])
def test_text_at_which_a_users_code_fails_is_no_move(text: str) -> None:
    board = board_of(Counting())
    with pytest.raises(IllegalMove):
        board.play(text)
    assert board.play("1") == "1"


def test_a_users_code_that_fails_at_a_legal_move_is_at_fault_itself() -> None:
    with pytest.raises(GameError, match="counting: ValueError: 1"):
        board_of(Counting(broken=True)).play("1")
