"""The engine's H(s) and H(s, a) in chess beside Stockfish: how well they rank positions and moves.

    python benches/chess/evaluation.py GAMES.pgn --positions 1000 --save positions.json
    python benches/chess/evaluation.py positions.json EvalFile=my.safetensors

Positions with more than 16 men are drawn from the games after the opening. Stockfish searches each one to a depth.
Printed are Spearman's rank correlation of H(s) with its score, how often the move of greatest H(s, a) is the one that
it plays, and the mean logarithm of that move's chance by the softmax of H(s, a).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn
import numpy as np
from numpy.typing import NDArray

from playout.engine.options.config import options_for, search_config
from playout.engine.search.searcher import Searcher
from playout.engine.search.weights import set_weights, weight_files
from playout.games import catalogue

MEN = 16
"""Positions have more men."""
OPENING = 12
"""Plies of a game from which no position is drawn."""
MATE = 10_000
"""Centipawns for a mate, less one for each move to it."""


def drawn(path: Path, count: int, seed: int) -> list[str]:
    """Positions from the games of a PGN file, at most one a game until all games have given one."""
    rng, games = random.Random(seed), []
    with path.open(encoding="utf-8", errors="replace") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            board, fens = game.board(), []
            for ply, move in enumerate(game.mainline_moves()):
                if ply >= OPENING and len(board.piece_map()) > MEN:
                    fens.append(board.fen())
                board.push(move)
            rng.shuffle(fens)
            games.append(fens)
    rng.shuffle(games)
    found = list[str]()
    while len(found) < count and any(games):
        found += [fens.pop() for fens in games if fens]
    return found[:count]


def judged(fens: Sequence[str], depth: int) -> list[dict[str, Any]]:
    """The positions with Stockfish's score for the mover, in centipawns, and its move."""
    made = []
    with chess.engine.SimpleEngine.popen_uci("stockfish") as engine:
        for fen in fens:
            board = chess.Board(fen)
            info = engine.analyse(board, chess.engine.Limit(depth=depth), game=object())
            score = info["score"].relative.score(mate_score=MATE)
            made.append({"fen": fen, "score": score, "move": board.uci(info["pv"][0]), "depth": depth})
    return made


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rank of each value; equal values share theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((2 * ends - counts - 1) / 2)[places]


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The correlation of the ranks."""
    return float(np.corrcoef(ranks(np.array(first)), ranks(np.array(second)))[0, 1])


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="games in PGN, or positions that --save has written")
    parser.add_argument("options", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=10, help="of Stockfish's search")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="writes the positions with what Stockfish says of them")
    asked = parser.parse_args()
    if asked.file.suffix == ".json":
        positions = json.loads(asked.file.read_text())
    else:
        positions = judged(drawn(asked.file, asked.positions, asked.seed), asked.depth)
    if asked.save is not None:
        asked.save.write_text(json.dumps(positions))
    game = catalogue.load("chess")
    options = options_for(game, {})
    for option in asked.options:
        name, _, value = option.partition("=")
        options.set(name, value)
    searcher = Searcher(game, search_config(game, options))
    set_weights(searcher, weight_files(game, options))
    values, first, logarithms = [], [], []
    for position in positions:
        searcher.set_position(position["fen"], [])
        value, preferences = searcher.estimates()
        assert value is not None and preferences is not None
        values.append(value)
        most = max(preferences.values())
        total = math.fsum(math.exp(one - most) for one in preferences.values())
        first.append(max(preferences, key=preferences.__getitem__) == position["move"])
        logarithms.append(preferences[position["move"]] - most - math.log(total))
    share, count = float(np.mean(first)), len(positions)
    error = math.sqrt(share * (1 - share) / count)
    correlation = spearman(values, [position["score"] for position in positions])
    sys.stdout.write(
        f"{count} positions: Spearman {correlation:.3f}; first choice {100 * share:.1f} +- {100 * error:.1f} %, "
        f"{np.mean(logarithms):.3f} nats\n"
    )


if __name__ == "__main__":
    main()
