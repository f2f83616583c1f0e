"""Moves that give away the value of a position, with exact play and without, at equal time.

    python benches/exact/worth.py hex:7 --positions 100 --seconds 0.5

Takes positions from the engine's own quick games in which some moves keep the exact value and others do not, as
``playout solve`` finds within ``--limit`` seconds, and asks the engine for its move in each, with ExactPlay and
without. Prints both counts of moves that give the value away, and the share of positions that exact play has solved.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from typing import Any

from effort import moves_of_game

from playout import Engine
from playout.engine.exact.solving import solve
from playout.engine.experiments.base.match import random_opening
from playout.games import catalogue


def narrow(game: Any, words: argparse.Namespace, rng: random.Random) -> Iterator[tuple[list[str], set[str]]]:
    """Positions, as moves from the start, each with the moves that keep its value; one from each game."""
    engine = Engine(game, hash=64, own_book=False, seed=words.seed)
    while True:
        line = moves_of_game(game, engine, list(random_opening(game, words.plies, rng)), words.nodes, rng)
        for ply in range(words.plies, len(line)):
            found = solve(game, None, line[:ply], all_moves=True, lengths=False, seconds=words.limit)
            if found.value is None or any(move.value is None for move in found.moves):
                continue
            kept = {move.move for move in found.moves if move.value == found.value}
            if words.least <= len(kept) <= words.share * len(found.moves):
                yield line[:ply], kept
                break


def main() -> None:
    """Counts as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.5, help="time of a move")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds to solve all moves of a position")
    parser.add_argument("--nodes", type=int, default=30, help="simulations a move of the games")
    parser.add_argument("--plies", type=int, default=6, help="random plies of the games")
    parser.add_argument("--share", type=float, default=0.2, help="greatest share of moves that keep the value")
    parser.add_argument("--least", type=int, default=1, help="least number of moves that keep the value")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    game: Any = catalogue.load(words.game)
    sides = {flag: Engine(game, hash=64, own_book=False, seed=1) for flag in (True, False)}
    wrong, solved, asked = dict.fromkeys(sides, 0), 0, 0
    for moves, kept in narrow(game, words, random.Random(words.seed)):
        for flag, engine in sides.items():
            engine.set_option("ExactPlay", str(flag).lower())
            engine.new_game()
            engine.set_position(None, moves)
            result = engine.think(seconds=words.seconds)
            wrong[flag] += result.move not in kept
            solved += flag and result.reason == "proven"
        asked += 1
        if asked == words.positions:
            break
    sys.stdout.write(
        f"{game.name}, {words.seconds} s, {asked} positions: {wrong[True]} moves give the value away with exact play, "
        f"{wrong[False]} without; {solved} proven with it\n"
    )


if __name__ == "__main__":
    main()
