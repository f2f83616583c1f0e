"""Test of the Syzygy tables, from random won positions of endings.

    python benches/syzygy.py DIRECTORY [--endings KRvK,KQvK,KBNvK] [--positions 200] [--seed 1] [--nodes 0]

Each position is played to mate, the winner by the root book (``playout.books.tables.syzygy``), the loser by the defence
with the greatest DTZ, from a random halfmove clock under which it is still won. For each ending it prints positions,
mates, the longest mate in plies, the greatest excess over the position's DTZ (a mate counts as zeroing, because lone
kings have no other zeroing move; DTZ may be rounded by one ply), and the processor time of a look-up.

With ``--nodes N`` the search plays the winner's moves instead, N simulations each, with tables inside the tree and no
book; it prints the number of positions mated within 50 moves.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from typing import Any

import chess
import chess.syzygy

from playout.books.tables.syzygy import SyzygyBook, open_syzygy
from playout.engine.options.config import preset
from playout.engine.search.searcher import Searcher
from playout.games import catalogue


def won_position(game: Any, tables: chess.syzygy.Tablebase, ending: str, rng: random.Random) -> Any:
    """Returns a random position with White to move, who wins under the 50-move rule."""
    strong, weak = ending.split("v")
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), len(strong) + len(weak))
        for square, letter in zip(squares, strong + weak.lower(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if not board.is_valid():
            continue
        dtz = tables.probe_dtz(board)
        if 0 < dtz < 100:
            board.halfmove_clock = rng.randint(0, 99 - dtz)
            return game.state_from_text(board.fen()), dtz


def defence(book: SyzygyBook, state: Any) -> int:
    return int(book.lookup(state)[0].action)


def play(game: Any, state: Any, white: Any, black: Any) -> tuple[int, bool]:
    """Returns the plies played, and whether White mated."""
    plies = 0
    while game.returns(state) is None:
        action = (white if game.current_player(state) == 0 else black)(state)
        state = game.next_state(state, action)
        plies += 1
    return plies, game.returns(state)[0] > 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--endings", default="KRvK,KQvK,KBNvK")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=0)
    options = parser.parse_args()
    game: Any = catalogue.load("chess")
    book = open_syzygy([options.directory], game)
    searcher = Searcher(game, preset("chess").search)
    searcher.set_tables([options.directory])

    def searched(state: Any) -> int:
        searcher.set_position(game.state_to_text(state), [])
        searcher.prepare()
        move = searcher.run(nodes=options.nodes).best
        return int(game.text_to_action(state, move))

    with chess.syzygy.open_tablebase(str(options.directory)) as tables:
        for ending in options.endings.split(","):
            rng = random.Random(options.seed)
            mates, longest, excess, look_ups, seconds = 0, 0, -1000, 0, 0.0

            def looked_up(state: Any) -> int:
                nonlocal look_ups, seconds
                began = time.process_time()
                action = int(book.lookup(state)[0].action)
                seconds += time.process_time() - began
                look_ups += 1
                return action

            for _ in range(options.positions):
                state, dtz = won_position(game, tables, ending, rng)
                white = searched if options.nodes else looked_up
                plies, mated = play(game, state, white, lambda state: defence(book, state))
                mates += mated
                if mated:
                    longest, excess = max(longest, plies), max(excess, plies - dtz)
            each = (
                f"{1000 * seconds / look_ups:.2f} CPU-ms a look-up"
                if look_ups
                else f"{options.nodes} simulations a move"
            )
            sys.stdout.write(
                f"{ending}: {mates} of {options.positions} mated, longest {longest} plies, "
                f"at most {excess} plies beyond DTZ, {each}\n"
            )


if __name__ == "__main__":
    main()
