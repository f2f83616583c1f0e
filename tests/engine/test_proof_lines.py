"""Variations that lead to a proven end reach it, whatever was searched before."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from playout.engine.options.config import options_for, search_config
from playout.engine.search.searcher import Searcher
from playout.games.catalogue import load

GAMES = [
    # The proof was found before a position of it stood on the board.
    ("4R3/8/K7/8/8/8/5k2/Q7 w - - 0 1", "a1f6 f2g3 f6d6 g3g4 d6g6 g4f4 g6h6", (50, 400, 50, 1500, 50, 50, 50, 1500)),
    # A shorter way was proven after the length had been counted.
    ("8/8/6QR/k7/8/8/8/4K3 w - - 0 1", "g6f5 a5b4 f5h7 b4c3 h6c6 c3b3 h7f7", (400, 1500, 50, 400, 400, 50, 50, 1500)),
]


@pytest.mark.parametrize(("start", "moves", "nodes"), GAMES)
def test_a_line_to_a_mate_is_as_long_as_it_says(start: str, moves: str, nodes: tuple[int, ...]) -> None:
    game = load("chess")
    config = dataclasses.replace(search_config(game, options_for(game, {})), hash_mib=4, seed=1, threads=1)
    searcher = Searcher(game, config)
    played = moves.split()
    state: Any = game.state_from_text(start)
    for move in played:
        state = game.next_state(state, game.text_to_action(state, move))
    proven = 0
    for length, count in enumerate(nodes):
        searcher.set_position(start, played[:length])
        searcher.prepare()
        info = searcher.run(nodes=count, interval=1000.0, lines=100).info
    for found in info.moves:
        if found.plies is None or found.value == 0:
            continue
        proven += 1
        end = state
        for move in found.pv:
            end = game.next_state(end, game.text_to_action(end, move))
        assert len(found.pv) == found.plies
        assert game.returns(end) is not None
    assert proven
