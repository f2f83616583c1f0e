"""Moves of several cells: every way of a legal action is one of no other, and a GUI can click it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from playout.games.backgammon import State
from playout.games.catalogue import BUILT_IN, load
from playout.games.check.checker import check
from playout.games.game import CHANCE, GAP, HasLabels, HasShades, HasSteps, is_over
from playout.games.support.backgammon.position_id import Checkers
from playout.games.support.columns import COLUMNS

Way = tuple[tuple[int, int], ...]

GAMES = [name for name in BUILT_IN if isinstance(load(name), HasSteps)]


def ways(game: Any, state: Any) -> dict[Way, Any]:
    """The ways to click each legal action, which may not be those of two."""
    found: dict[Way, Any] = {}
    for action in game.legal_actions(state):
        for way in map(tuple, game.steps(state, action)):
            assert way not in found
            found[way] = action
    assert set(found.values()) == set(game.legal_actions(state))
    return found


@pytest.mark.parametrize("name", [*GAMES, "chess:chess960=true,position=5"])
def test_ways_of_random_games(name: str) -> None:
    game: Any = load(name)
    rng = random.Random(name)
    state = game.initial_state()
    for _ in range(60):
        if is_over(game, state):
            break
        if game.current_player(state) != CHANCE:
            _check(game, state, ways(game, state), rng)
        state = game.next_state(state, rng.choice(game.legal_actions(state)))


def _check(game: Any, state: Any, known: dict[Way, Any], rng: random.Random) -> None:
    begun = {way[:length] for way in known for length in range(1, len(way))}
    assert not begun & set(known)
    assert all(one != two for way in known for one, two in pairwise(way))
    rows = game.cells(state, ())
    assert len({len(row) for row in rows}) == 1
    assert max(len(rows), len(rows[0])) <= 25
    assert all(rows[row][column] != GAP for way in known for column, row in way)
    mover = game.current_player(state)
    assert all(rows[way[0][1]][way[0][0]] == mover for way in known if len(way) > 1)
    assert isinstance(game, HasLabels)
    assert isinstance(game, HasShades)
    for clicked in [(), *rng.sample(sorted(begun), min(3, len(begun)))]:
        drawn = game.cells(state, clicked)
        assert len(drawn) == len(rows)
        assert all(0 <= row < len(rows) and 0 <= column < len(rows[0]) for column, row in game.labels(state, clicked))
        if len(clicked) % 2 == 0 and clicked:
            assert drawn[clicked[-1][1]][clicked[-1][0]] in ((None, mover) if game.kernel == "chess" else (mover,))


def clicks(text: str) -> Way:
    return tuple((COLUMNS.index(word[0]), int(word[1:]) - 1) for word in text.split())


@pytest.mark.parametrize(
    ("name", "move", "expected"),
    [
        ("chess", "e1g1", ["E1 G1", "E1 H1"]),
        ("chess", "e1c1", ["E1 C1", "E1 A1"]),
        ("chess:chess960=true", "e1h1", ["E1 H1", "E1 G1"]),
        ("chess", "e5d6", ["E5 D6"]),
        ("chess", "e1f1", ["E1 F1"]),
    ],
)
def test_clicks_of_chess(name: str, move: str, expected: list[str]) -> None:
    game: Any = load(name)
    state = game.state_from_text("r3k2r/P7/8/3pP3/8/8/7P/R3K2R w KQkq d6 0 1")
    action = game.text_to_action(state, move)
    assert [tuple(way) for way in game.steps(state, action)] == [clicks(way) for way in expected]


def test_a_pawn_becomes_what_is_clicked_on_its_file() -> None:
    game: Any = load("chess")
    state = game.state_from_text("4k3/P6P/8/8/8/8/8/4K3 w - - 0 1")
    for letter, rank in zip("qnrb", "7654", strict=True):
        action = game.text_to_action(state, f"h7h8{letter}")
        assert [tuple(way) for way in game.steps(state, action)] == [clicks(f"H7 H8 H{rank}")]


def test_black_promotes_upwards_and_the_choices_have_letters() -> None:
    game: Any = load("chess")
    state = game.state_from_text("4k3/8/8/8/8/8/6p1/4KN2 b - - 0 1")
    action = game.text_to_action(state, "g2f1r")
    assert [tuple(way) for way in game.steps(state, action)] == [clicks("G2 F1 F4")]
    labels = game.labels(state, clicks("G2 F1"))
    assert [labels[cell] for cell in clicks("F2 F3 F4 F5")] == ["=Q", "=N", "=R", "=B"]
    assert game.captures(state) == (14, 14)


def side(**points: int) -> Checkers:
    """``p6=2`` on the 6 point, ``bar``; the rest are off."""
    counts = [0] * 26
    for name, count in points.items():
        counts[25 if name == "bar" else int(name[1:])] = count
    return (15 - sum(counts), *counts[1:])


START = side(p6=5, p8=3, p13=5, p24=2)


@pytest.mark.parametrize(
    ("state", "play", "expected"),
    [
        # A man who goes on is not clicked again. The engine's own way comes first.
        (State((START, START), 0, (6, 5)), "24/13", ["N13 F14 A9"]),
        (State((START, START), 1, (6, 5)), "24/13", ["N2 F1 A6"]),
        (State((START, START), 0, (3, 1)), "24/20", ["N13 K14 J14", "N13 M14 J14"]),
        # Two men in any order; the second one to come stands on the first.
        (State((START, START), 0, (3, 1)), "8/5,6/5", ["E3 J1 H5 J2", "H5 J1 E3 J2"]),
        # From the bar; a blot is hit where it stands.
        (
            State((side(bar=1, p13=1), side(p5=1)), 0, (5, 2)),
            "bar/20*,13/11",
            ["G14 J14 A14 B1"],
        ),
        # A stack shows five men; the sixth cell takes the next one, and whoever leaves it leaves the fifth.
        (State((side(p6=7, p8=1), side(p24=2)), 0, (2, 1)), "8/5", ["E1 H6 J1", "E1 F1 J1", "H5 J1 E1 H6"]),
        # Off.
        (State((side(p1=2), side(p1=2)), 0, (6, 5)), "1/off(2)", ["N2 O6 N1 O6"]),
        # No checker can be moved.
        (State((side(bar=1, p6=2), side(p5=2, p4=2)), 0, (5, 4)), "pass", ["G8", ""]),
    ],
)
def test_clicks_of_backgammon(state: State, play: str, expected: list[str]) -> None:
    game: Any = load("backgammon")
    known = [tuple(way) for way in game.steps(state, game.text_to_action(state, play))]
    assert known == [clicks(way) for way in expected]


def test_moved_men_stand_where_they_were_clicked_to() -> None:
    game: Any = load("backgammon")
    state = State((START, START), 1, (3, 1))
    rows = game.cells(state, clicks("E12 J14"))
    assert (rows[11][4], rows[13][8]) == (None, 1)
    assert game.cells(state, clicks("E12")) == game.cells(state, ())


def test_a_hit_man_is_on_the_bar_at_once() -> None:
    game: Any = load("backgammon")
    state = State((side(bar=1, p13=1), side(p5=1)), 0, (5, 2))
    rows = game.cells(state, clicks("G14 J14"))
    assert (rows[13][6], rows[13][8], rows[0][6]) == (None, 0, 1)


def test_labels_of_backgammon() -> None:
    game: Any = load("backgammon")
    state = State((side(p6=7, p8=1), side(p24=2)), 0, (2, 1))
    labels = game.labels(state, ())
    assert [labels[cell] for cell in clicks("G7 G8 H5 H7 N7 A8")] == ["1", "2", "7", "6", "1", "13"]
    assert game.labels(State(state.checkers, 1, (2, 1)), ())[clicks("N8")[0]] == "1"


class Slides:
    """A man on a line of four cells who goes on to the next one or the one after it; a move is from and to."""

    name = "slides"
    ways: Any = staticmethod(lambda state, action: [[(state, 0), (action, 0)]])

    def initial_state(self) -> int:
        return 0

    def current_player(self, state: int) -> int:
        return 0

    def legal_actions(self, state: int) -> Sequence[int]:
        return [cell for cell in (state + 1, state + 2) if cell < 4]

    def next_state(self, state: int, action: int) -> int:
        return action

    def returns(self, state: int) -> tuple[float, float] | None:
        return (1.0, -1.0) if state == 3 else None

    def cells(self, state: int, clicked: Any) -> list[list[int | None]]:
        return [[0 if cell == state else None for cell in range(4)]]

    def steps(self, state: int, action: int) -> Any:
        return self.ways(state, action)


FAULTS: list[tuple[Any, str]] = [
    (lambda state, action: [], "steps gives no way to click action 1"),
    (lambda state, action: [[(state, 0), (action, 1)]], "has (1, 1), which is no cell of the board"),
    (lambda state, action: [[(state, 0), (state, 0)]], "has a cell twice in a row"),
    (lambda state, action: [[(state, 0)]], "actions 1 and 2 are clicked in the same way"),
    (
        lambda state, action: [[(cell, 0) for cell in range(state, action + 1)]],
        "a way to click action 2 begins with one of 1",
    ),
]


def test_the_checker_looks_at_steps() -> None:
    assert check(Slides(), games=2) == []
    for ways, message in FAULTS:
        game = Slides()
        game.ways = ways
        (problem,) = check(game, games=2)
        assert problem.property == "steps"
        assert message in problem.message
