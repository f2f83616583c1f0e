"""Patterns of points: the shipped plays, ranges of checkers, hits, the bar, for both players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playout.books.macros.macro import shipped_macros
from playout.games import catalogue
from playout.games.backgammon import State

from .patterns import Matcher, shipped, written

GAME: Any = catalogue.load("backgammon")


def at(own: dict[int, int], other: dict[int, int], dice: tuple[int, int], player: int = 0) -> str:
    """A position by the checkers of the player on roll and of the other, each by their own points; the rest is off."""
    sides = []
    for points in (own, other):
        counts = [points.get(point, 0) for point in range(26)]
        counts[0] = 15 - sum(counts)
        sides.append(tuple(counts))
    checkers = (sides[0], sides[1]) if player == 0 else (sides[1], sides[0])
    return str(GAME.state_to_text(State(checkers, player, dice)))


START = {6: 5, 8: 3, 13: 5, 24: 2}
SHIPPED = [
    ("five point", START, START, (3, 1), {"8/5,6/5"}),
    ("five point", START, START, (4, 1), set()),
    ("five point", START, {20: 2, 6: 5, 8: 3, 13: 5}, (3, 1), set()),  # it is theirs
    ("five point", {6: 3, 8: 1, 13: 5}, {20: 1, 24: 1, 6: 5}, (3, 1), {"8/5*,6/5*"}),
    ("four point", START, START, (4, 2), {"8/4,6/4"}),
    ("bar point", START, START, (6, 1), {"13/7,8/7"}),
    ("bar point", START, {18: 1, 24: 1, 6: 5, 8: 3, 13: 5}, (6, 1), {"13/7*,8/7*"}),
    ("double ones", START, START, (1, 1), {"8/7(2),6/5(2)"}),
    ("double threes", START, START, (3, 3), {"8/5(2),6/3(2)"}),
    ("double fours", START, START, (4, 4), {"24/20(2),13/9(2)"}),
    ("double sixes", START, START, (6, 6), {"24/18(2),13/7(2)"}),
    ("double sixes", {6: 5, 8: 3, 13: 4, 24: 2, 25: 1}, START, (6, 6), set()),  # a checker is on the bar
]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("name", "own", "other", "dice", "plays"), SHIPPED)
def test_a_shipped_play_is_known_to_both_players(
    name: str, own: dict[int, int], other: dict[int, int], dice: tuple[int, int], plays: set[str], player: int
) -> None:
    assert shipped("backgammon", name).moves(at(own, other, dice, player)) == plays


def test_every_shipped_play_is_tested() -> None:
    assert {name for name, *_ in SHIPPED} == {macro.name for macro in shipped_macros(GAME)}


@pytest.mark.parametrize(
    ("word", "counts"),
    [("X2", {2}), ("X2+", {2, 3, 5}), ("X1-2", {1, 2}), ("X", {1, 2, 3, 5}), (".", {0}), ("?", {0, 1, 2, 3, 5})],
)
def test_a_word_is_a_number_of_checkers(tmp_path: Path, word: str, counts: set[int]) -> None:
    row = " ".join(["?"] * 14 + [word] + ["?"] * 7 + ["a:X1", "b:."])
    matcher = written(tmp_path, "backgammon", f"  - {{name: a, pattern: '{row}', play: a/b}}\n")
    for count in (0, 1, 2, 3, 5):
        moves = matcher.moves(at({2: 1, 10: count, 24: 4}, {24: 2}, (1, 1)))
        assert moves == set(), "a play is a whole roll"
    row = " ".join(["c:X4", "d:.", *["?"] * 12, word, *["?"] * 7, "a:X1", "b:."])
    matcher = written(tmp_path, "backgammon", f"  - {{name: a, pattern: '{row}', play: 'a/b,c/d(3)'}}\n")
    for count in (0, 1, 2, 3, 5):
        assert bool(matcher.moves(at({2: 1, 10: count, 24: 4}, {20: 2}, (1, 1)))) == (count in counts)


def test_a_fragment_applies_anywhere_and_a_play_may_be_joined(tmp_path: Path) -> None:
    matcher = written(tmp_path, "backgammon", "  - {name: a, pattern: 'a:X1 ? ? ? b:O1', play: a/b}\n")
    for player in (0, 1):
        text = at({20: 1, 12: 1, 1: 5}, {9: 1, 17: 1, 6: 5}, (3, 1), player)
        assert matcher.moves(text) == {"20/16*", "12/8*"}


def test_a_checker_comes_in_from_the_bar(tmp_path: Path) -> None:
    text = "  - {name: a, pattern: 'a:O1 b:. ? c:X', play: 'bar/a,c/b'}\n"
    own, other = {25: 1, 18: 1, 6: 5}, {4: 1, 6: 5}
    matcher = written(tmp_path, "backgammon", text.replace("c/b", "a/b"))
    assert matcher.moves(at(own, other, (4, 1))) == {"bar/21*/20"}
    matcher = written(tmp_path, "backgammon", "  - {name: a, pattern: 'a:. ? ? c:X b:.', play: 'bar/a,c/b'}\n")
    assert matcher.moves(at({25: 1, 18: 1, 6: 5}, {6: 5}, (4, 1))) == {"bar/21,18/17"}


def test_the_opponents_bar_is_a_condition(tmp_path: Path) -> None:
    text = "  - {name: a, pattern: 'a:X ? ? ? b:?', where: [bar], play: a/b}\n"
    for phrase, expected in (("bar", {True: {"20/16"}, False: set()}), ("not bar", {True: set(), False: {"20/16"}})):
        matcher: Matcher = written(tmp_path, "backgammon", text.replace("[bar]", f"[{phrase}]"))
        for on_bar, moves in expected.items():
            assert matcher.moves(at({20: 1, 1: 5}, {25: int(on_bar), 6: 5}, (3, 1))) == moves
