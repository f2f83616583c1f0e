"""Positions and games of Go for tests."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from playout.games.errors import IllegalMove
from playout.games.go import Go, State

KO_RULES = ["positional", "situational", "simple"]
SENDING_TWO = [".....", ".....", "XXO..", "XXOO.", ".O.O."]
KO = [".....", ".....", ".XO..", "XO.O.", ".XO.."]
SEKI = ["...XO..", "...XO..", "...XO..", "XXXXOOO", "XXXXOOO", "XOO.XXO", "XOO.XXO"]


def position(game: Go, rows: list[str], mover: str = "b", rest: str = "") -> State:
    """The state that ``rows`` draw, the top one first."""
    board = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows))
    return game.state_from_text(f"{board} {mover} {rest}")


def play(game: Go, state: State, moves: str) -> State:
    for text in moves.split():
        state = game.next_state(state, game.text_to_action(state, text))
    return state


def objection(game: Go, state: State, text: str) -> str:
    with pytest.raises(IllegalMove) as caught:
        game.text_to_action(state, text)
    return str(caught.value)


def random_game(game: Go, rng: random.Random, passes: float = 0.02) -> Iterator[tuple[State, int | None]]:
    """The states of a random game, each with the action played there."""
    state = game.initial_state()
    while actions := game.legal_actions(state):
        action = actions[-1] if rng.random() < passes else rng.choice(actions[:-1] or actions)
        yield state, action
        state = game.next_state(state, action)
    yield state, None
