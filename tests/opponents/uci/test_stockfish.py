"""A game of chess against Stockfish, with clocks, under python-chess as arbiter."""

from __future__ import annotations

import time
from dataclasses import dataclass

import chess
import chess.engine
import pytest

from playout.arena.play.witness import Witness

from ...needs import needs, program
from ...patience import PATIENCE
from ..pipe import playout

STOCKFISH = program("stockfish")
START, HURRIED = 1.0, 0.2
INCREMENT = 0.05
LONGEST, ENOUGH = 80, 30
"""Plies after which the game is broken off, so that the test ends in time; the second number is for hurried games."""
LEAST = 0.01
"""Seconds of a clock that has run out where nobody loses on time."""


@dataclass
class Player:
    """One side with its clock."""

    engine: chess.engine.SimpleEngine
    left: float


@needs("stockfish")
@pytest.mark.parametrize("colour", [chess.WHITE, chess.BLACK], ids=["white", "black"])
def test_a_game_with_clocks(colour: chess.Color) -> None:
    """Every move is legal (python-chess raises otherwise), whatever the clocks show."""
    play(colour, None)


@pytest.mark.slow
@needs("stockfish")
@pytest.mark.parametrize("colour", [chess.WHITE, chess.BLACK], ids=["white", "black"])
def test_no_game_is_lost_on_time(colour: chess.Color, witness: Witness) -> None:
    """Every move is also in time, but for what the machine stood still. It must have nothing else to do."""
    play(colour, witness)


def play(colour: chess.Color, witness: Witness | None) -> None:
    """A game in which the engine has ``colour``, to its end or for some plies; with a witness it may lose on time."""
    longest = ENOUGH if witness is None else LONGEST
    with (
        chess.engine.SimpleEngine.popen_uci(playout("uci", "--option", "OwnBook=false"), timeout=PATIENCE) as own,
        chess.engine.SimpleEngine.popen_uci(str(STOCKFISH), timeout=PATIENCE) as stockfish,
    ):
        stockfish.configure({"Skill Level": 0, "Hash": 16})
        start = HURRIED if witness is None else START
        players = {colour: Player(own, start), not colour: Player(stockfish, start)}
        board = chess.Board()
        game = object()
        while not board.is_game_over(claim_draw=True) and board.ply() < longest:
            player = players[board.turn]
            limit = chess.engine.Limit(
                white_clock=players[chess.WHITE].left,
                black_clock=players[chess.BLACK].left,
                white_inc=INCREMENT,
                black_inc=INCREMENT,
            )
            began = time.monotonic()
            result = player.engine.play(board, limit, game=game, info=chess.engine.INFO_ALL)
            ended = time.monotonic()
            player.left -= ended - began
            if witness is None:
                player.left = max(player.left, LEAST)
            elif player.left <= 0.0:
                player.left += witness.stood_still(began, ended)
            assert result.move is not None, board.fen()
            assert board.is_legal(result.move)
            if player.engine is own:
                assert player.left > 0.0, f"lost on time at ply {board.ply()}"
                pv = result.info.get("pv", [])
                assert pv[:1] == [result.move]
                board.copy().variation_san(pv)
            board.push(result.move)
            player.left += INCREMENT
        assert board.is_game_over(claim_draw=True) or board.ply() == longest
        assert own.ping() is None
