"""A fault in a user's game or input ends one search and affects no other."""

from __future__ import annotations

import queue
import random
import threading
from typing import Any

import pytest

from playout.engine import running
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.connect_four import ConnectFour
from playout.games.tic_tac_toe import TicTacToe

from ..patience import PATIENCE


def in_search() -> bool:
    return threading.current_thread().name == "playout-search"


class Plain(TicTacToe):
    """Tic-tac-toe as a user writes it: no kernel."""

    kernel = None  # type: ignore[assignment]


class Flaky(Plain):
    """A game that fails at random in a search while ``broken`` is set."""

    broken = True
    dice = random.Random(5)

    def returns(self, state: Any) -> Any:
        if Flaky.broken and in_search() and Flaky.dice.random() < 0.05:
            raise RuntimeError("flaky")
        return super().returns(state)


class Leaving(Plain):
    """Leaves the program in the middle of a search."""

    def legal_actions(self, state: Any) -> Any:
        if in_search():
            raise SystemExit
        return super().legal_actions(state)


class Die:
    """Rolls one die, whose sides come up with the probability ``p`` each."""

    name = "die"

    def __init__(self, p: float) -> None:
        self.p = p

    def initial_state(self) -> tuple[int, ...]:
        return ()

    def current_player(self, state: tuple[int, ...]) -> int:
        return -1 if len(state) == 1 else 0

    def legal_actions(self, state: tuple[int, ...]) -> list[int]:
        return [] if len(state) == 2 else list(range(4))

    def next_state(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def returns(self, state: tuple[int, ...]) -> tuple[float, float] | None:
        return (1.0, -1.0) if len(state) == 2 else None

    def chance_outcomes(self, _state: tuple[int, ...]) -> list[tuple[int, float]]:
        return [(side, self.p) for side in range(4)]


Events = queue.Queue[SearchInfo | SearchResult]


def think(session: Session, events: Events, **limits: Any) -> SearchResult:
    session.go(Limits(**limits))
    return result_of(session, events)


def result_of(session: Session, events: Events) -> SearchResult:
    """The result of the search under way."""
    while True:
        event = events.get(timeout=PATIENCE)
        if isinstance(event, SearchResult):
            assert session.wait(PATIENCE)
            return event


@pytest.fixture
def events() -> Events:
    return queue.Queue()


def test_answers_made_up_after_a_fault_are_forgotten(events: Events) -> None:
    for seed in range(6):
        session = Session(Flaky(), post=events.put)
        session.set_option("Hash", "16")
        session.set_option("Seed", str(seed))
        Flaky.broken = True
        assert think(session, events, nodes=2000).reason == "fault"
        Flaky.broken = False
        result = think(session, events, nodes=20_000)
        assert (result.reason, result.info.value) == ("proven", 0.0)
        assert result.info.moves


def test_a_result_comes_even_if_the_game_leaves_the_program(events: Events) -> None:
    session = Session(Leaving(), post=events.put)
    result = think(session, events, nodes=50)
    assert (result.reason, result.move) == ("fault", None)
    assert result.fault is not None and "SystemExit" in result.fault


@pytest.mark.parametrize("p", [float("nan"), 0.5, -0.25])
def test_probabilities_must_add_up(events: Events, p: float) -> None:
    result = think(Session(Die(p), post=events.put), events, nodes=50)
    assert result.reason == "fault"
    assert result.fault is not None
    last = result.fault.splitlines()[-1]
    assert "chance_outcomes((" in last and "do not add up to 1" in last


def test_what_wins_with_every_roll_is_proven(events: Events) -> None:
    result = think(Session(Die(0.25), post=events.put), events, nodes=2000)
    assert (result.reason, result.info.value) == ("proven", 1.0)


def test_a_move_that_is_none_does_not_spoil_the_search(events: Events) -> None:
    session = Session(Plain(), post=events.put)
    result = think(session, events, nodes=50, search_moves=("zzz", "b2"))
    assert (result.reason, result.move) == ("nodes", "b2")


def test_bounds_beyond_all_numbers_are_none(events: Events) -> None:
    session = Session(catalogue.load("connect_four"), post=events.put)
    session.set_option("OwnBook", "false")
    assert think(session, events, nodes=20, depth=2**53, mate=2**53).reason == "nodes"


def test_more_memory_than_there_is_leaves_a_graph(events: Events) -> None:
    session = Session(catalogue.load("connect_four"), post=events.put)
    session.set_option("OwnBook", "false")
    session.set_option("Hash", "65536")
    assert think(session, events, nodes=20).reason == "nodes"


@pytest.mark.parametrize("seed", range(3))
def test_starts_do_not_mix_in_a_plain_tree(events: Events, seed: int) -> None:
    game: Any = ConnectFour()
    session = Session(game, post=events.put)
    session.set_option("OwnBook", "false")
    session.set_option("Transpositions", "false")
    session.set_option("Seed", str(seed))
    assert think(session, events, nodes=500).reason == "nodes"
    state = game.initial_state()
    for action in (3, 3, 3, 3, 3, 3):
        state = game.next_state(state, action)
    session.set_position(game.state_to_text(state), [])
    result = think(session, events, nodes=500)
    assert {move.move for move in result.info.moves} == set("abc")  # the column d is full; e, f and g are images


def test_pondering_without_a_bound_ends_after_the_hit(events: Events) -> None:
    session = Session(catalogue.load("hex:7"), post=events.put)
    session.set_option("MoveTime", "50")
    session.go(Limits(ponder=True))
    session.ponder_hit()
    assert result_of(session, events).reason == "deadline"


def test_a_move_is_due_before_the_search_has_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that is too busy to start it. The search that comes late changes nothing."""
    begin = threading.Thread.start
    events: queue.Queue[SearchInfo | SearchResult] = queue.Queue()
    answered = threading.Event()

    def post(event: SearchInfo | SearchResult) -> None:
        events.put(event)
        answered.set()

    def late(thread: threading.Thread) -> None:
        if thread.name == running.SEARCH_THREAD:
            assert answered.wait(PATIENCE)
        begin(thread)

    monkeypatch.setattr(running, "PATIENCE", 0.0)
    monkeypatch.setattr(running, "LAST_PATIENCE", 0.0)
    session = Session(Plain(), post=post)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", late)
        session.go(Limits(movetime=0.01))
    result = events.get(timeout=PATIENCE)
    assert isinstance(result, SearchResult)
    assert (result.reason, result.move is not None) == ("interrupted", True)
    monkeypatch.undo()
    session.go(Limits(nodes=20))
    again = events.get(timeout=PATIENCE)
    while isinstance(again, SearchInfo):
        again = events.get(timeout=PATIENCE)
    assert again.info.simulations == 20
    session.close()
    assert events.empty()
