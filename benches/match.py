"""A match between two search configurations of one game, each the preset with the given changes.

    python benches/match.py chess --first exploration=0.05 --second exploration=0.1 --games 40 --nodes 4000 --plies 4

Both play both sides of each random opening. Prints the first one's score with its standard error, and the difference in
Elo points with its 95 % interval.
"""

from __future__ import annotations

import argparse
import sys

from playout.engine.experiments.base.match import Pace, Score, configuration, pairs, play_all
from playout.games import catalogue
from playout.games.errors import PlayoutError


def main() -> None:
    """Plays the match that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--first", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--nodes", type=int, help="simulations a move")
    parser.add_argument("--seconds", type=float, help="seconds a move")
    parser.add_argument("--plies", type=int, default=2, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    words = parser.parse_args()
    if not words.nodes and not words.seconds:
        parser.error("--nodes or --seconds")
    try:
        game = catalogue.load(words.game)
        sides = configuration(game, words.first), configuration(game, words.second)
    except PlayoutError as error:
        parser.error(str(error))
    pace = Pace(words.nodes, words.seconds)
    match = pairs(words.game, sides, games=words.games, pace=pace, plies=words.plies, seed=words.seed)
    score = Score(tuple(play_all(match, words.workers)))
    difference, least, most = score.elo
    sys.stdout.write(
        f"{game.name}: first {score.mean:.1%} +- {score.error:.1%} of {score.games} games, "
        f"Elo {difference:+.0f} [{least:+.0f}, {most:+.0f}]\n"
    )


if __name__ == "__main__":
    main()
