"""Cube decisions against published values, and the playouts on which they are based."""

from __future__ import annotations

from dataclasses import replace
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.judge.cube import Chances, doubles, match_equity, may_double, money_equity, takes
from playout.engine.session import Session
from playout.engine.terms.limits import Limits
from playout.games.catalogue import load
from playout.games.errors import PlayoutError
from playout.games.support.backgammon.position_id import position_id
from playout.games.support.backgammon.setup import Match

from ...patience import PATIENCE

MONEY = Match()


def simple(win: float) -> Chances:
    """No gammons."""
    return Chances(win, 0.0, 0.0, 0.0, 0.0)


def first(test: Any) -> float:
    """The least winning chance, in thousandths, that passes."""
    return next(p / 1000 for p in range(1001) if test(simple(p / 1000)))


def test_the_points_of_the_last_cube_without_gammons() -> None:
    """Janowski's table for an efficiency of 0.68: the drop point lies between the dead cube's 75 and the live one's 80
    per cent, 0.25 - 0.05 x 0.68 from the other side; the doubling point between 50 and 80."""
    assert first(lambda chances: not takes(chances, MONEY)) == pytest.approx(0.787, abs=0.002)
    assert first(lambda chances: doubles(chances, MONEY)) == pytest.approx(0.70, abs=0.015)
    owned = Match(cube=2, owner=0)
    assert first(lambda chances: doubles(chances, owned)) > first(lambda chances: doubles(chances, MONEY))


def test_who_wins_many_gammons_plays_on() -> None:
    strong = Chances(0.9, 0.6, 0.05, 0.01, 0.0)
    assert not doubles(strong, MONEY)
    assert doubles(strong, replace(MONEY, jacoby=True)), "gammons count only with the cube turned"
    assert not takes(strong, MONEY)


def test_gammons_lost_make_a_take_a_drop() -> None:
    assert takes(Chances(0.75, 0.0, 0.0, 0.0, 0.0), MONEY)
    assert not takes(Chances(0.75, 0.4, 0.0, 0.0, 0.0), MONEY)


def test_who_may_double() -> None:
    assert may_double(MONEY)
    assert not may_double(Match(dice=(3, 1)))
    assert not may_double(Match(doubled=True))
    assert not may_double(Match(owner=1))
    assert may_double(Match(player=1, owner=1))
    assert not may_double(Match(length=3, scores=(2, 0), crawford=True))
    assert not may_double(Match(length=3, scores=(2, 0)))
    assert may_double(Match(player=1, length=3, scores=(2, 0)))


def test_a_match_is_worth_what_the_score_says() -> None:
    level = Match(length=7)
    assert match_equity(simple(0.5), level, 1) == pytest.approx(0.5)
    ahead = Match(length=7, scores=(5, 1))
    assert match_equity(simple(0.5), ahead, 1) > 0.7
    assert match_equity(simple(0.5), replace(ahead, player=1), 1) < 0.3
    assert match_equity(simple(0.3), Match(length=1), 1) == pytest.approx(0.3)
    assert takes(simple(0.67), Match(length=2))
    assert not takes(simple(0.70), Match(length=2)), "the drop leaves 31.5 per cent"
    assert not takes(simple(0.99), Match(length=25))


@pytest.mark.parametrize(("length", "scores", "wins"), [(3, (0, 2), 0.25), (5, (0, 4), 0.16), (9, (8, 8), 0.5)])
def test_the_leader_needs_one_point(length: int, scores: tuple[int, int], wins: float) -> None:
    """Player 0 loses a point; ``wins`` is the trailer's value in match equity tables before the Crawford game."""
    before = Match(length=length, scores=(scores[0], scores[1] - 1))
    assert match_equity(Chances(0.0, 0.0, 0.0, 0.0, 0.0), before, 1) == pytest.approx(wins, abs=0.01)


def test_the_longest_match_is_no_burden() -> None:
    assert 0.0 <= match_equity(simple(0.5), Match(length=32767, scores=(0, 32766)), 1) < 1e-6


chances = st.builds(
    lambda win, *shares: Chances(
        win, win * shares[0], win * shares[0] * shares[1], (1 - win) * shares[2], (1 - win) * shares[2] * shares[3]
    ),
    *[st.floats(0, 1)] * 5,
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(chances, st.booleans())
def test_to_own_the_cube_is_worth_most(chance: Chances, jacoby: bool) -> None:
    own, other = money_equity(chance, "own"), money_equity(chance, "other")
    assert other <= chance.equity + 1e-9 <= own + 2e-9
    mirrored = money_equity(chance.for_other(), "other")
    assert own == pytest.approx(-mirrored, abs=1e-9)
    centred = money_equity(chance, "centred", jacoby=jacoby)
    assert centred == pytest.approx(-money_equity(chance.for_other(), "centred", jacoby=jacoby), abs=1e-9)


def roll_out(text: str, seed: int = 0, **limits: Any) -> Any:
    events: SimpleQueue[Any] = SimpleQueue()
    session = Session(load("backgammon"), post=events.put)
    try:
        session.set_option("Seed", str(seed))
        session.set_position(text, ())
        session.roll_out(Limits(**limits))
        return events.get(timeout=PATIENCE)
    finally:
        session.close()


def test_a_rollout_counts_how_games_end() -> None:
    result = roll_out("4HPwATDgc/ABMA 0 -", seed=7, nodes=200)
    assert result.reason == "nodes"
    assert sum(times for _, times in result.outcomes) == 200 == result.info.simulations
    assert {round(3 * value) for value, _ in result.outcomes} <= {-3, -2, -1, 1, 2, 3}
    assert abs(result.info.value) < 0.3
    assert roll_out("4HPwATDgc/ABMA 0 -", seed=7, nodes=200).outcomes == result.outcomes
    assert roll_out("4HPwATDgc/ABMA 0 -", seed=8, nodes=200).outcomes != result.outcomes


def test_rollouts_of_different_games_differ_without_a_seed() -> None:
    first, second = (roll_out("4HPwATDgc/ABMA 0 -", nodes=200) for _ in range(2))
    assert (first.outcomes, first.info.depth) != (second.outcomes, second.info.depth)


def test_a_rollout_ends_in_time() -> None:
    result = roll_out("4HPwATDgc/ABMA 0 -", movetime=0.001)
    assert result.reason == "deadline"
    assert sum(times for _, times in result.outcomes) >= 1


def test_a_rollout_s_results_are_player_0_s() -> None:
    one = (14, 1, *[0] * 24)
    last = position_id(one, one)
    for player, value in ((0, 1), (1, -1)):
        result = roll_out(f"{last} {player} -", nodes=10)
        assert [(round(3 * points), times) for points, times in result.outcomes] == [(value, 10)]


def test_a_rollout_stops_when_it_is_told_to() -> None:
    events: SimpleQueue[Any] = SimpleQueue()
    session = Session(load("backgammon"), post=events.put)
    try:
        session.set_position("4HPwATDgc/ABMA 0 -", ())
        session.roll_out(Limits(nodes=10**6))
        with pytest.raises(PlayoutError, match="under way"):
            session.roll_out(Limits())
        session.stop()
        assert events.get(timeout=PATIENCE).reason == "stop"
        assert session.wait(PATIENCE)
    finally:
        session.close()


def test_what_has_no_kernel_or_is_over_is_not_played_out() -> None:
    session = Session(load("tic_tac_toe"), post=lambda _: None)
    session.set_position(None, ("a1", "b1", "a2", "b2", "a3"))
    with pytest.raises(PlayoutError, match="over"):
        session.roll_out(Limits())
    session.close()
