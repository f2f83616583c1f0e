"""The gain from pondering in games against an opponent that uses its own time.

    python benches/ponder_games.py --games 40 --time 5 --increment 0.05
    python benches/ponder_games.py --games 40 --time 5 --increment 0.05 -- /usr/games/stockfish

Chess under UCI on a clock, each random opening from both sides, once with pondering and once without, against the same
opponent, which plays on the same clock without pondering: this engine or the program after ``--``. For each way it
prints the score with its standard error, the clock time used for a move, the simulations behind a move, the clock time
left at the end and, with pondering, how often the expected move was played. The opponent's search and the pondering
need a core each.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import chess
import chess.engine

COMMAND = (sys.executable, "-c", "import sys; from playout.cli.main import main; sys.exit(main())", "uci")
LONGEST = 300
"""Plies after which a game is a draw."""


@dataclass
class Way:
    """Results of the games with or without pondering."""

    scores: list[float] = field(default_factory=list)
    used: list[float] = field(default_factory=list)
    """Seconds of each move."""
    nodes: list[int] = field(default_factory=list)
    """Simulations behind each move."""
    left: list[float] = field(default_factory=list)
    """Clock time left at the end of each game."""
    expected: int = 0
    """Opponent's moves that were pondered on."""
    hits: int = 0


def play(
    engine: chess.engine.SimpleEngine,
    other: chess.engine.SimpleEngine,
    opening: Sequence[chess.Move],
    color: chess.Color,
    words: argparse.Namespace,
    way: Way,
    ponder: bool,
) -> float:
    """Plays one game with ``engine`` as ``color``; returns its score."""
    board, game = chess.Board(), object()
    for move in opening:
        board.push(move)
    clocks = {chess.WHITE: float(words.time), chess.BLACK: float(words.time)}
    guess: chess.Move | None = None
    while board.outcome(claim_draw=True) is None and len(board.move_stack) < LONGEST:
        own = board.turn == color
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=words.increment,
            black_inc=words.increment,
        )
        began = time.monotonic()
        player = engine if own else other
        result = player.play(board, limit, game=game, info=chess.engine.INFO_BASIC, ponder=ponder and own)
        spent = time.monotonic() - began
        clocks[board.turn] -= spent
        if clocks[board.turn] < 0:
            return 0.0 if own else 1.0
        clocks[board.turn] += words.increment
        assert result.move is not None
        if own:
            way.used.append(spent)
            way.nodes.append(result.info.get("nodes", 0))
            guess = result.ponder
        elif ponder and guess is not None:
            way.expected += 1
            way.hits += result.move == guess
        board.push(result.move)
    way.left.append(clocks[color])
    outcome = board.outcome(claim_draw=True)
    if outcome is None or outcome.winner is None:
        return 0.5
    return float(outcome.winner == color)


def opening(plies: int, rng: random.Random) -> list[chess.Move]:
    board = chess.Board()
    while len(board.move_stack) < plies:
        board.push(rng.choice(list(board.legal_moves)))
    return board.move_stack


def show(name: str, way: Way) -> None:
    score = statistics.fmean(way.scores)
    error = statistics.stdev(way.scores) / math.sqrt(len(way.scores)) if len(way.scores) > 1 else math.nan
    guessed = f", {way.hits / way.expected:.0%} of {way.expected} expected moves played" if way.expected else ""
    sys.stdout.write(
        f"{name}: {score:.1%} +- {error:.1%} of {len(way.scores)}, {statistics.fmean(way.used):.3f} s a move, "
        f"{statistics.fmean(way.nodes):.0f} simulations, {statistics.fmean(way.left):.2f} s left{guessed}\n"
    )
    sys.stdout.flush()


def main() -> None:
    """Plays the games that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20, help="with pondering, and as many without")
    parser.add_argument("--time", type=float, default=5.0, help="seconds for the game")
    parser.add_argument("--increment", type=float, default=0.05, help="seconds a move")
    parser.add_argument("--plies", type=int, default=4, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the opponent")
    parser.add_argument("opponent", nargs="*", default=list(COMMAND))
    words = parser.parse_args()
    rng, ways = random.Random(words.seed), {True: Way(), False: Way()}
    with (
        chess.engine.SimpleEngine.popen_uci(list(COMMAND), timeout=60) as engine,
        chess.engine.SimpleEngine.popen_uci(words.opponent, timeout=60) as other,
    ):
        engine.configure({"OwnBook": False})
        own = {"OwnBook": False} if words.opponent == list(COMMAND) else {}
        other.configure({**own, **dict(option.split("=", 1) for option in words.option)})
        for number in range(words.games):
            if number % 2 == 0:
                moves = opening(words.plies, rng)
            for ponder, way in ways.items():
                color = chess.WHITE if number % 2 == 0 else chess.BLACK
                way.scores.append(play(engine, other, moves, color, words, way, ponder))
        for ponder, way in ways.items():
            show("with pondering" if ponder else "without", way)


if __name__ == "__main__":
    main()
