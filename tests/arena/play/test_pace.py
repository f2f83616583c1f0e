"""Time controls as text, and the clocks that the referee keeps."""

from __future__ import annotations

import pytest

from playout.arena.play.clock import Clock
from playout.arena.terms.pace import Pace, read_pace
from playout.games.errors import PlayoutError


@pytest.mark.parametrize(
    ("text", "pace"),
    [
        ("40/60+0.6", Pace(time=60, increment=0.6, moves=40)),
        ("10+0.1", Pace(time=10, increment=0.1)),
        ("1:30+1", Pace(time=90, increment=1)),
        ("40/2:00", Pace(time=120, moves=40)),
        ("300", Pace(time=300)),
        ("60+5x10", Pace(time=60, periods=5, period=10)),
        ("0+3x5", Pace(time=0, periods=3, period=5)),
        ("inf", Pace()),
    ],
)
def test_a_time_control_is_read_and_written(text: str, pace: Pace) -> None:
    assert read_pace(text) == pace
    if text != "inf":
        assert read_pace(str(pace)) == pace


@pytest.mark.parametrize(
    ("pace", "words", "control"),
    [
        (Pace(nodes=400), "nodes 400", "-"),
        (Pace(depth=8), "depth 8", "-"),
        (Pace(time=10, increment=0.1, depth=8), "10+0.1, depth 8", "10+0.1"),
        (Pace(movetime=0.5, nodes=9, depth=8), "0.5/move, nodes 9, depth 8", "0.5/move"),
        (Pace(), "-", "-"),
    ],
)
def test_all_bounds_are_shown_to_people_and_the_clock_alone_to_records(pace: Pace, words: str, control: str) -> None:
    assert (pace.words, str(pace)) == (words, control)


@pytest.mark.parametrize("text", ["", "10+", "+1", "0", "0/60", "0+0", "60+0x5", "60+3x0", "40/60+5x10", "ten", "10,1"])
def test_what_is_no_time_control_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(PlayoutError) as found:
        read_pace(text)
    assert repr(text) in str(found.value)
    assert "\n" not in str(found.value)


def test_an_increment_is_there_from_the_first_move_on() -> None:
    clock = Clock(Pace(time=10, increment=1), 0.0)
    assert clock.left == clock.limit == 11
    assert clock.spend(4.0)
    assert clock.left == 8


def test_a_move_that_takes_longer_than_the_clock_has_is_late() -> None:
    clock = Clock(Pace(time=10), 0.5)
    assert clock.spend(10.4)
    assert clock.left == 0.0
    assert not clock.spend(0.6)


def test_a_time_control_of_moves_is_repeated() -> None:
    clock = Clock(Pace(time=60, moves=2), 0.0)
    shown = []
    for _ in range(4):
        shown.append((clock.left, clock.face.moves))
        assert clock.spend(10.0)
    assert shown == [(60, 2), (50, 1), (100, 2), (90, 1)]


def test_byo_yomi_gives_a_period_back_that_was_not_used_up() -> None:
    clock = Clock(Pace(time=5, periods=3, period=10), 0.0)
    assert clock.limit == 35
    assert clock.spend(4.0)
    assert (clock.left, clock.face.periods) == (1.0, 0)
    assert clock.spend(9.0)  # 1 s of the main time, 8 s of the first period
    assert (clock.left, clock.face.periods) == (10, 3)
    assert clock.spend(25.0)  # two periods, and 5 s of the last
    assert (clock.left, clock.face.periods) == (10, 1)
    assert clock.limit == 10
    assert not clock.spend(10.5)


def test_byo_yomi_alone_begins_with_its_periods() -> None:
    clock = Clock(Pace(time=0, periods=2, period=3), 0.0)
    assert (clock.left, clock.face.periods, clock.limit) == (3, 2, 6)


def test_a_fixed_time_a_move_has_no_clock() -> None:
    clock = Clock(Pace(movetime=1.0), 0.1)
    assert (clock.left, clock.limit) == (None, 1.1)
    assert clock.spend(1.05)
    assert not clock.spend(1.2)


def test_without_time_nothing_is_late() -> None:
    clock = Clock(Pace(nodes=100), 0.0)
    assert clock.limit is None
    assert clock.spend(1e6)
