"""Board lines: those of GNU Backgammon, and the round trip of any position."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playout.games.errors import GameError
from playout.games.support.backgammon.setup import Setup
from playout.games.support.backgammon.xgid import from_xgid, xgid
from playout.protocols.backgammon.fibs_board import fibs_board, from_fibs_board

KNOWN = [
    line.split()
    for line in (Path(__file__).parents[2] / "games" / "support" / "gnubg_ids.txt")
    .read_text(encoding="utf-8")
    .splitlines()
]
START = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
WRITTEN = [
    # names, length, scores, board, turn, dice, cube; what GNU Backgammon meant by it
    (
        f"board:gnubg:root:3:0:0:{START}:1:2:1:2:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:21:0:0:0:3:10",
    ),
    (
        f"board:gnubg:root:3:2:1:{START}:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
        "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:1:2:1:3:10",
    ),
    (
        "board:root:gnubg:5:3:1:0:-2:0:0:0:2:5:0:2:0:0:0:-5:4:0:1:0:-3:0:-5:0:0:0:0:1:0"
        ":1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1",
        "XGID=-b---BE-B---eD-A-c-e----A-:0:0:1:D:3:1:0:5:10",
    ),
    (
        "board:gnubg:root:5:0:4:0:-2:0:0:0:3:4:0:2:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:0:1:0"
        ":-1:0:0:0:0:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        "XGID=-b---CD-B--AeD---c-e----A-:1:-1:-1:00:4:0:0:5:10",
    ),
]


@pytest.mark.parametrize(("line", "word"), WRITTEN)
def test_lines_of_gnu_backgammon(line: str, word: str) -> None:
    setup = from_fibs_board(line)
    assert xgid(setup) == word
    names = line.split(":")[1:3]
    assert fibs_board(setup, (names[0], names[1]) if setup.match.doubled else (names[1], names[0])) == line


@pytest.mark.parametrize("word", [word for word, _ in KNOWN])
def test_any_position_comes_back(word: str) -> None:
    setup = from_xgid(word)
    jacoby = setup.match.jacoby
    assert from_fibs_board(fibs_board(setup), jacoby=jacoby) == setup
    if setup.match.dice is None and setup.match.owner != 1 - setup.match.player:
        offered = Setup(setup.checkers, replace(setup.match, doubled=True, crawford=False))
        assert from_fibs_board(fibs_board(offered), jacoby=jacoby) == offered


@pytest.mark.parametrize(
    ("colour", "direction", "mirrored"), [(1, -1, False), (-1, 1, False), (1, 1, True), (-1, -1, True)]
)
def test_colour_and_direction_say_which_way_the_checkers_move(colour: int, direction: int, mirrored: bool) -> None:
    points = START.split(":")
    if mirrored:
        points = points[::-1]
    board = f"board:a:b:0:0:0:{':'.join(points)}:1:3:1:3:1:1:1:1:0:{colour}:{direction}:0:25:0:0:0:0:0:0:0:0"
    assert from_fibs_board(board).checkers[0][6] == 5
    assert from_fibs_board(board).checkers[1][24] == 2


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.integers(0, 51), st.sampled_from(["", "-1", "0", "16", "x", "99999999999999", "é", ":", "1:1"]))
@example(3, "9999")
def test_any_line_is_read_or_refused(place: int, word: str) -> None:
    fields = WRITTEN[0][0].split(":")
    fields[place] = word
    with suppress(GameError):
        setup = from_fibs_board(":".join(fields))
        assert from_fibs_board(fibs_board(setup)) == setup


def test_a_line_cut_short_is_refused() -> None:
    fields = WRITTEN[0][0].split(":")
    for count in range(40):
        with pytest.raises(GameError):
            from_fibs_board(":".join(fields[:count]))
    random.Random(1).shuffle(fields)
    with pytest.raises(GameError):
        from_fibs_board(":".join(fields))
