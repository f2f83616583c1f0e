"""Backgammon: the definition against gnubg-nn, the rules' corners, and the texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playout.games.backgammon import OPENING_ROLLS, ROLLS, START, Backgammon, State
from playout.games.catalogue import load
from playout.games.errors import GameError, IllegalMove
from playout.games.game import CHANCE
from playout.games.support.backgammon.position_id import Checkers, from_position_id, position_id

from ..needs import module

GAME = Backgammon()

# fmt: off
OPENING_PLAYS = {
    11: 42, 21: 15, 22: 75, 31: 16, 32: 17, 33: 73, 41: 14, 42: 18, 43: 17, 44: 52, 51: 8,
    52: 8, 53: 9, 54: 9, 55: 4, 61: 10, 62: 14, 63: 14, 64: 14, 65: 7, 66: 11,
}
# fmt: on
"""Counted by gnubg-nn and two other generators."""


def side(**points: int) -> Checkers:
    """A side from its checkers, ``bar=1, p24=2``; all others are off."""
    counts = [0] * 26
    for name, count in points.items():
        counts[25 if name == "bar" else int(name[1:])] = count
    counts[0] = 15 - sum(counts)
    return tuple(counts)


def at(own: Checkers, other: Checkers, roll: int, player: int = 0) -> State:
    return State((other, own) if player else (own, other), player, divmod(roll, 10))


def texts(state: State) -> list[str]:
    return [GAME.action_to_text(state, action) for action in GAME.legal_actions(state)]


def random_side(rng: random.Random, highest: int) -> Checkers:
    counts = [0] * 26
    for _ in range(rng.randint(1, 15)):
        counts[rng.randint(1, highest)] += 1
    counts[0] = 15 - sum(counts)
    return tuple(counts)


def random_game(rng: random.Random, state: State) -> Iterator[State]:
    """The states from ``state`` to the end."""
    yield state
    while GAME.returns(state) is None:
        state = GAME.next_state(state, rng.choice(GAME.legal_actions(state)))
        yield state


def decisions(seed: int) -> Iterator[State]:
    """Decisions of whole random games, then of bear-offs and races."""
    rng = random.Random(seed)
    starts = [GAME.initial_state()] * 12
    for _ in range(60):
        sides = (random_side(rng, rng.choice((6, 6, 9))), random_side(rng, rng.choice((6, 6, 9))))
        starts.append(State(sides, rng.randint(0, 1), None))
    for start in starts:
        for state in random_game(rng, start):
            if state.dice is not None:
                yield state


@pytest.mark.long
def test_plays_are_gnubg_s() -> None:
    gnubg_nn: Any = module("gnubg_nn")
    count = 0
    for state in decisions(1):
        count += 1
        assert state.dice is not None
        own, other = state.checkers[state.player], state.checkers[1 - state.player]
        theirs = set(gnubg_nn.moves([list(other[1:]), list(own[1:])], *state.dice))
        after = [GAME.next_state(state, action).checkers for action in GAME.legal_actions(state)]
        ours = {_gnubg_key(gnubg_nn, sides, state.player) for sides in after}
        assert len(ours) == len(after)
        assert ours == theirs or (not theirs and after == [state.checkers]), GAME.state_to_text(state)
    assert count > 1200


def _gnubg_key(gnubg_nn: Any, sides: tuple[Checkers, Checkers], player: int) -> str:
    key: str = gnubg_nn.key_of_board([list(sides[1 - player][1:]), list(sides[player][1:])])
    return key


@pytest.mark.long
def test_position_ids_are_gnubg_s() -> None:
    gnubg_nn: Any = module("gnubg_nn")
    for state in decisions(2):
        own, other = state.checkers
        assert position_id(own, other) == gnubg_nn.position_id([list(other[1:]), list(own[1:])])
        assert from_position_id(position_id(own, other)) == (own, other)


@pytest.mark.parametrize(("roll", "count"), OPENING_PLAYS.items())
def test_the_first_play(roll: int, count: int) -> None:
    assert len(texts(at(START, START, roll))) == count


@pytest.mark.parametrize(
    ("own", "other", "roll", "plays"),
    [
        pytest.param(side(p20=1), side(p16=2), 65, ["20/14"], id="either die, not both: the higher"),
        pytest.param(side(p20=1), side(p16=2, p11=2), 65, ["20/15"], id="only the lower die"),
        pytest.param(side(p20=1), side(p11=2), 65, ["20/9"], id="one order only"),
        pytest.param(
            side(p24=1, p7=1), side(p2=2), 61, ["24/17", "24/18,7/6"], id="no 7/1, after which the 1 cannot be played"
        ),
        pytest.param(side(bar=1, p6=2), side(p5=2, p4=2), 54, ["pass"], id="dance"),
        pytest.param(side(bar=1, p6=2), side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p7=3), 66, ["pass"], id="close-out"),
        pytest.param(side(bar=2, p6=2), side(p1=2), 61, ["bar/19"], id="one of two off the bar"),
        pytest.param(
            side(bar=1, p13=1), side(p5=1), 52, ["bar/23,13/8", "bar/18", "bar/20*,13/11", "bar/20*/18"], id="bar first"
        ),
        pytest.param(side(p4=2), side(p1=2), 65, ["4/off(2)"], id="higher dice bear off the highest"),
        pytest.param(side(p6=1, p3=1), side(p1=2), 54, ["6/2,3/off", "6/1,3/off"], id="a higher checker goes first"),
        pytest.param(side(p6=1, p3=1), side(p23=2), 54, ["6/1,3/off"], id="a higher checker is in the way"),
        pytest.param(side(p3=1, p2=1), side(p1=2), 65, ["3/off,2/off"], id="both borne off with both dice is one play"),
        pytest.param(side(p6=1), side(p1=2), 61, ["6/off"], id="off with one die or with two is one play"),
        pytest.param(side(p7=1, p4=1), side(p1=2), 21, ["7/5,4/3", "7/4", "7/6,4/2", "4/1"], id="not home yet"),
        pytest.param(side(p13=1), side(p24=2), 33, ["13/4"], id="three of four of a double"),
        pytest.param(side(p3=3), side(p1=2), 66, ["3/off(3)"], id="a double has more dice than there are checkers"),
        pytest.param(side(p8=1, p6=1), side(p1=2), 52, ["8/1", "8/3,6/4"], id="one or the other goes on: one play"),
        pytest.param(side(p24=1), side(p7=1), 65, ["24/18*/13", "24/13"], id="hit on the way, or not"),
    ],
)
def test_corners_of_the_rules(own: Checkers, other: Checkers, roll: int, plays: list[str]) -> None:
    for player in (0, 1):
        assert sorted(texts(at(own, other, roll, player))) == sorted(plays)


def test_the_opening_roll_names_the_starter() -> None:
    start = GAME.initial_state()
    assert GAME.current_player(start) == CHANCE
    assert list(GAME.legal_actions(start)) == [roll for roll, _ in GAME.chance_outcomes(start)] == list(OPENING_ROLLS)
    assert len(OPENING_ROLLS) == 30
    for text, player in (("31", 0), ("13", 1)):
        state = GAME.next_state(start, GAME.text_to_action(start, text))
        assert (GAME.current_player(state), state.dice) == (player, (3, 1))
    assert GAME.with_player(start, 1) == State((START, START), 1, None)


def test_dice_fall_as_they_do() -> None:
    for state in (GAME.initial_state(), State((START, START), 1, None)):
        assert sum(probability for _, probability in GAME.chance_outcomes(state)) == pytest.approx(1)
    outcomes = dict(GAME.chance_outcomes(State((START, START), 1, None)))
    assert list(outcomes) == list(ROLLS)
    assert outcomes[31] == 2 * outcomes[33] == 2 / 36


@pytest.mark.parametrize(
    ("loser", "points"),
    [(side(p1=14, bar=0), 1), (side(p18=15), 2), (side(p19=1, p6=14), 3), (side(bar=1, p6=14), 3), (side(bar=1), 1)],
)
def test_results(loser: Checkers, points: int) -> None:
    for winner, sign in ((0, 1), (1, -1)):
        last = State((side(p1=1), loser) if winner == 0 else (loser, side(p1=1)), winner, (2, 1))
        assert GAME.returns(last) is None
        state = GAME.next_state(last, GAME.text_to_action(last, "1/off"))
        assert GAME.returns(state) == (sign * points / 3, -sign * points / 3)
        assert GAME.legal_actions(state) == ()
        assert Backgammon(gammons=False).returns(state) == (sign, -sign)
        assert GAME.state_from_text(GAME.state_to_text(state)) == state
        assert f"{'XO'[winner]} wins {points}" in GAME.render(state)


def test_every_play_and_position_can_be_written_and_read() -> None:
    rng = random.Random(3)
    for state in random_game(rng, GAME.initial_state()):
        assert GAME.state_from_text(GAME.state_to_text(state)) == state
        actions = GAME.legal_actions(state)
        words = [GAME.action_to_text(state, action) for action in actions]
        assert len(set(words)) == len(words) == len(" ".join(words).split())
        for action, word in rng.sample(list(zip(actions, words, strict=True)), min(len(words), 3)):
            assert GAME.text_to_action(state, word) == action


@pytest.mark.parametrize(
    ("roll", "text", "play"),
    [
        (31, "6/5 8/5", "8/5,6/5"),
        (31, "  8/5,\t6/5 ", "8/5,6/5"),
        (31, "31: 8/5 6/5", "8/5,6/5"),
        (31, "8-5 6-5", "8/5,6/5"),
        (31, "8/5* 6/5*", "8/5,6/5"),
        (65, "24/13", "24/13"),
        (65, "24/18 18/13", "24/13"),
        (65, "18/13 24/18", "24/13"),
        (65, "24/18/13", "24/13"),
        (33, "8/5(2) 6/3(2)", "8/5(2),6/3(2)"),
        (33, "6/3 8/5 6/3 8/5", "8/5(2),6/3(2)"),
        (33, "8/5 (2), 6/3( 2 )", "8/5(2),6/3(2)"),
        (33, "13/10 13/10 10/7 10/7", "13/7(2)"),
        (33, "13/1", "13/1"),
    ],
)
def test_plays_are_read_as_people_and_programs_write_them(roll: int, text: str, play: str) -> None:
    state = at(START, START, roll, player=1) if play != "13/1" else at(side(p13=1, p8=1), side(p25=0, p20=2), roll)
    assert GAME.action_to_text(state, GAME.text_to_action(state, text)) == play


def test_bar_and_off_have_more_than_one_name() -> None:
    entering = at(side(bar=1, p13=1), side(p5=1), 52)
    for text in ("bar/20*,13/11", "BAR/20 13/11", "25/20 13/11", "13/11 Bar/20*", "b-20 13-11"):
        assert GAME.action_to_text(entering, GAME.text_to_action(entering, text)) == "bar/20*,13/11"
    bearing_off = at(side(p4=2), side(p1=2), 65)
    for text in ("4/off(2)", "4/0 4/0", "4/Off 4/OFF", "4-o 4-o"):
        assert GAME.action_to_text(bearing_off, GAME.text_to_action(bearing_off, text)) == "4/off(2)"
    dancing = at(side(bar=1, p6=2), side(p5=2, p4=2), 54)
    for text in ("pass", "Pass", "", " cannot move "):
        assert GAME.action_to_text(dancing, GAME.text_to_action(dancing, text)) == "pass"


def test_a_hit_on_the_way_needs_its_point_where_there_is_a_choice() -> None:
    state = at(side(p24=1), side(p7=1), 65)
    assert GAME.action_to_text(state, GAME.text_to_action(state, "24/13")) == "24/13"
    for text in ("24/18*/13", "24/18/13", "24/18 18/13"):
        assert GAME.action_to_text(state, GAME.text_to_action(state, text)) == "24/18*/13"
    either = at(side(p24=1), side(p7=1, p6=1), 65)
    with pytest.raises(IllegalMove, match=r"ambiguous move: '24/13' with 65: 24/18\*/13 or 24/19\*/13"):
        GAME.text_to_action(either, "24/13")
    only = at(side(p24=1), side(p7=1, p6=2), 65)
    assert GAME.action_to_text(only, GAME.text_to_action(only, "24/13")) == "24/18*/13"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pass",
        "8/5",
        "8/4 6/5",
        "8/5 6/5 6/5",
        "8/5(2)",
        "5/8 6/5",
        "31",
        "24",
        "24/",
        "bar/22 6/5",
        "6/off",
        "27/24 6/5",
    ],
)
def test_what_is_no_legal_play_is_refused(text: str) -> None:
    with pytest.raises(IllegalMove):
        GAME.text_to_action(at(START, START, 31), text)


def test_rolls_are_read_in_either_order() -> None:
    state = State((START, START), 0, None)
    for text in ("31", "13", " 3-1", "3,1"):
        assert GAME.text_to_action(state, text) == 31
    for text in ("", "3", "37", "311", "pass", "8/5"):
        with pytest.raises(IllegalMove, match="not a roll"):
            GAME.text_to_action(state, text)
    with pytest.raises(IllegalMove, match="that differ"):
        GAME.text_to_action(GAME.initial_state(), "33")


def test_position_texts() -> None:
    assert GAME.state_to_text(GAME.initial_state()) == "4HPwATDgc/ABMA 0 opening"
    state = at(START, START, 31)
    assert GAME.state_from_text("4HPwATDgc/ABMA 0 13") == state
    split = at(START, START, 41)
    after = GAME.next_state(split, GAME.text_to_action(split, "24/23 13/9"))
    assert GAME.state_to_text(after) == "4HPhASjgc/ABMA 1 -"


def test_xgid() -> None:
    start = "XGID=-b----E-C---eE---c-e----B-"
    assert GAME.state_from_text(start + ":0:0:1:31:0:0:0:0:10") == at(START, START, 31)
    assert GAME.state_from_text(start + ":1:-1:-1:00:2:4:0:7:10") == State((START, START), 1, None)
    moved = at(START, START, 31, player=1)
    moved = GAME.next_state(moved, GAME.text_to_action(moved, "8/5 6/5"))
    assert GAME.state_from_text("XGID=-b----E-C---eE---b-db---B-:0:0:1:00:0:0:0:0:10") == moved


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4HPwATDgc/ABMA",
        "4HPwATDgc/ABMA 0",
        "4HPwATDgc/ABMA 2 31",
        "4HPwATDgc/ABMA 0 31 x",
        "4HPwATDgc/ABMA 0 37",
        "4HPwATDgc/ABMA 0 3",
        "4HPwATDgc/ABMA 1 opening",
        "4HPwATDgc/ABM 0 31",
        "4HPwATDgc/ABMB 0 31",
        "4HPwATDgc/ABMAA= 0 31",
        "4HPwATDgc_ABMA 0 31",
        "//////////////8 0 31",
        "/////////////w 0 31",
        "4HPwATDgc/ABMé 0 31",
        f"{position_id(side(p6=1), side(p19=1))} 0 -",
        f"{position_id(side(), side())} 0 -",
        f"{position_id(side(), START)} 0 31",
        f"{position_id(side(), START)} 0 opening",
        f"{position_id(*[side(bar=1, p1=2, p2=2, p3=2, p4=2, p5=2, p6=2)] * 2)} 0 -",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:2:31:0:0:0:0:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1",
        "XGID=-b----P-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "XGID=-b----E-C---eE---c-e----BB:0:0:1:31:0:0:0:0:10",
        "XGID=Ab----E-C---eE---c-e-----B:0:0:1:31:0:0:0:0:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:07:0:0:0:0:10",
    ],
)
def test_malformed_positions_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(GameError) as caught:
        GAME.state_from_text(text)
    assert "\n" not in str(caught.value)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.text(alphabet="4HPwATDgc/B+01 -31opening:XGID=abEe", max_size=40) | st.text(max_size=40))
@example("4HPwATDgc/ABMA 0 31")
def test_any_position_text_is_read_or_refused(text: str) -> None:
    try:
        state = GAME.state_from_text(text)
    except GameError as error:
        assert "\n" not in str(error)
    else:
        assert GAME.state_from_text(GAME.state_to_text(state)) == state


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.text(alphabet="0123456789/-*() ,;:barof", max_size=24) | st.text(max_size=24))
def test_any_play_text_is_read_or_refused(text: str) -> None:
    state = at(side(bar=1, p6=2), side(p1=2), 61)
    with suppress(IllegalMove):
        assert GAME.text_to_action(state, text) in GAME.legal_actions(state)


def test_the_parameter() -> None:
    assert GAME.name == load("backgammon").name == "backgammon"
    plain = load("backgammon:false")
    assert plain == Backgammon(gammons=False) == load(plain.name)
    assert (GAME.points_scale, Backgammon(gammons=False).points_scale) == (3, 1)
    with pytest.raises(GameError):
        load("backgammon:gammons=perhaps")
    with pytest.raises(GameError):
        Backgammon(gammons=2)  # type: ignore[arg-type]


def test_the_drawing_numbers_the_points_of_the_player_on_roll() -> None:
    checkers = (side(bar=1, p6=7, p1=1), side(bar=2, p20=1))
    assert GAME.render(State(checkers, 0, (3, 1))).splitlines() == [
        " +13-14-15-16-17-18-+---+19-20-21-22-23-24-+  O: 12 off, 70 pips",
        " |                  | X |                  |",
        " |                  |   |                  |",
        " |                  |   |                  |",
        " |                  |   |                  |",
        " |                  |   |                  |",
        " |                  |BAR|                  |  X to play 31",
        " |                  |   | 7                |",
        " |                  |   | X                |",
        " |                  |   | X                |",
        " |                  | O | X                |",
        " |                  | O | X  O           X |",
        " +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+  X: 6 off, 68 pips",
    ]
    drawn = GAME.render(State((START, START), 1, None)).splitlines()
    assert drawn[0].startswith(" +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+")
    assert drawn[-1].startswith(" +13-14-15-16-17-18-+---+19-20-21-22-23-24-+")
