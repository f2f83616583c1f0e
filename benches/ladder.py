"""Matches between levels of strength in chess, and against Stockfish with limited ratings.

    python benches/ladder.py --games 20 4:1350 8:1350 12:1700 0:L4 4:L8

``LEVEL:ELO`` is a match with Stockfish at that UCI_Elo, ``LEVEL:LOTHER`` one with another level. Each pair of games has
a random opening of four plies, from both sides; Stockfish has 0.05 s a move, which matters little at limited ratings.
Prints the score with its standard error and the difference in Elo points.
"""

from __future__ import annotations

import argparse
import math
import queue
import random
import shutil
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack

import chess
import chess.engine

from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue

Player = Callable[[chess.Board, int], chess.Move]
"""Chooses a move at a board, in the game of the given number."""
LONGEST = 300
"""Plies after which a game is a draw."""
SECONDS = 0.05


def level(number: int) -> Player:
    """Returns a player: the engine at a level."""
    events: queue.SimpleQueue[SearchInfo | SearchResult] = queue.SimpleQueue()
    session = Session(catalogue.load("chess"), post=events.put)
    for name, value in (("OwnBook", "false"), ("Hash", "64"), ("Level", str(number))):
        session.set_option(name, value)

    def move(board: chess.Board, game: int) -> chess.Move:
        if len(board.move_stack) < 6:
            session.new_game()
            session.set_option("Seed", str(game))
        session.set_position(None, [one.uci() for one in board.move_stack])
        session.go(Limits(movetime=60.0))
        while not isinstance(event := events.get(), SearchResult):
            pass
        session.wait()
        return chess.Move.from_uci(str(event.move))

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
