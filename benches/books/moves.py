"""Loss of the moves of a chess book, by the score of a UCI engine at a fixed number of nodes.

    python benches/books/moves.py chess.book --nodes 20000 -- /usr/games/stockfish
    python benches/books/moves.py chess.book --nodes 200000 --draws 300 -- /usr/games/stockfish
    python benches/books/moves.py chess.book --nodes 20000 --never never.yaml -- /usr/games/stockfish

The loss of a move is the engine's score for its own best move less its score for the book's move, both searched alone
with the same nodes on one thread. All moves of a weight above 0 are checked, or with --draws the given number of moves,
drawn by playing the book against itself by weight, each once. --never writes the moves that lose more than --loss to a
text book with weight 0, for `playout book build --never`; moves that lose more than half of that are first checked
again with ten times the nodes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine

from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.books.formats import entries, open_book, write_book
from playout.games import catalogue
from playout.games.game import action_to_text

MATE = 10_000
"""Centipawns for a mate."""


@dataclass(frozen=True)
class Judge:
    """An engine that scores moves."""

    engine: chess.engine.SimpleEngine
    nodes: int

    def score(self, board: chess.Board, move: chess.Move | None) -> tuple[int, chess.Move]:
        """Returns centipawns for the player to move, and the move, which is the engine's if none is given."""
        limit = chess.engine.Limit(nodes=self.nodes)
        info = self.engine.analyse(board, limit, root_moves=None if move is None else [move])
        return info["score"].relative.score(mate_score=MATE), info["pv"][0]

    def losses(self, board: chess.Board, moves: list[chess.Move]) -> list[int]:
        """Returns the loss of each move."""
        best, favourite = self.score(board, None)
        return [0 if move == favourite else max(0, best - self.score(board, move)[0]) for move in moves]


def drawn(book: Any, game: Any, count: int, seed: int) -> Iterator[BookEntry]:
    """Returns positions with one move each, as games by the book's weights reach them."""
    rng, seen = random.Random(seed), set[tuple[Any, Any]]()
    while len(seen) < count:
        state, line = game.initial_state(), ()
        while moves := [move for move in book.lookup(state) if move.weight > 0]:
            move = rng.choices(moves, [move.weight for move in moves])[0]
            key = (game.key(state), move.action)
            if key not in seen and len(seen) < count:
                seen.add(key)
                yield BookEntry(state, [move], line)
            state, line = game.next_state(state, move.action), (*line, move.action)


def main() -> None:
    """Checks a book."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", type=Path)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--loss", type=int, default=60, metavar="CENTIPAWNS")
    parser.add_argument("--draws", type=int, metavar="MOVES")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--never", type=Path, metavar="FILE")
    parser.add_argument("engine", nargs="+", help="the command, after --")
    words = parser.parse_args()
    game: Any = catalogue.load("chess")
    found = (
        drawn(open_book(words.book, game), game, words.draws, words.seed) if words.draws else entries(words.book, game)
    )
    never, lost = list[BookEntry](), list[int]()
    with chess.engine.SimpleEngine.popen_uci(words.engine) as engine:
        engine.configure({"Threads": 1, "Hash": 16})
        judge, second = Judge(engine, words.nodes), Judge(engine, 10 * words.nodes)
        for entry in found:
            board = chess.Board(game.state_to_text(entry.state))
            played = [move for move in entry.moves if move.weight > 0]
            moves = [chess.Move.from_uci(action_to_text(game, entry.state, move.action)) for move in played]
            losses = judge.losses(board, moves)
            lost += losses
            bound = words.loss / 2 if words.never else words.loss
            bad = [(move, one) for move, one, loss in zip(played, moves, losses, strict=True) if loss > bound]
            if bad and words.never:
                again = second.losses(board, [one for _, one in bad])
                bad = [pair for pair, loss in zip(bad, again, strict=True) if loss > words.loss]
            for move, one in bad:
                sys.stdout.write(f"{board.fen()}  {one.uci()}  weight {move.weight:g}\n")
                sys.stdout.flush()
            if bad:
                never.append(BookEntry(entry.state, [BookMove(move.action, 0.0) for move, _ in bad], entry.line))
    if words.never:
        write_book(words.never, game, never)
    over = [sum(loss > bound for loss in lost) for bound in (words.loss // 2, words.loss, 2 * words.loss)]
    sys.stdout.write(
        f"{words.book.name}: {len(lost)} moves, mean loss {sum(lost) / max(1, len(lost)):.1f} centipawns; "
        f"{over[0]} lose more than {words.loss // 2}, {over[1]} more than {words.loss}, "
        f"{over[2]} more than {2 * words.loss}\n"
    )


if __name__ == "__main__":
    main()
