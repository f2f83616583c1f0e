"""Cost of options: simulations a second of a game with one set of options against another, alternately, in one process.

    python benches/options_cost.py hex:11 --first PlayoutHints=2 Macros=true --second Macros=true

Each round searches the same positions from an empty graph with a fixed number of simulations, once with each set; which
goes first alternates. Rates are per second of processor time, of the least time of the rounds. The sets are those of
complete sessions, with books, macros and tables; without OwnBook=true there are no books.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Sequence
from typing import Any

from playout import Engine
from playout.engine.experiments.base.match import random_opening
from playout.games import catalogue
from playout.games.errors import PlayoutError


def engine(game: Any, options: Sequence[str]) -> Engine:
    """An engine with its options."""
    made = Engine(game, hash=64, own_book=False)
    for option in options:
        name, _, value = option.partition("=")
        made.set_option(name, value)
    return made


def spent(side: Engine, words: Sequence[str], nodes: int) -> float:
    """Processor seconds of a search of ``nodes`` simulations after ``words``."""
    side.new_game()
    side.set_position(None, words)
    begun = time.process_time()
    side.think(nodes=nodes)
    return time.process_time() - begun


def main() -> None:
    """Prints a line for each position, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--first", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="processor seconds of a search of the second set")
    parser.add_argument("--plies", type=int, nargs="*", default=[2, 6, 10, 14], help="random plies to each position")
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    try:
        game = catalogue.load(words.game)
        sides = [engine(game, [*chosen, f"Seed={words.seed}"]) for chosen in (words.first, words.second)]
    except PlayoutError as error:
        parser.error(str(error))
    rng, totals = random.Random(words.seed), [0.0, 0.0]
    for plies in words.plies:
        opening, nodes = random_opening(game, plies, rng), 500
        # Books and tables are opened by the first search.
        spent(sides[0], opening, 1)
        while spent(sides[1], opening, nodes) < words.seconds / 2:
            nodes *= 2
        least = [math.inf, math.inf]
        for turn in range(2 * words.rounds):
            side = (turn + turn // 2) % 2
            least[side] = min(least[side], spent(sides[side], opening, nodes))
        totals = [total + time_ / nodes for total, time_ in zip(totals, least, strict=True)]
        sys.stdout.write(
            f"{game.name} after {plies} plies: {nodes / least[0]:,.0f} against {nodes / least[1]:,.0f} simulations a "
            f"second, cost {1 - least[1] / least[0]:.1%}\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{game.name}: cost {1 - totals[1] / totals[0]:.1%} of {len(words.plies)} positions\n")


if __name__ == "__main__":
    main()
