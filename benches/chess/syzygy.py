"""Test of the Syzygy tables, from random won positions of endings.

    python benches/chess/syzygy.py DIRECTORY [--endings KRvK,KQvK,KBNvK] [--positions 200] [--seed 1]
        [--nodes 0] [--seconds 0]

Each position is played to mate, the winner by the root book (``playout.books.tables.syzygy``), the loser by the defence
with the greatest DTZ, from a random halfmove clock under which it is still won. For each ending it prints positions,
mates, the longest mate in plies, the greatest excess over the position's DTZ (a mate counts as zeroing, because lone
kings have no other zeroing move; DTZ may be rounded by one ply), and the processor time of a look-up.

With ``--nodes N`` the search plays the winner's moves instead, N simulations each, with tables inside the tree and no
book; it prints the number of positions mated within 50 moves. With ``--seconds S`` the engine plays them as it is sent,
without tables, S seconds each, from positions whose halfmove clock is 0.
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

from playout import Engine
from playout.books.tables.syzygy import SyzygyBook, open_syzygy
from playout.engine.options.config import preset
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.game import action_to_text


def won_position(game: Any, tables: chess.syzygy.Tablebase, ending: str, rng: random.Random, *, fresh: bool) -> Any:
    """Returns a random position with White to move, who wins under the 50-move rule; ``fresh`` from a clock of 0."""
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
            board.halfmove_clock = 0 if fresh else rng.randint(0, 99 - dtz)
            return game.state_from_text(board.fen()), dtz


def defence(book: SyzygyBook, state: Any) -> int:
    return int(book.lookup(state)[0].action)


def play(game: Any, state: Any, white: Any, black: Any) -> tuple[int, bool]:
    """Returns the plies played, and whether White mated. The players get the state, the start's text and the moves."""
    start, moves = game.state_to_text(state), []
    while game.returns(state) is None:
        action = (white if game.current_player(state) == 0 else black)(state, start, moves)
        moves.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    return len(moves), game.returns(state)[0] > 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--endings", default="KRvK,KQvK,KBNvK")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0)
    options = parser.parse_args()
    game: Any = catalogue.load("chess")
    book = open_syzygy([options.directory], game)
    searcher = Searcher(game, preset("chess").search)
    searcher.set_tables([options.directory])

    def searched(state: Any, start: str, moves: list[str]) -> int:
        searcher.set_position(start, moves)
        searcher.prepare()
        return int(game.text_to_action(state, searcher.run(nodes=options.nodes).move))

    engine = Engine(game, own_book=False, hash=64)

    def thought(state: Any, start: str, moves: list[str]) -> int:
        engine.set_position(start, moves)
        return int(game.text_to_action(state, engine.think(seconds=options.seconds).move))

    with chess.syzygy.open_tablebase(str(options.directory)) as tables:
        for ending in options.endings.split(","):
            rng = random.Random(options.seed)
            mates, longest, excess, look_ups, seconds = 0, 0, -1000, 0, 0.0

            def looked_up(state: Any, *_: Any) -> int:
                nonlocal look_ups, seconds
                began = time.process_time()
                action = int(book.lookup(state)[0].action)
                seconds += time.process_time() - began
                look_ups += 1
                return action

            for _ in range(options.positions):
                state, dtz = won_position(game, tables, ending, rng, fresh=bool(options.seconds))
                white = thought if options.seconds else searched if options.nodes else looked_up
                engine.new_game()
                plies, mated = play(game, state, white, lambda state, *_: defence(book, state))
                mates += mated
                if mated:
                    longest, excess = max(longest, plies), max(excess, plies - dtz)
            each = f"{options.nodes} simulations a move" if options.nodes else f"{options.seconds:g} s a move"
            if look_ups:
                each = f"{1000 * seconds / look_ups:.2f} CPU-ms a look-up"
            sys.stdout.write(
                f"{ending}: {mates} of {options.positions} mated, longest {longest} plies, "
                f"at most {excess} plies beyond DTZ, {each}\n"
            )


if __name__ == "__main__":
    main()
