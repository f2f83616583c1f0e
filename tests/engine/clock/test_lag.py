"""The lag of the connection is measured by the clock, and kept back."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from playout.engine.clock.deadlines import CAUTION, LEAST_RESERVE, Deadlines
from playout.engine.clock.lag import EARLY, KEPT, LATE, LONG_KEPT, Lag
from playout.engine.options.config import expected_plies
from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.engine.terms.limits import Clock, Limits
from playout.engine.terms.line import Line
from playout.engine.terms.task import SearchTask
from playout.engine.terms.trail import States, Trail
from playout.games.catalogue import load
from playout.games.tic_tac_toe import TicTacToe

from ...patience import PATIENCE
from ..tasks import task_of

PLAIN = TicTacToe()


def learned(lags: Sequence[float], increment: float = 0.1, moves_to_go: int | None = None) -> Lag:
    """Plays a game with 0.5 s of thinking for each move, which costs one of ``lags`` in addition; returns the lag."""
    lag, remaining = Lag(), 100.0
    for number, extra in enumerate(lags):
        left = None if moves_to_go is None else moves_to_go - number
        clock = Clock(remaining, increment, left)
        lag.shown(clock, 2 * number)
        lag.moved(clock, 2 * number, 0.5)
        remaining += increment - 0.5 - extra
    lag.shown(Clock(remaining, increment, None if left is None else left - 1), 2 * len(lags))
    return lag


@pytest.mark.parametrize("extra", [0.0, 0.02, 1.0])
@pytest.mark.parametrize("moves_to_go", [None, 40])
def test_a_constant_lag_is_learned(extra: float, moves_to_go: int | None) -> None:
    lag = learned([extra] * 5, moves_to_go=moves_to_go)
    assert lag.usual == pytest.approx(extra)
    assert lag.worst == pytest.approx(extra)


def test_a_varying_lag_is_between_its_usual_and_its_worst() -> None:
    rng = random.Random(1)
    lags = [rng.uniform(0.0, 0.1) for _ in range(3 * LONG_KEPT)]
    lag = learned(lags)
    assert sum(lags[-KEPT:]) / KEPT <= lag.usual <= lag.worst == pytest.approx(max(lags[-LONG_KEPT:]))


def test_nothing_is_learned_from_what_is_no_lag() -> None:
    assert learned([EARLY - 0.01]).worst == 0, "the clock was given time"
    assert learned([LATE + 0.01]).worst == 0, "the game was held up"
    for later, ply in (
        (Clock(90.0, moves_to_go=40), 2),
        (Clock(5.0, in_overtime=True), 2),
        (Clock(90.0), 4),
        (Clock(90.0), 0),
    ):
        lag = Lag()
        lag.moved(Clock(100.0, moves_to_go=1 if later.moves_to_go else None), 0, 0.5)
        lag.shown(later, ply)
        assert lag.worst == 0
    lag = Lag()
    lag.moved(Clock(100.0), 0, 0.5)
    lag.new_game()
    lag.shown(Clock(90.0), 2)
    assert lag.worst == 0


def timed(limits: Limits, ply: int = 0, game: Any = PLAIN, **options: str) -> SearchTask:
    """A task after ``ply`` moves, whatever they were."""
    words = ("move",) * ply
    trail = Trail(game, game.initial_state()).extended(0, words, (game.initial_state(),) * ply)
    return task_of(game, Line(None, States(trail, ply + 1), words), limits, **options)


def _play(deadlines: Deadlines, monkeypatch: pytest.MonkeyPatch, *, ponder: bool) -> None:
    """Two moves of 1 s each, whose clock loses 1.5 s."""
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for number in range(3):
        limits = Limits(clock=Clock(100.0 - 1.5 * number), received=now, ponder=ponder)
        deadlines.asked(timed(limits, 2 * number))
        if ponder:
            now += 7.0
            deadlines.hit(timed(Limits(clock=limits.clock, received=now), 2 * number))
        now += 1.0
        deadlines.answered()
        now += 3.0


@pytest.mark.parametrize("ponder", [False, True])
def test_a_learned_lag_is_kept_back(monkeypatch: pytest.MonkeyPatch, ponder: bool) -> None:
    deadlines = Deadlines()
    limits = Limits(clock=Clock(10.0, moves_to_go=2))
    fresh = deadlines.shares(timed(limits))
    _play(deadlines, monkeypatch, ponder=ponder)
    after = deadlines.shares(timed(limits))
    assert fresh[0] is not None
    reserve = CAUTION * 0.5 - LEAST_RESERVE
    assert after[0] == pytest.approx(fresh[0] - (0.5 - 0.01) - reserve / 2), "Move Overhead is 10 ms, the lag 500"


def clocks(
    monkeypatch: pytest.MonkeyPatch, name: str, clock: float, increment: float, late: Sequence[float]
) -> list[float]:
    """Returns the time left after each move of a game.

    Every move takes all the time that it may, and its answer is ``late``. The test provides the clock.
    """
    deadlines, game = Deadlines(), load(name)
    now, left = 1000.0, []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for number, extra in enumerate(late):
        task = timed(Limits(clock=Clock(clock, increment), received=now), 2 * number, game)
        deadlines.asked(task)
        _, hard = deadlines.shares(task)
        assert hard is not None
        deadlines.told(hard)
        now += hard + extra
        deadlines.answered()
        clock -= hard + extra
        left.append(clock)
        clock += increment
    return left


def test_a_machine_that_held_up_one_move_does_not_cost_a_game_with_increments(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 s and 0.01 s a move; every 50th is answered 0.25 s late."""
    late = [0.25 if number % 50 == 5 else 0.001 for number in range(200)]
    assert min(clocks(monkeypatch, "chess", 1.0, 0.01, late)) > 0


@pytest.mark.parametrize("name", ["connect_four", "chess"])
@pytest.mark.parametrize("seed", range(5))
def test_no_fast_game_is_lost_on_time(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.1 s and 0.1 s a move, every one answered up to 20 ms late."""
    rng = random.Random(seed)
    assert min(clocks(monkeypatch, name, 0.1, 0.1, [rng.uniform(0.0, 0.02) for _ in range(60)])) > 0


def test_a_search_is_told_when_the_clock_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time between the command's arrival and the search counts as time on the clock."""
    told: list[float | None] = []
    monkeypatch.setattr(Searcher, "set_deadline", lambda _, soft, hard: told.extend([soft, hard]))
    session = Session(load("chess"), post=lambda _: None)
    session.go(Limits(nodes=1, clock=Clock(0.1, 0.1), received=time.monotonic() - 0.03))
    assert session.wait(PATIENCE)
    session.close()
    soft, hard = told
    assert soft is not None and hard is not None
    assert soft <= hard < 0.1 - 0.03


def test_a_pondered_move_that_was_not_played_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines = Deadlines()
    limits = Limits(clock=Clock(10.0, moves_to_go=2))
    fresh = deadlines.shares(timed(limits))
    deadlines.asked(timed(Limits(clock=Clock(100.0), ponder=True), 2))
    deadlines.answered()
    deadlines.asked(timed(Limits(clock=Clock(90.0)), 4))
    assert deadlines.shares(timed(limits)) == fresh


def test_without_adaptive_time_the_plan_is_kept() -> None:
    deadlines = Deadlines()
    limits = Limits(clock=Clock(10.0))
    soft, hard = deadlines.shares(timed(limits))
    assert soft is not None
    assert hard is not None
    assert soft < hard
    assert deadlines.shares(timed(limits, AdaptiveTime="false")) == (None, soft)


@pytest.mark.parametrize(
    ("spec", "least", "most"),
    [("go", 60, 75), ("go:19", 230, 320), ("hex:11", 60, 80), ("hex:5", 10, 20), ("tic_tac_toe", 9, 9)],
)
def test_a_game_is_expected_to_last_as_its_board_is_large(spec: str, least: int, most: int) -> None:
    length = expected_plies(load(spec))
    assert length is not None
    assert least <= length <= most
