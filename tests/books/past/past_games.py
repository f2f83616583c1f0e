"""Random games as PGN, and what a store holds, for tests of books."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import chess
import chess.pgn


def random_pgn(games: int, seed: int, plies: int = 12) -> str:
    """Games that share their first moves often."""
    rng = random.Random(seed)
    texts = []
    for number in range(games):
        game = chess.pgn.Game()
        game.headers["White"] = f"Player {rng.randrange(5)}"
        game.headers["Black"] = f"Player {rng.randrange(5)}"
        game.headers["Round"] = str(number)
        game.headers["Result"] = rng.choice(("1-0", "0-1", "1/2-1/2", "*"))
        node: chess.pgn.GameNode = game
        for _ in range(rng.randrange(1, plies)):
            moves = list(node.board().legal_moves)
            node = node.add_variation(moves[min(int(rng.expovariate(0.5)), len(moves) - 1)])
        texts.append(str(game))
    return "\n\n".join(texts) + "\n"


def rows(path: Path) -> dict[str, list[Any]]:
    """The rows of the book's tables, by table."""
    database = sqlite3.connect(path)
    found = {
        table: sorted(database.execute(f"SELECT * FROM {table}")) for table in ("position", "played", "root", "meta")
    }
    database.close()
    return found
