"""Cost of macros: simulations a second with the shipped macros against without them, alternately, in one process.

    python benches/books/macros.py [GAME ...] [--rounds N] [--seconds S] [--plies P] [--file FILE]

Positions reached by random moves are searched from an empty graph, with a fixed number of simulations, once with
macros and once without in each round; which goes first alternates. The least time of the rounds counts. Rates are per
second of processor time, on one thread, with the game's own preset; the solver is off, so that a proven root does not
end a search.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from pathlib import Path
from typing import Any

from playout.books.macros.macro import Macro, read_macros, shipped_macros, shipped_patterns
from playout.engine.known.compiled_macros import drawn_macros
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.game import Game, action_to_text

GAMES = ("tic_tac_toe", "connect_four", "hex:8", "hex:11", "go:9", "go:19", "chess", "backgammon")
POSITIONS = 4


def spent(game: Game[Any, Any], macros: list[Macro], words: list[str], nodes: int) -> float:
    """Processor seconds of a search of ``nodes`` simulations after ``words``."""
    searcher = Searcher(game, search_config(game, {"Seed": 1, "Hash": 256, "Solver": False}))
    searcher.set_macros(*drawn_macros(game, macros))
    searcher.set_position(None, words)
    searcher.prepare()
    begun = time.process_time()
    searcher.run(nodes=nodes, interval=1000.0)
    return time.process_time() - begun


def positions(game: Game[Any, Any], plies: int, rng: random.Random) -> list[list[str]]:
    """Lines of random moves to positions that are not over, up to ``plies`` long."""
    found: list[list[str]] = []
    while len(found) < POSITIONS:
        state, words = game.initial_state(), list[str]()
        for _ in range(plies * len(found) // (POSITIONS - 1)):
            action = rng.choice(list(game.legal_actions(state)))
            words.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
            if game.returns(state) is not None:
                break
        if game.returns(state) is None:
            found.append(words)
    return found


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5, help="processor seconds of a search without macros")
    parser.add_argument("--plies", type=int, default=12, help="random moves before the last position")
    parser.add_argument("--file", type=Path, help="macros in place of the shipped ones")
    given = parser.parse_args()
    sys.stdout.write(
        "| game | simulations | without, per s | with, per s | cost [least and greatest of a position] |\n"
    )
    sys.stdout.write("| --- | ---: | ---: | ---: | ---: |\n")
    for name in given.games:
        game = catalogue.load(name)
        file = given.file or shipped_patterns(game)
        macros = [*(() if given.file else shipped_macros(game)), *(read_macros(file, game) if file else ())]
        lines = positions(game, 4 if name == "tic_tac_toe" else given.plies, random.Random(1))
        nodes = 1000
        while spent(game, [], [], nodes) < given.seconds / 4:
            nodes *= 2
        nodes *= 4
        least = {(number, on): math.inf for number in range(POSITIONS) for on in (False, True)}
        for turn in range(given.rounds * POSITIONS):
            number = turn % POSITIONS
            for one in ([], macros) if turn % 2 else (macros, []):
                place = number, bool(one)
                least[place] = min(least[place], spent(game, one, lines[number], nodes))
        costs = [100 * (1 - least[number, False] / least[number, True]) for number in range(POSITIONS)]
        plain, fast = (
            POSITIONS * nodes / sum(least[number, on] for number in range(POSITIONS)) for on in (False, True)
        )
        cost = 100 * (1 - fast / plain)
        sys.stdout.write(
            f"| {name} | {nodes:,} | {plain:,.0f} | {fast:,.0f} | "
            f"{cost:.1f} % [{min(costs):.1f} to {max(costs):.1f}] |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
