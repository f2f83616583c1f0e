"""Colours and the mark of the last move on the board of ``playout play``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from playout.cli.play.board import LAST, MEN, painted
from playout.games import catalogue
from playout.position import Position

from ..opponents.pipe import playout
from .terminal import on_terminal

OTHELLO = f"{Path(__file__).parents[2]}/examples/othello.py:Othello"


def men(game: str, moves: str) -> tuple[str, str, str]:
    """Returns the letters that have the colour of each player, row by row, and those that are marked."""
    position = Position(catalogue.load(game))
    for move in moves.split():
        position = position.play(move)
    text = painted(position.game, position.line.states)
    assert text.plain == str(position)
    first, second, last = (
        "".join(text.plain[span.start : span.end] for span in sorted(text.spans) if span.style == style)
        for style in (*MEN, LAST)
    )
    return first, second, last


@pytest.mark.parametrize(
    ("game", "moves", "found"),
    [
        ("tic_tac_toe", "", ("", "", "")),
        ("tic_tac_toe", "b2 a1", ("x", "o", "o")),
        ("connect_four", "d d c", ("xx", "o", "x")),
        ("hex:5", "a1 b2", ("B", "W", "W")),
        ("hex:11", "k11", ("B", "", "B")),
        ("go:5", "A1 B1 C3 A2", ("X", "OO", "O")),  # a stone is captured
        ("go:19", "T19 pass", ("X", "", "")),
        ("chess", "e4", ("PPPPPPPPRNBQKBNR", "rnbqkbnrpppppppp", "P")),
        ("chess", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O", ("BPNPPPPPPPRNBQRK", "", "RK")),
        ("backgammon", "31", ("X" * 15, "O" * 15, "")),
        ("backgammon", "31 8/5,6/5 65", ("X" * 15, "O" * 15, "XX")),
        (OTHELLO, "d3", ("xxxx", "o", "xx")),
    ],
)
def test_men_have_colours_and_the_last_move_a_mark(game: str, moves: str, found: tuple[str, str, str]) -> None:
    first, second, last = men(game, moves)
    assert (sorted(first), last) == (sorted(found[0]), found[2])
    assert not found[1] or sorted(second) == sorted(found[1])


class Plain:
    """A user's game whose only drawing is the text of its states."""

    name = "plain"

    def initial_state(self) -> int:
        return 0

    def current_player(self, state: int) -> int:
        return state % 2

    def legal_actions(self, state: int) -> list[int]:
        return [1, 2] if state < 5 else []

    def next_state(self, state: int, action: int) -> int:
        return state + action

    def returns(self, state: int) -> tuple[float, float] | None:
        return (1.0, -1.0) if state >= 5 else None


def test_a_game_without_a_drawing_is_plain() -> None:
    assert painted(Plain(), [0, 1]).spans == []


@pytest.mark.opponents
@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_has_colours_unless_the_user_wants_none(environment: dict[str, str], coloured: bool) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLORTERM")}
    command = playout("play", "--game", "tic_tac_toe", "--side", "both")
    _, shown = on_terminal(command, {**kept, **environment}, typed="b2\nquit\n")
    assert ("\x1b[1;7;31mx" in shown) == coloured
    assert ("2 . x ." in shown) == (not coloured)
