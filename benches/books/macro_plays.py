"""Loss of the plays of backgammon macros, by the nets of gnubg-nn (pip install gnubg-nn).

    python benches/books/macro_plays.py --games 200

Positions with a roll are those of games in which gnubg-nn plays, with some plays at random. At each one every play is
evaluated by gnubg-nn at 0 plies. Prints for each macro the number of its plays, the mean loss in points against the
best play, the share that lose at most 0.02, and the mean loss of an average play.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import gnubg_nn

from playout.books.macros.macro import read_macros, shipped_macros
from playout.engine.known.compiled_macros import drawn_macros
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.game import CHANCE, action_to_text


def points(own: Any, other: Any) -> float:
    """Points that the player on roll expects, without the cube."""
    win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg_nn.probabilities([list(other[1:]), list(own[1:])], 0)
    return float(2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon)


def values(game: Any, state: Any) -> dict[Any, float]:
    """The points that each play brings."""
    found = {}
    for action in game.legal_actions(state):
        after = game.next_state(state, action)
        if game.returns(after) is not None:
            found[action] = 3 * game.returns(after)[state.player]
        else:
            found[action] = -points(after.checkers[1 - state.player], after.checkers[state.player])
    return found


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--random", type=float, default=0.1, help="share of plays that are random")
    parser.add_argument("--file", type=Path, help="macros in place of the shipped ones")
    given = parser.parse_args()
    game: Any = catalogue.load("backgammon")
    searchers = dict[str, Searcher]()
    for macro in read_macros(given.file, game) if given.file else shipped_macros(game):
        searchers[macro.name] = Searcher(game, search_config(game, {"Seed": 1, "Hash": 1}))
        searchers[macro.name].set_macros(*drawn_macros(game, [macro]))
    rng, losses, average = random.Random(1), defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for _ in range(given.games):
        state = game.initial_state()
        while game.returns(state) is None:
            if game.current_player(state) == CHANCE:
                rolls, chances = zip(*game.chance_outcomes(state), strict=True)
                state = game.next_state(state, rng.choices(rolls, chances)[0])
                continue
            known = values(game, state)
            best = max(known.values())
            texts = {action_to_text(game, state, action): action for action in known}
            for name, searcher in searchers.items():
                searcher.set_position(game.state_to_text(state), [])
                for hint in searcher.hints():
                    losses[name].append(best - known[texts[hint.move]])
                    average[name].append(best - statistics.mean(known.values()))
            played = rng.choice(list(known)) if rng.random() < given.random else max(known, key=lambda one: known[one])
            state = game.next_state(state, played)
    sys.stdout.write(
        "| macro | plays | mean loss | right | mean loss of a play |\n| --- | ---: | ---: | ---: | ---: |\n"
    )
    for name in searchers:
        lost = losses[name] or [0.0]
        right = sum(loss <= 0.02 for loss in lost) / len(lost)
        usual = statistics.mean(average[name] or [0.0])
        sys.stdout.write(
            f"| {name} | {len(losses[name])} | {statistics.mean(lost):.3f} | {right:.0%} | {usual:.3f} |\n"
        )


if __name__ == "__main__":
    main()
