"""The cells of games that GUIs for Go can show: a move's cell is the destination of its man."""

from __future__ import annotations

import random

import pytest

from playout.games.catalogue import load
from playout.games.game import HasCells, is_over
from playout.games.support.columns import COLUMNS


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "connect_four:9,rows=4"])
def test_a_move_puts_the_movers_man_on_its_cell_and_nothing_else_changes(name: str) -> None:
    game = load(name)
    assert isinstance(game, HasCells)
    rng = random.Random(5)
    for _ in range(20):
        state = game.initial_state()
        while not is_over(game, state):
            legal = game.legal_actions(state)
            for action in legal:
                column, row = game.cell(state, action)  # type: ignore[misc]
                assert game.text_to_action(state, f"{COLUMNS[column]}{row + 1}") == action
            action = rng.choice(legal)
            column, row = game.cell(state, action)  # type: ignore[misc]
            cells = [list(line) for line in game.cells(state)]
            assert cells[row][column] is None
            cells[row][column] = game.current_player(state)
            state = game.next_state(state, action)
            assert [list(line) for line in game.cells(state)] == cells
