"""Positions of connect four are solved before they are searched."""

from __future__ import annotations

import queue
import random
from typing import Any

import pytest

from playout.engine.exact.solving import solve
from playout.engine.experiments.base.match import random_opening
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Clock, Limits
from playout.games import catalogue
from playout.games.game import is_over

from ...patience import PATIENCE, eventually

GAME: Any = catalogue.load("connect_four")
LONG = 1e5
"""Seconds for a move, of which the solver never uses up its share."""


def desk(**options: str) -> tuple[Session, queue.SimpleQueue[SearchInfo | SearchResult]]:
    events: queue.SimpleQueue[SearchInfo | SearchResult] = queue.SimpleQueue()
    session = Session(GAME, post=events.put)
    for name, value in {"BookFile": "", "Hash": "16", **options}.items():
        session.set_option(name, value)
    return session, events


def result(events: queue.SimpleQueue[SearchInfo | SearchResult]) -> SearchResult:
    while not isinstance(event := events.get(timeout=PATIENCE), SearchResult):
        pass
    return event


@pytest.mark.parametrize("plies", [22, 26, 32])
def test_best_play_and_its_line_are_the_solvers(plies: int) -> None:
    session, events = desk()
    rng = random.Random(plies)
    for _ in range(4):
        words = random_opening(GAME, plies, rng)
        session.set_position(None, words)
        session.go(Limits(movetime=LONG))
        exact = solve(GAME, None, words)
        if exact.value == 0.0 and len(solve(GAME, None, words, all_moves=True).best) > 1:
            session.stop()  # the search looks for the draw that is hardest to keep
            assert result(events).move in solve(GAME, None, words, all_moves=True).best
            session.wait()
            continue
        found = result(events)
        best = found.info.moves[0]
        assert (found.reason, best.value, best.plies) == ("proven", exact.value, exact.plies)
        assert best.pv == exact.line
        assert found.move in exact.best
        state = session.state
        for word in best.pv:
            state = GAME.next_state(state, GAME.text_to_action(state, word))
        assert exact.value == 0.0 or is_over(GAME, state)
    session.close()


def test_a_whole_game_ends_as_the_first_exact_value_says() -> None:
    session, events = desk()
    words = random_opening(GAME, 18, random.Random(3))
    session.set_position(None, words)
    value: float | None = None
    mover = GAME.current_player(session.state)
    while not is_over(GAME, session.state):
        session.go(Limits(clock=Clock(remaining=40 * LONG)))
        found = result(events)
        session.wait()
        if value is None and found.info.moves:
            value = found.info.value
        session.play(str(found.move))
    assert value == GAME.returns(session.state)[mover]
    session.close()


def test_a_stop_ends_it() -> None:
    session, events = desk()
    exact = session._thinker._exact
    session.go(Limits(movetime=LONG))
    assert eventually(lambda: exact._solver is not None and exact._solver.progress()[0] > 0)
    session.stop()
    found = result(events)
    assert found.move in "abcdefg"
    assert found.reason != "proven"
    session.close()


def test_a_stop_at_once_ends_it() -> None:
    session, events = desk()
    for _ in range(20):
        session.go(Limits(movetime=LONG))
        session.stop()
        assert result(events).move in "abcdefg"
        session.wait()
    session.close()


@pytest.mark.parametrize("name", ["ExactPlay", "nodes", "MultiPV"])
def test_without_it_a_search_looks_at_all_moves(name: str) -> None:
    session, events = desk(**{"ExactPlay": {"ExactPlay": "false"}, "MultiPV": {"MultiPV": "2"}}.get(name, {}))
    session.set_position(None, random_opening(GAME, 12, random.Random(1)))
    session.set_option("InfoInterval", "10")
    session.go(Limits(movetime=LONG, nodes=1000 if name == "nodes" else None))
    while isinstance(event := events.get(timeout=PATIENCE), SearchInfo):
        if len(event.moves) > 1:
            session.stop()
    assert len(event.info.moves) > 1
    session.close()
