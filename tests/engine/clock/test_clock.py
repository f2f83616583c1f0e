"""The clock allocator: laws for every clock, and whole games with random lag that are never lost on time."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.clock.time_plan import CEILING, MAXIMUM, MINIMUM, Allocation, allocate, moves_left
from playout.engine.terms.limits import Clock

OVERHEAD = 0.05

seconds = st.floats(0.0, 20000.0)
clocks = st.builds(
    Clock,
    remaining=st.one_of(st.floats(-10.0, 2.0), seconds, st.just(math.inf)),
    increment=st.one_of(st.just(0.0), st.floats(0.0, 60.0)),
    moves_to_go=st.one_of(st.none(), st.integers(-1, 200)),
    period=st.one_of(st.just(0.0), st.floats(0.0, 600.0)),
    period_moves=st.integers(0, 30),
    periods=st.integers(0, 10),
    in_overtime=st.booleans(),
)
plies = st.integers(0, 1000)
lengths = st.one_of(st.none(), st.integers(1, 600))


@given(clocks, st.floats(0.0, 10.0), plies, lengths)
def test_every_result_is_finite_positive_and_ordered(
    clock: Clock, overhead: float, ply: int, expected: int | None
) -> None:
    time = allocate(clock, overhead=overhead, ply=ply, expected_plies=expected)
    assert MINIMUM <= time.soft <= time.hard <= MAXIMUM


@given(clocks, st.floats(0.0, 10.0), plies, lengths)
def test_no_move_is_planned_to_lose_on_time(clock: Clock, overhead: float, ply: int, expected: int | None) -> None:
    time = allocate(clock, overhead=overhead, ply=ply, expected_plies=expected)
    allowed = max(0.0, clock.remaining)
    if not clock.in_overtime:
        allowed += clock.period / max(1, clock.period_moves)
    assert time.hard == MINIMUM or time.hard + overhead <= allowed


@given(clocks, st.floats(0.0, 1000.0), st.floats(0.0, 10.0), st.floats(0.0, 100.0), plies, lengths)
def test_more_time_never_means_less(
    clock: Clock, more: float, overhead: float, reserve: float, ply: int, expected: int | None
) -> None:
    less = allocate(clock, overhead=overhead, reserve=reserve, ply=ply, expected_plies=expected)
    richer = replace(clock, remaining=clock.remaining + more)
    time = allocate(richer, overhead=overhead, reserve=reserve, ply=ply, expected_plies=expected)
    assert time.soft >= less.soft - 1e-9
    assert time.hard >= less.hard - 1e-9


@given(st.floats(0.0, 5.0), st.integers(0, 2**32))
@settings(max_examples=50)
def test_no_game_with_increments_is_lost_on_time(start: float, seed: int) -> None:
    rng = random.Random(seed)
    increment = OVERHEAD + 0.001 + rng.random()
    remaining = start + increment
    for ply in range(0, 400, 2):
        time = allocate(
            Clock(remaining, increment), overhead=OVERHEAD, ply=ply, expected_plies=rng.choice((None, 9, 200))
        )
        remaining -= rng.choice((time.soft, time.hard)) + rng.random() * OVERHEAD
        assert remaining >= 0.0
        remaining += increment


def test_a_tenth_of_a_second_and_a_tenth_per_move_survives_a_loaded_machine() -> None:
    """Lags as measured with unrelated work on every core: median 7 ms, 99th percentile 25 ms, tail beyond."""
    for seed in range(50):
        rng = random.Random(seed)
        remaining, spent = 0.1, 0.0
        for ply in range(0, 300, 2):
            time = allocate(Clock(remaining, 0.1), overhead=OVERHEAD, ply=ply)
            lag = min(rng.lognormvariate(math.log(0.007), 0.55), 0.06)
            used = rng.choice((time.soft, time.hard))
            remaining -= used + lag
            spent += used
            assert remaining > 0.0
            remaining += 0.1
        assert spent > 150 * 0.02


@pytest.mark.parametrize("increment", [0.02, 0.05, 1.0])
def test_increments_fill_the_clock_up_to_the_reserve_and_are_spent_above_it(increment: float) -> None:
    reserve, remaining, spent, shown = 10 * increment, 2 * increment, 0.0, []
    for ply in range(0, 300, 2):
        time = allocate(Clock(remaining, increment), overhead=OVERHEAD, reserve=reserve, ply=ply)
        remaining += increment - time.hard - OVERHEAD / 10
        spent += time.hard
        shown.append(remaining)
    assert max(shown) >= reserve
    assert min(shown[shown.index(max(shown)) :]) >= reserve / 2
    assert spent > 0.5 * 150 * increment


@given(st.integers(1, 60), st.floats(0.0, 300.0), st.integers(0, 2**32))
@settings(max_examples=50)
def test_no_session_of_moves_to_go_is_lost_on_time(session: int, extra: float, seed: int) -> None:
    rng = random.Random(seed)
    start = session * (OVERHEAD + MINIMUM) + extra
    remaining = start
    for ply in range(0, 300, 2):
        to_go = session - ply // 2 % session
        time = allocate(Clock(remaining, 0.0, to_go), overhead=OVERHEAD, ply=ply)
        remaining -= rng.choice((time.soft, time.hard)) + rng.random() * OVERHEAD
        assert remaining >= -1e-9
        if to_go == 1:
            remaining += start


@given(st.integers(2, 300), st.floats(0.0, 600.0), st.integers(0, 2**32))
@settings(max_examples=50)
def test_no_sudden_death_of_the_expected_length_is_lost_on_time(length: int, extra: float, seed: int) -> None:
    rng = random.Random(seed)
    remaining = moves_left(0, length) * (OVERHEAD + MINIMUM) + extra
    for ply in range(0, length, 2):
        time = allocate(Clock(remaining), overhead=OVERHEAD, ply=ply, expected_plies=length)
        remaining -= rng.choice((time.soft, time.hard)) + rng.random() * OVERHEAD
        assert remaining >= -1e-9


@given(st.floats(0.0, 100.0), st.floats(0.06, 60.0), st.integers(1, 25), st.integers(1, 5), st.integers(0, 2**32))
@settings(max_examples=50)
def test_no_game_with_overtime_is_lost_on_time(main: float, part: float, stones: int, periods: int, seed: int) -> None:
    """Canadian overtime if there is more than one stone in a period, byo-yomi otherwise; no byo-yomi period is lost."""
    rng = random.Random(seed)
    period = part * stones
    clock = Clock(main, 0.0, None, period, stones, periods if stones == 1 else 0)
    for ply in range(0, 400, 2):
        time = allocate(clock, overhead=OVERHEAD, ply=ply, expected_plies=250)
        left = clock.remaining - rng.choice((time.soft, time.hard)) - rng.random() * OVERHEAD
        if not clock.in_overtime and left < 0.0:
            clock = replace(clock, remaining=0.0, in_overtime=True)
            left += period
        assert left >= -1e-9
        if not clock.in_overtime:
            clock = replace(clock, remaining=left)
        elif clock.period_moves > 1:
            clock = replace(clock, remaining=left, period_moves=clock.period_moves - 1)
        else:
            clock = replace(clock, remaining=period, period_moves=stones)


def test_byo_yomi_uses_the_whole_period() -> None:
    time = allocate(Clock(30.0, period=30.0, periods=5, in_overtime=True), overhead=OVERHEAD, ply=100)
    assert time.soft == time.hard == pytest.approx(29.949)


def test_the_end_of_the_main_time_flows_over_into_byo_yomi() -> None:
    time = allocate(Clock(0.5, period=30.0, periods=5), overhead=OVERHEAD, ply=100)
    assert time.soft == time.hard == pytest.approx(30.449)


def test_main_time_gives_more_than_overtime_would() -> None:
    time = allocate(Clock(600.0, period=10.0, periods=3), overhead=OVERHEAD, ply=0, expected_plies=120)
    assert time.soft == pytest.approx(math.e * 9.949)


@pytest.mark.parametrize(("stones", "left"), [(10, None), (25, 10)])
def test_canadian_overtime_divides_what_is_left_of_the_period(stones: int, left: int | None) -> None:
    clock = Clock(100.0, moves_to_go=left, period=300.0, period_moves=stones, in_overtime=True)
    time = allocate(clock, overhead=OVERHEAD, ply=150)
    assert time.soft == pytest.approx(100.0 / 10 - 0.051)
    assert time.soft < time.hard < 100.0


def test_the_last_move_before_the_time_control_keeps_a_reserve() -> None:
    time = allocate(Clock(10.0, 0.0, 1), overhead=OVERHEAD, ply=78)
    assert time.soft == time.hard == pytest.approx(CEILING * 9.949)


@pytest.mark.parametrize("remaining", [0.0, -5.0, 0.01, OVERHEAD])
def test_a_flag_about_to_fall_means_the_least_time(remaining: float) -> None:
    assert allocate(Clock(remaining), overhead=OVERHEAD, ply=40) == Allocation(MINIMUM, MINIMUM)
