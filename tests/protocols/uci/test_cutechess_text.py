"""Cutechess's notation of tic-tac-toe and connect four against the games' own."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.games.catalogue import load
from playout.games.errors import GameError, IllegalMove
from playout.games.game import action_to_text
from playout.protocols.uci.cutechess_text import NOTATIONS
from playout.protocols.uci.variants import GAMES

STARTS = {"tictactoe": "3/3/3[PPPPPpppp] w - - 0 1", "cfour": f"7/7/7/7/7/7[{'P' * 21}{'p' * 21}] w - - 0 1"}
"""As cutechess has them."""


def line(game: Any, seed: int, plies: int) -> tuple[list[Any], list[str]]:
    """The states of a random game and its moves."""
    rng, states, moves = random.Random(seed), [game.initial_state()], []
    while len(moves) < plies and (actions := game.legal_actions(states[-1])):
        action = rng.choice(actions)
        moves.append(action_to_text(game, states[-1], action))
        states.append(game.next_state(states[-1], action))
    return states, moves


@pytest.mark.parametrize("variant", NOTATIONS)
def test_the_start_positions_are_cutechesss(variant: str) -> None:
    notation, game = NOTATIONS[variant], load(GAMES[variant])
    start = game.initial_state()
    assert notation.fen(start) == STARTS[variant]
    assert game.state_from_text(notation.position(STARTS[variant])) == start  # type: ignore[attr-defined]


@pytest.mark.parametrize("variant", NOTATIONS)
@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), plies=st.integers(0, 42), start=st.integers(0, 42))
def test_positions_and_lines_come_back_as_they_were(variant: str, seed: int, plies: int, start: int) -> None:
    notation, game = NOTATIONS[variant], load(GAMES[variant])
    states, moves = line(game, seed, plies)
    start = min(start, len(moves))
    written = notation.write(states[start], moves[start:])
    assert notation.read(states[start], written) == moves[start:]
    assert len(set(written)) == len(written)
    for state in states:
        assert game.state_from_text(notation.position(notation.fen(state))) == state  # type: ignore[attr-defined]


def test_a_drop_of_connect_four_names_the_place_it_falls_to() -> None:
    notation, state = NOTATIONS["cfour"], load("connect_four").initial_state()
    assert notation.write(state, ["d", "d", "c", "d"]) == ("P@d1", "P@d2", "P@c1", "P@d3")
    assert notation.read(state, ["P@d1", "p@d2"]) == ["d", "d"]
    with pytest.raises(IllegalMove, match=r"move 2: illegal move: 'P@d3' \(a pawn falls to 2\)"):
        notation.read(state, ["P@d1", "P@d3"])


@pytest.mark.parametrize("move", ["d", "d1", "N@d1", "P@d0", "P@d7", "P@h1", "P@", "", "p@dd", "0000", "e2e4"])
def test_what_is_no_drop_is_refused(move: str) -> None:
    with pytest.raises(IllegalMove, match="move 1: illegal move"):
        NOTATIONS["cfour"].read(load("connect_four").initial_state(), [move])


@pytest.mark.parametrize(
    "fen", ["3/1P1/3 b", "3/1P1/3[PPPPpppp] b - -", "3/1P1/3[4P4p] b - - 3 2", "1P1/3/3 w - - 0 1"]
)
def test_other_spellings_of_positions(fen: str) -> None:
    load("tic_tac_toe").state_from_text(NOTATIONS["tictactoe"].position(fen))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "3/3/3",
        "3/3/3 x",
        "3/3/3[PPPPPpppp w - - 0 1",
        "3/3/3[PPPPpppp] w - - 0 1",
        "3/3/3[PPPPPppppN] w - - 0 1",
        "3/1P1/3[PPPPPpppp] b - - 0 1",
        "3/1N1/3 b - - 0 1",
        "3/3/3 w KQkq - 0 1",
        "x2/3/3 o",
        "3/3/3[1000000000P4p] w - - 0 1",
    ],
)
def test_wrong_positions_are_refused(fen: str) -> None:
    with pytest.raises(GameError, match="not a position in cutechess's notation"):
        NOTATIONS["tictactoe"].position(fen)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.text("Pp/123[]@- wb0abx", max_size=30))
def test_whatever_is_read_only_complaints_come_of_it(text: str) -> None:
    for variant, notation in NOTATIONS.items():
        game: Any = load(GAMES[variant])
        with contextlib.suppress(GameError):
            game.state_from_text(notation.position(text))
        with contextlib.suppress(IllegalMove):
            notation.read(game.initial_state(), text.split())
