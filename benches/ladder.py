"""Matches between levels of strength in chess, and against Stockfish with limited ratings.

    python benches/ladder.py --games 20 4:1350 8:1350 12:1700 0:L4 4:L8

``LEVEL:ELO`` is a match with Stockfish at that UCI_Elo, ``LEVEL:LOTHER`` one with another level. Each pair of games has
a random opening of four plies, from both sides; Stockfish has 0.05 s a move, which matters little at limited ratings.
Prints the score with its standard error and the difference in Elo points.
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack

import chess
import chess.engine

import playout

Player = Callable[[chess.Board, int], chess.Move]
"""Chooses a move at a board, in the game of the given number."""
LONGEST = 300
"""Plies after which a game is a draw."""
SECONDS = 0.05


def level(number: int) -> Player:
    """The engine at a level."""
    engine = playout.Engine("chess", own_book=False, hash=64, level=number)

    def move(board: chess.Board, game: int) -> chess.Move:
        if len(board.move_stack) < 6:
            engine.new_game()
            engine.configure(seed=game)
        engine.set_position(None, [one.uci() for one in board.move_stack])
        return chess.Move.from_uci(str(engine.think(seconds=60.0).move))

    return move


def stockfish(elo: int, stack: ExitStack) -> Player:
    """Returns a player: Stockfish with limited strength, until ``stack`` is closed."""
    program = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if program is None:
        raise SystemExit("stockfish is not installed")
    engine = stack.enter_context(chess.engine.SimpleEngine.popen_uci(program))
    engine.configure({"UCI_LimitStrength": True, "UCI_Elo": elo})

    def move(board: chess.Board, game: int) -> chess.Move:
        found = engine.play(board, chess.engine.Limit(time=SECONDS), game=game).move
        assert found is not None
        return found

    return move


def opening(rng: random.Random) -> list[chess.Move]:
    """Returns four random plies."""
    board = chess.Board()
    while len(board.move_stack) < 4:
        board.push(rng.choice(list(board.legal_moves)))
    return board.move_stack


def play(white: Player, black: Player, moves: list[chess.Move], number: int) -> float:
    """Plays one game; returns White's points."""
    board = chess.Board()
    for move in moves:
        board.push(move)
    while not board.is_game_over(claim_draw=True) and len(board.move_stack) < LONGEST:
        board.push((white if board.turn else black)(board, number))
    return {"1-0": 1.0, "0-1": 0.0}.get(board.result(claim_draw=True), 0.5)


def main() -> None:
    """Plays the matches that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matches", nargs="+", metavar="LEVEL:ELO|LEVEL:LOTHER")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    for match in words.matches:
        own, _, other = match.partition(":")
        first = level(int(own))
        rng, scores = random.Random(words.seed), list[float]()
        with ExitStack() as stack:
            second = level(int(other[1:])) if other.startswith("L") else stockfish(int(other), stack)
            for number in range(words.games // 2):
                moves = opening(rng)
                scores += [play(first, second, moves, number), 1 - play(second, first, moves, number)]
        mean, error = statistics.fmean(scores), statistics.stdev(scores) / math.sqrt(len(scores))
        inner = min(max(mean, 0.5 / len(scores)), 1 - 0.5 / len(scores))
        elo = 400 * math.log10(inner / (1 - inner))
        sys.stdout.write(f"{match}: {mean:.1%} +- {error:.1%} of {len(scores)} games, Elo {elo:+.0f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
