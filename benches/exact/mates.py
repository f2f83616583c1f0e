"""Mates in chess that alpha-beta proves, and that the search proves by itself, in the last plies of quick games.

    python benches/exact/mates.py --games 14 --seconds 0.1

Asks both at each of the last 12 positions of the engine's own games: alpha-beta (``playout solve``) for half of the
time, as exact play would, and the search for all of it. Prints how many wins each of them proved.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import Any

from effort import moves_of_game

from playout import Engine
from playout.engine.exact.solving import solve
from playout.engine.experiments.base.match import random_opening
from playout.games import catalogue

LAST = 12
"""Plies before the end of a game."""


def main() -> None:
    """Counts as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=14)
    parser.add_argument("--seconds", type=float, default=0.1, help="time of a move")
    parser.add_argument("--nodes", type=int, default=60, help="simulations a move of the games")
    parser.add_argument("--seed", type=int, default=5)
    words = parser.parse_args()
    game: Any = catalogue.load("chess")
    rng = random.Random(words.seed)
    quick, engine = (Engine(game, hash=64, own_book=False, seed=seed) for seed in (3, 1))
    asked, mates = 0, {"alpha-beta": 0, "search": 0, "both": 0}
    for _ in range(words.games):
        line = moves_of_game(game, quick, list(random_opening(game, 6, rng)), words.nodes, rng)
        for ply in range(max(6, len(line) - LAST), len(line)):
            by_alpha_beta = solve(game, None, line[:ply], method="alpha-beta", seconds=words.seconds / 2).value == 1.0
            engine.new_game()
            engine.set_position(None, line[:ply])
            result = engine.think(seconds=words.seconds)
            by_search = result.reason == "proven" and result.value == 1.0
            asked += 1
            mates["alpha-beta"] += by_alpha_beta
            mates["search"] += by_search
            mates["both"] += by_alpha_beta and by_search
    found = ", ".join(f"{name} {number}" for name, number in mates.items())
    sys.stdout.write(f"{asked} positions, wins proven: {found}\n")


if __name__ == "__main__":
    main()
