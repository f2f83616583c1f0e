"""A game of Go on 7x7 against GNU Go, which then referees it."""

from __future__ import annotations

import pytest

from playout.games import catalogue

from ...needs import needs, program
from ..pipe import Pipe, forked

GNUGO = program("gnugo")
REFEREE = (
    "--mode",
    "gtp",
    "--level",
    "1",
    "--seed",
    "1",
    "--chinese-rules",
    "--positional-superko",
    "--capture-all-dead",
)
"""Under our rules nothing is removed after the game, so GNU Go too has to play dead stones off before it passes."""
OPTIONS = tuple(
    word for option in ("MaxNodes=300", "MoveTime=3600000", "OwnBook=false", "Seed=2") for word in ("--option", option)
)
"""A move has simulations and no time, and a seed, so that each run plays the same game. It ends in no seki, whose
neutral points GNU Go counts in a way of its own."""
KOMI = 7.5
LONGEST = 300
"""Plies."""


@needs("gnugo")
@pytest.mark.parametrize("colour", ["black", "white"])
def test_a_game_that_gnu_go_referees(colour: str) -> None:
    """Each accepts every move of the other; in the end both see the same board and the same score.

    Where our side left stones of GNU Go's that are dead, because it wins without taking them, the score is compared as
    the referee sees it, without them, and the winner must be the same anyway.
    """
    game = catalogue.load("go:7")
    state = game.initial_state()
    with (
        Pipe(forked("gtp", "--game", "go:7", *OPTIONS, "--option", "Resign=0")) as own,
        Pipe([str(GNUGO), *REFEREE]) as gnugo,
    ):
        for player in (own, gnugo):
            for command in ("boardsize 7", "clear_board", f"komi {KOMI}"):
                player.ask(command)
        moves: list[str] = []
        while moves[-2:] != ["pass", "pass"]:
            assert len(moves) < LONGEST, moves
            mover = ("black", "white")[len(moves) % 2]
            player, other = (own, gnugo) if mover == colour else (gnugo, own)
            move = player.ask(f"genmove {mover}").lower()
            assert move != "resign"
            other.ask(f"play {mover} {move}")
            state = game.next_state(state, game.text_to_action(state, move))
            moves.append(move)
        board = own.ask("showboard")
        for mark, name in (("X", "black"), ("O", "white")):
            stones = {
                game.text_to_action(game.initial_state(), point) for point in gnugo.ask(f"list_stones {name}").split()
            }
            assert stones == {point for point, stone in enumerate(state.board) if stone == mark}, board
        dead = gnugo.ask("final_status_list dead").split()
        score, verdict = own.ask("final_score"), gnugo.ask("final_score")
        described = f"ours {score}, GNU Go's {verdict}, which calls dead {dead}\n{board}\n{gnugo.ask('showboard')}"
        assert score[0] == verdict[0], described
        lead = game.score(state, {game.text_to_action(game.initial_state(), point) for point in dead})
        assert verdict == f"{'B' if lead > 0 else 'W'}+{abs(lead):.1f}", described
        if not dead:
            assert score == verdict, described
        for player in (own, gnugo):
            player.ask("quit")
            assert player.exit_status() == 0
