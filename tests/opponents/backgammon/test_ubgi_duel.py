"""A duel over UBGI as bgci runs it (github.com/bungogood/bgci, ``bgci duel``): the arena keeps the game, and sends the
position, the dice and ``go`` for each ply; a move that is not legal ends it."""

from __future__ import annotations

import random

import pytest

from playout.games.backgammon import Backgammon
from playout.games.support.backgammon.position_id import position_id

from ..pipe import Pipe, forked

GAME = Backgammon()
HANDSHAKES = {
    "0.1": ("setoption name {0} value {1}", "go role chequer"),
    "0.2": ("set engine.{0} {1}", "go chequer"),
}


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_game(version: str) -> None:
    """The engine, with 30 simulations a move, on both sides; every answer is one legal play in hops."""
    setting, go = HANDSHAKES[version]
    rng, state, plies = random.Random(4), GAME.initial_state(), 0
    with Pipe(forked("ubgi")) as engine:
        engine.send("ubgi")
        identity = engine.until("ubgiok")
        assert identity[0].startswith("id name ")
        assert not any(line.startswith(("error", "readyok")) for line in identity)
        for name, value in (("MaxNodes", "30"), ("Seed", "1"), ("OwnBook", "false")):
            engine.send(setting.format(name if version == "0.1" else name.lower(), value), "isready")
            assert engine.line() == "readyok"
        engine.send("newgame", "isready")
        assert engine.line() == "readyok"
        while GAME.returns(state) is None:
            if state.dice is None:
                state = GAME.next_state(state, rng.choice(GAME.legal_actions(state)))
                continue
            own, other = state.checkers[state.player], state.checkers[1 - state.player]
            engine.send(f"position gnubgid {position_id(own, other)}", "dice {} {}".format(*state.dice), go)
            answer = engine.until("bestmove ")[-1].removeprefix("bestmove ")
            assert "*" not in answer and "(" not in answer and "," not in answer
            state = GAME.next_state(state, GAME.text_to_action(state, answer))
            plies += 1
        assert plies > 20
        engine.send("quit")
        assert engine.exit_status() == 0
        assert engine.errors() == ""
