"""Connect four is solved before it is searched."""

from __future__ import annotations

import queue
import random
import threading
from typing import Any

import pytest

import playout
from playout.engine.exact.solving import solve
from playout.engine.experiments.match import random_opening
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Clock, Limits
from playout.games import catalogue

PATIENCE = 30.0
GAME: Any = catalogue.load("connect_four")


def solver(**options: Any) -> playout.Engine:
    """An engine without books."""
    return playout.Engine(GAME, own_book=False, hash=16, **options)


@pytest.mark.parametrize("plies", [20, 26, 32])
def test_best_play_and_its_line_are_the_solvers(plies: int) -> None:
    rng = random.Random(plies)
    with solver() as engine:
        for _ in range(4):
            words = random_opening(GAME, plies, rng)
            engine.set_position(None, words)
            found, exact = engine.think(seconds=60.0), solve(GAME, None, words)
            best = found.moves[0]
            assert (found.reason, best.value, best.plies) == ("proven", exact.value, exact.plies)
            assert best.pv == exact.line
            assert found.move in exact.best
            engine.play(*best.pv)
            assert exact.value == 0.0 or engine.over


def test_a_whole_game_ends_as_the_first_exact_value_says() -> None:
    value: float | None = None
    with solver() as engine:
        engine.set_position(None, random_opening(GAME, 18, random.Random(3)))
        mover = engine.player
        while not engine.over:
            found = engine.think(clock=Clock(remaining=600.0))
            if value is None:
                value = found.value
            engine.play(str(found.move))
        assert mover is not None
        assert engine.result is not None
        assert value == engine.result[mover]


def test_a_stop_ends_it() -> None:
    with solver() as engine:
        timer = threading.Timer(0.2, engine.stop)
        timer.start()
        found = engine.think(seconds=10 * PATIENCE)
        timer.join()
        assert found.move in list("abcdefg")
        assert found.reason != "proven"


def test_a_stop_at_once_ends_it() -> None:
    events: queue.SimpleQueue[SearchInfo | SearchResult] = queue.SimpleQueue()
    session = Session(GAME, post=events.put)
    session.set_option("OwnBook", "false")
    for _ in range(20):
        session.go(Limits(movetime=10 * PATIENCE))
        session.stop()
        while not isinstance(event := events.get(timeout=PATIENCE), SearchResult):
            pass
        assert event.move in list("abcdefg")
        session.wait()
    session.close()


@pytest.mark.parametrize("name", ["ExactPlay", "nodes", "MultiPV"])
def test_without_it_a_search_looks_at_all_moves(name: str) -> None:
    options = {"ExactPlay": {"exact_play": False}, "MultiPV": {"multi_pv": 2}}.get(name, {})
    with solver(**options) as engine:
        engine.set_position(None, random_opening(GAME, 12, random.Random(1)))
        assert len(engine.think(seconds=0.3, nodes=1000 if name == "nodes" else None).moves) > 1
