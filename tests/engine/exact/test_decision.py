"""Exact play in every game: what it finds and search does not, when it begins, and what ends it."""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from playout.engine import running
from playout.engine.exact.effort import FAR, estimate, expected_effort
from playout.engine.exact.play import CAUTION, ExactPlay
from playout.engine.exact.solving import solve
from playout.engine.options.search_config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.game import CHANCE
from playout.games.hex import Hex
from playout.games.tic_tac_toe import TicTacToe

from ...patience import PATIENCE, eventually

LONG = 1e5
"""Seconds for a move, of which the solver never uses up its share."""


class Desk:
    """A session with one game."""

    def __init__(self, game: Any, **options: str) -> None:
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.session = Session(game, post=self.events.put)
        for name, value in {"BookFile": "", "Hash": "16", "ExactPlay": "true", **options}.items():
            self.session.set_option(name, value)

    @property
    def exact(self) -> ExactPlay:
        return self.session._thinker._exact

    def result(self) -> SearchResult:
        while not isinstance(event := self.events.get(timeout=PATIENCE), SearchResult):
            pass
        self.session.wait()
        return event

    def ask(self, moves: str, limits: Limits) -> SearchResult:
        self.session.set_position(None, moves.split())
        self.session.go(limits)
        return self.result()


@contextmanager
def desk(game: Any, **options: str) -> Iterator[Desk]:
    if isinstance(game, str):
        game = catalogue.load(game)
    made = Desk(game, **options)
    try:
        yield made
    finally:
        made.session.close()


@dataclass(frozen=True)
class Plain(TicTacToe):
    """A user's game that says nothing of its effort."""

    kernel = None
    exact_effort = None


@pytest.mark.parametrize(
    ("game", "moves", "only"),
    [
        ("hex:5", "a4 b2 e4 b3 a3", "b4"),
        ("hex:5", "a5 c3 a3 c5 d5 b5 e1", "b1"),
        ("hex:5", "c4 e1 b3 a5 d2 e2 a3 c3 b5", "c2"),
        ("go:3", "A3 A1 B1", "B2"),
        ("go:3", "B1 C1 A1", "B2"),
    ],
)
def test_it_finds_a_narrow_win_that_a_search_misses(game: str, moves: str, only: str) -> None:
    plain = {"PlayoutPolicy": "knowledge"} if game.startswith("go") else {"EvalFile": ""}
    with desk(game, Seed="1", PatternFile="", PriorTemperature="1", **plain) as one:
        searched = one.ask(moves, Limits(nodes=300))
        assert (searched.reason, searched.move != only) == ("nodes", True)
        found = one.ask(moves, Limits(movetime=LONG))
        assert (found.reason, found.move, found.info.value) == ("proven", only, 1.0)
        assert found.info.moves[0].pv[0] == only


def test_a_users_game_is_solved_where_its_tree_is_small() -> None:
    with desk(Plain()) as one:
        one.session.set_option("InfoInterval", "10")
        one.session.set_position(None, ["a1", "b2", "c3"])
        one.session.go(Limits(movetime=LONG))
        one.events.get(timeout=PATIENCE)  # a report: the search has begun
        one.session.stop()
        found = one.result()
        assert one.exact._solver is not None
        kept = solve(Plain(), None, ["a1", "b2", "c3"], all_moves=True)
        assert kept.value == 0.0 and len(kept.best) == 4
        assert {move.move for move in found.info.moves} <= set(kept.best)  # images under a symmetry count once


def test_the_only_move_that_keeps_a_draw_is_played_at_once() -> None:
    with desk("tic_tac_toe") as one:
        found = one.ask("a1", Limits(movetime=LONG))
        assert (found.reason, found.move, found.info.value) == ("proven", "b2", 0.0)


def test_a_loss_without_a_length_is_left_to_the_search() -> None:
    with desk("hex:5") as one:
        found = one.ask("a4 b2 e4 b3 a3 b4", Limits(movetime=0.3))
        assert found.info.simulations > 0
        assert found.move is not None


@dataclass(frozen=True)
class Race:
    """Each player in turn rolls a die of three sides and takes it or not; the first at the goal wins."""

    goal: int = 5
    name = "race"

    def initial_state(self) -> Any:
        return ((0, 0), 0, 0)

    def current_player(self, state: Any) -> int:
        return state[1] if state[2] else CHANCE

    def legal_actions(self, state: Any) -> Any:
        if self.returns(state):
            return []
        return ["take", "leave"] if state[2] else [1, 2, 3]

    def chance_outcomes(self, state: Any) -> Any:
        return [(roll, 1 / 3) for roll in (1, 2, 3)]

    def next_state(self, state: Any, action: Any) -> Any:
        (first, second), player, roll = state
        if not roll:
            return (state[0], player, action)
        if action == "take":
            first, second = (first + roll, second) if player == 0 else (first, second + roll)
        return ((first, second), 1 - player, 0)

    def returns(self, state: Any) -> Any:
        (first, second), _, _ = state
        return None if max(first, second) < self.goal else (1, -1) if first >= self.goal else (-1, 1)

    def exact_effort(self, state: Any) -> float:
        return 1000.0


@dataclass(frozen=True)
class Takes(Race):
    """The same, but a roll must be taken, so that the game ends."""

    def legal_actions(self, state: Any) -> Any:
        return [] if self.returns(state) else (["take"] if state[2] else [1, 2, 3])


def test_a_game_with_dice_gets_its_expectation() -> None:
    with desk(Takes()) as one:
        found = one.ask("2", Limits(movetime=LONG))
        exact = solve(Takes(), None, ["2"])
        assert found.reason == "proven"
        assert found.info.value == exact.value
        assert found.info.moves[0].win == pytest.approx((1 + (exact.value or 0.0)) / 2)


def test_a_refusal_leaves_the_game_to_the_search() -> None:
    with desk(Race(), InfoInterval="10") as one:  # a roll may be left for ever
        one.session.set_position(None, ["2"])
        one.session.go(Limits(movetime=LONG))
        one.events.get(timeout=PATIENCE)  # a report: the search has begun
        one.session.stop()
        found = one.result()
        assert (found.fault, one.exact._refused) == (None, True)
        assert found.info.simulations > 0


@pytest.mark.parametrize("text", ["hex:11", "go:9", "connect_four"])
def test_it_does_not_begin_where_it_is_too_dear(text: str) -> None:
    with desk(text) as one:
        found = one.ask("", Limits(movetime=0.2))
        assert one.exact._solver is None
        assert found.info.simulations > 0


def test_an_attempt_that_failed_makes_the_next_ones_wait() -> None:
    game = catalogue.load("hex:6")
    with desk(game) as one:
        begun, one.exact._speed, one.exact._game = one.exact._hardness, 1e9, game
        for seconds in (0.2, 1.0, 5.0, 20.0):  # half of a short time may be over before the attempt begins
            one.ask("c3", Limits(movetime=seconds))
            if one.exact._solver is not None:
                break
        assert begun == 1.0 and one.exact._solver is not None
        nodes = one.exact._solver.progress()[0]
        effort = game.exact_effort(game.next_state(game.initial_state(), 14))
        assert one.exact._hardness == max(1.0, CAUTION * nodes / effort)


@pytest.mark.parametrize("limits", [Limits(nodes=200), Limits(nodes=200, movetime=LONG)])
def test_a_search_of_some_simulations_repeats_whatever_the_option_says(limits: Limits) -> None:
    results = []
    for flag in ("true", "false"):
        with desk("hex:5", ExactPlay=flag, Seed="7") as one:
            found = one.ask("a4 b2 e4 b3 a3", limits)
            results.append((found.move, replace(found.info, time=0.0)))
    assert results[0] == results[1]


def test_the_player_to_move_may_have_been_changed() -> None:
    with desk("hex:4") as one:
        one.session.set_position(None, ["b2"])
        one.session.set_player(0)
        one.session.go(Limits(movetime=LONG))
        assert one.result().reason == "proven"


def test_a_stop_ends_it() -> None:
    @dataclass(frozen=True)
    class Endless(Hex):
        kernel = None

        def exact_effort(self, state: Any) -> float:
            return 1.0

    with desk(Endless(7)) as one:
        one.session.go(Limits(movetime=LONG))
        assert eventually(lambda: one.exact._solver is not None and one.exact._solver.progress()[0] > 0)
        assert one.exact.thread is not None
        one.session.stop()
        assert one.result().reason == "stop"
        assert one.exact.thread is None


def test_a_method_that_does_not_return_in_the_solver_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LAST_PATIENCE", PATIENCE)
    hangs = threading.Event()

    class Hangs(TicTacToe):
        kernel = None

        def next_state(self, state: Any, action: int) -> Any:
            while hangs.is_set() and threading.current_thread().name != "playout-search":
                pass
            return super().next_state(state, action)

    with desk(Hangs()) as one:
        one.session.set_position(None, ["a1"])
        hangs.set()
        one.session.go(Limits(movetime=LONG))
        assert eventually(lambda: one.exact.thread is not None)
        one.session.stop()
        found = one.result()
        assert found.reason == "interrupted"
        assert "next_state" in found.remarks[0]
        assert one.session.stuck is None
        hangs.clear()


def test_the_graph_makes_room_for_the_solver() -> None:
    searcher = Searcher(catalogue.load("hex:9"), SearchConfig(hash_mib=1))
    searcher.set_position(None, [])
    searcher.prepare()
    while searcher.used <= 0.6 * 2**20:
        searcher.prepare()
        searcher.run(nodes=200)
    searcher.free_half()
    assert searcher.used <= 0.5 * 2**20
    assert searcher.report().visits > 0


def test_an_estimate_is_that_of_the_game_and_ends_early_where_it_is_far() -> None:
    asked = 0

    class Counts(TicTacToe):
        kernel = None

        def next_state(self, state: Any, action: int) -> Any:
            nonlocal asked
            asked += 1
            return super().next_state(state, action)

    game = Counts()
    start = game.initial_state()
    whole = estimate(game, start, most=1e9, seconds=PATIENCE)
    assert 1000 < whole.nodes < 20000  # alpha-beta takes some 1,100, with positions that lines share
    assert asked > 50
    asked = 0
    assert estimate(game, start, most=10.0, seconds=PATIENCE) == FAR
    assert asked < 10
    assert expected_effort(game, start, most=1e9, seconds=1.0).nodes == TicTacToe().exact_effort(start)


@pytest.mark.parametrize("effort", [None, math.nan, math.inf])
def test_a_game_may_decline(effort: float | None) -> None:
    class Declines(TicTacToe):
        kernel = None

        def exact_effort(self, state: Any) -> Any:
            return effort

    with desk(Declines()) as one:
        one.ask("a1", Limits(movetime=0.05))
        assert one.exact._solver is None
