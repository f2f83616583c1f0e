"""Playouts on stones alone: what they settle, and that they repeat."""

from __future__ import annotations

from typing import Any

import pytest

from playout.engine.judge.stone_playouts import MOST, StonePosition, _corners
from playout.games.go import Go

SEKI = [
    "X.XX.OO.O",
    "XXXXXOOOO",
    "X.XX.OO.O",
    "XXXXXOOOO",
    "XXXXXOOOO",
    "XXXXXOOOO",
    "XOOOOXXXO",
    "XOOO.XXXO",
    "XOOO.XXXO",
]
"""Two chains share the liberties E1 and E2, and have no others."""


def position(rows: list[str], player: int = 0) -> tuple[Go, StonePosition]:
    """A board drawn from the top."""
    game = Go(len(rows))
    stones = {
        (len(rows) - 1 - row) * len(rows) + column: "XO".index(mark)
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
        if mark != "."
    }
    return game, StonePosition(game, game.set_up(stones, player), player)


def rounded(game: Any, owners: list[float]) -> list[str]:
    """The owners drawn from the top: of points that one side holds in most playouts."""
    return [
        "".join("X" if owners[p] > 0.5 else "O" if owners[p] < -0.5 else "." for p in row) for row in game.board_rows()
    ]


@pytest.mark.parametrize("player", [0, 1])
def test_living_chains_keep_their_side_of_the_board(player: int) -> None:
    game, found = position([".X.O."] * 5, player)
    assert all(row[:2] == "XX" and row[3:] == "OO" for row in rounded(game, found.ownership(MOST, 1)))


@pytest.mark.parametrize("player", [0, 1])
def test_a_stone_without_room_is_dead(player: int) -> None:
    game, found = position([".X.O.", ".X.O.", "OX.O.", ".X.O.", ".X.O."], player)
    assert [row[0] for row in rounded(game, found.ownership(MOST, 1))] == ["X"] * 5


@pytest.mark.parametrize("player", [0, 1])
def test_a_seki_is_left_alone(player: int) -> None:
    game, found = position(SEKI, player)
    shared = {game.text_to_action(game.initial_state(), text) for text in ("E1", "E2")}
    for seed in range(20):
        assert all(found.end(seed).points[point] == 2 for point in shared)


def test_a_seed_gives_the_same_playout() -> None:
    _, found = position(["....."] * 5)
    ends = [found.end(seed).points for seed in (1, 2, 1)]
    assert ends[0] == ends[2] != ends[1]
    assert found.ownership(10, 3) == found.ownership(10, 3)


def test_playouts_end_on_any_board() -> None:
    for columns, rows in ((2, 2), (2, 7), (5, 3)):
        game = Go(f"{columns}x{rows}")
        owners = StonePosition(game, game.initial_state(), 0).ownership(20, 1)
        assert len(owners) == columns * rows
        assert all(-1 <= owner <= 1 for owner in owners)


def test_the_corners_of_a_point_touch_it_diagonally() -> None:
    around = _corners(3, 3)
    assert [sorted(corners) for corners in around] == [[4], [3, 5], [4], [1, 7], [0, 2, 6, 8], [1, 7], [4], [3, 5], [4]]
