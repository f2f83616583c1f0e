"""Tic-tac-toe, counted whole: the known numbers of positions, classes and games."""

from __future__ import annotations

import random
from typing import Any

import pytest

from playout.games.errors import GameError, IllegalMove
from playout.games.tic_tac_toe import State, TicTacToe

from ..needs import module

GAME = TicTacToe()


def reachable() -> set[State]:
    seen = {GAME.initial_state()}
    open_ = list(seen)
    while open_:
        state = open_.pop()
        for action in GAME.legal_actions(state):
            child = GAME.next_state(state, action)
            if child not in seen:
                seen.add(child)
                open_.append(child)
    return seen


def test_positions_and_classes() -> None:
    states = reachable()
    classes = {min(repr(symmetry.state(state)) for symmetry in GAME.symmetries()) for state in states}
    assert (len(states), len(classes)) == (5478, 765)


def test_games_by_result() -> None:
    counts: dict[State, tuple[int, int, int]] = {}

    def games(state: State) -> tuple[int, int, int]:
        if state not in counts:
            returns = GAME.returns(state)
            if returns is not None:
                counts[state] = (int(returns[0] > 0), int(returns[0] < 0), int(returns[0] == 0))
            else:
                below = [games(GAME.next_state(state, action)) for action in GAME.legal_actions(state)]
                x, o, draws = (sum(column) for column in zip(*below, strict=True))
                counts[state] = (x, o, draws)
        return counts[state]

    assert games(GAME.initial_state()) == (131184, 77904, 46080)


def test_texts() -> None:
    for state in reachable():
        assert GAME.state_from_text(GAME.state_to_text(state)) == state


def test_open_spiel_plays_the_same_game() -> None:
    pyspiel: Any = module("pyspiel")
    other = pyspiel.load_game("tic_tac_toe")
    rng = random.Random(1)
    for _ in range(200):
        state, theirs = GAME.initial_state(), other.new_initial_state()
        while GAME.returns(state) is None:
            assert not theirs.is_terminal()
            actions = list(GAME.legal_actions(state))
            assert actions == theirs.legal_actions()
            action = rng.choice(actions)
            state = GAME.next_state(state, action)
            theirs.apply_action(action)
        assert theirs.is_terminal()
        assert list(GAME.returns(state) or ()) == theirs.returns()


@pytest.mark.parametrize(
    "text", ["", "3/3/3", "3/3/3 z", "3/3 x", "x3/3/3 x", "3/3/3/3 x", "9 x", "xxxx/3/3 x", "\x00"]
)
def test_malformed_positions(text: str) -> None:
    with pytest.raises(GameError, match="not a tic-tac-toe position"):
        GAME.state_from_text(text)


@pytest.mark.parametrize("text", ["", "d1", "a4", "a", "aa1", "a1 b1", "\x00"])
def test_malformed_moves(text: str) -> None:
    with pytest.raises(IllegalMove, match="illegal move"):
        GAME.text_to_action(GAME.initial_state(), text)


def test_occupied_cell() -> None:
    state = GAME.next_state(GAME.initial_state(), 0)
    with pytest.raises(IllegalMove, match="'A1'"):
        GAME.text_to_action(state, "A1")
