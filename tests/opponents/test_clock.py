"""No game is lost on time at 0.1 s + 0.1 s a move: fast games against a random mover, clocked as by an interface.

Real time is seen only in real time, on a machine that has nothing else to do. ``tests/engine/clock`` proves by a clock
of its own that the time is planned so, and that a search ends with it.
"""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from playout.arena.play.witness import Witness
from playout.games import catalogue
from playout.games.game import action_to_text, is_over, text_to_action

from .pipe import Pipe, forked

START = INCREMENT = 0.1
LONGEST = 20
"""Moves of the engine after which a game is broken off, so that the test ends in time."""

LANGUAGES = {
    "uci": ("go wtime {0} btime {0} winc {1} binc {1}", "ucinewgame"),
    "ugi": ("go p1time {0} p2time {0} p1inc {1} p2inc {1}", "uginewgame"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "protocol", "games"), [("connect_four", "ugi", 14), ("chess", "uci", 6)])
def test_no_game_is_lost_on_time(name: str, protocol: str, games: int, witness: Witness) -> None:
    """From sending ``go`` to reading ``bestmove`` the engine's clock runs, all transport included, but for what the
    machine stood still."""
    game = catalogue.load(name)
    rng = random.Random(1)
    with Pipe(forked(protocol, "--game", name, "--option", "OwnBook=false")) as engine:
        engine.send(protocol)
        engine.until(f"{protocol}ok")
        for number in range(games):
            engine.send(LANGUAGES[protocol][1], "isready")
            engine.until("readyok")
            play(game, engine, protocol, number % 2, rng, witness)


def play(game: Any, engine: Pipe, protocol: str, player: int, rng: random.Random, witness: Witness) -> None:
    """One game, in which the engine is ``player``."""
    state, moves, clock, made = game.initial_state(), [], START, 0
    while not is_over(game, state) and made < LONGEST:
        if game.current_player(state) == player:
            go = LANGUAGES[protocol][0].format(round(1000 * clock), round(1000 * INCREMENT))
            began = time.monotonic()
            engine.send(f"position startpos moves {' '.join(moves)}".removesuffix(" moves "), go)
            text = engine.until("bestmove")[-1].split()[1]
            spent = time.monotonic() - began
            if spent > clock:
                spent -= witness.stood_still(began, began + spent)
            assert spent <= clock, f"{game.name}: {spent:.3f} s with {clock:.3f} s left after {' '.join(moves)}"
            clock += INCREMENT - spent
            action = text_to_action(game, state, text)
            made += 1
        else:
            action = rng.choice(game.legal_actions(state))
        moves.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
