"""Share of right first moves of chess macros, by the score of a UCI engine at a fixed depth.

    python benches/books/macro_moves.py games.pgn --depth 8 --positions 3000 -- /usr/games/stockfish
    python benches/books/macro_moves.py games.pgn --depth 8 --positions 3000 --random 1 -- /usr/games/stockfish

Positions are drawn from the games, each after --random legal moves at random: a search meets such positions. At each
one the moves of each drawn macro are scored. Prints, for each macro, the number of its moves, the share of those that
lose at most --loss centipawns against the best move, the share that are the best, and the median gain against the best
other move.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn

from playout.books.macros.macro import read_macros, shipped_patterns
from playout.engine.known.compiled_macros import drawn_macros
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue

MATE = 10_000
"""Centipawns for a mate."""


@dataclass(frozen=True)
class Judged:
    """A macro's move at a position, with scores in centipawns for the player to move."""

    best: int
    score: int
    is_best: bool
    others: int
    """Score of the best other move."""


def positions(file: Path, count: int, moves: int, rng: random.Random) -> Iterator[chess.Board]:
    """Positions of games, drawn at random, after random moves."""
    boards = list[str]()
    with file.open(encoding="utf-8", errors="replace") as text:
        while (game := chess.pgn.read_game(text)) is not None:
            board = game.board()
            for move in game.mainline_moves():
                board.push(move)
                boards.append(board.fen())
    for fen in rng.sample(boards, min(count, len(boards))):
        board = chess.Board(fen)
        for _ in range(moves):
            if not board.is_game_over():
                board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            yield chess.Board(board.fen())


def score(engine: chess.engine.SimpleEngine, board: chess.Board, depth: int, moves: list[chess.Move]) -> int:
    """Centipawns of the best of some moves."""
    info = engine.analyse(board, chess.engine.Limit(depth=depth), root_moves=moves)
    return int(info["score"].relative.score(mate_score=MATE))


def judged(engine: chess.engine.SimpleEngine, board: chess.Board, move: chess.Move, depth: int) -> Judged:
    """The scores of a move and of the others."""
    own = score(engine, board, depth, [move])
    rest = [other for other in board.legal_moves if other != move]
    others = score(engine, board, depth, rest) if rest else own
    return Judged(max(own, others), own, own >= others, others)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path)
    parser.add_argument("engine", nargs="+")
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--positions", type=int, default=3000)
    parser.add_argument("--most", type=int, default=150, help="moves of a macro that are judged")
    parser.add_argument("--random", type=int, default=0, help="random moves after the game's position")
    parser.add_argument("--loss", type=int, default=50)
    parser.add_argument("--file", type=Path, help="macros in place of the shipped patterns")
    parser.add_argument("--show", type=int, default=0, help="wrong moves to print")
    given = parser.parse_args()
    game: Any = catalogue.load("chess")
    rng = random.Random(1)
    searchers = dict[str, Searcher]()
    for macro in read_macros(given.file or shipped_patterns(game), game):
        if macro.is_drawn:
            searchers[macro.name] = Searcher(game, search_config(game, {"Seed": 1, "Hash": 1}))
            searchers[macro.name].set_macros(*drawn_macros(game, [macro]))
    found = defaultdict[str, list[Judged]](list)
    with chess.engine.SimpleEngine.popen_uci(given.engine) as engine:
        for board in positions(given.games, given.positions, given.random, rng):
            for name, searcher in searchers.items():
                searcher.set_position(board.fen(), [])
                for hint in searcher.hints():
                    if len(found[name]) < given.most:
                        one = judged(engine, board, chess.Move.from_uci(hint.move), given.depth)
                        found[name].append(one)
                        if one.best - one.score > given.loss and given.show > 0:
                            given.show -= 1
                            sys.stdout.write(f"{name}: {board.fen()} {hint.move} {one.score} for {one.best}\n")
    sys.stdout.write("| macro | moves | right | best | median gain |\n| --- | ---: | ---: | ---: | ---: |\n")
    for name in searchers:
        ones = found[name]
        if not ones:
            sys.stdout.write(f"| {name} | 0 | | | |\n")
            continue
        right = sum(one.best - one.score <= given.loss for one in ones) / len(ones)
        best = sum(one.is_best for one in ones) / len(ones)
        gain = statistics.median(one.score - one.others for one in ones)
        sys.stdout.write(f"| {name} | {len(ones)} | {right:.0%} | {best:.0%} | {gain:+.0f} |\n")


if __name__ == "__main__":
    main()
