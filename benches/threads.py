"""What threads are worth: simulations per second of one thread and of several, interleaved, and matches at equal time.

    python benches/threads.py                                   # four games, 2 threads against 1
    python benches/threads.py go --set parallelism=root         # root parallelism instead of a shared graph
    python benches/threads.py chess --play 40 --seconds 0.2     # the play, not the speed

The first table gives, for each game, the mean speeds and the median of the rounds' ratios with the least and the
greatest: on a machine that does other things the spread says how much to believe. Each search starts from an empty
graph. A match gives the several threads' score against the one, with its standard error.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import sys
from typing import Any

from playout.engine.config import SearchConfig
from playout.engine.experiments.match import Pace, Score, configuration, pairs, play_all
from playout.engine.searcher import Searcher
from playout.games import registry

GAMES = ("go:size=9", "chess", "hex", "connect_four")


def speed(game: Any, config: SearchConfig, seconds: float) -> float:
    """Simulations per second of one search from the start."""
    searcher = Searcher(game, config)
    searcher.set_position(None, [])
    searcher.prepare()
    searcher.set_deadline(None, seconds)
    return searcher.run(past_proof=True).info.nps


def compare(name: str, configs: list[SearchConfig], rounds: int, seconds: float) -> str:
    """A line of the table: the speeds of both and their ratio."""
    game = registry.load(name)
    for config in configs:
        speed(game, config, seconds / 4)
    pairs = []
    for number in range(rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        # Seeds differ in how deep they search, which counts more than one round can show.
        measured = {which: speed(game, dataclasses.replace(configs[which], seed=number), seconds) for which in order}
        pairs.append((measured[0], measured[1]))
    ratios = sorted(several / one for one, several in pairs)
    one, several = (statistics.mean(pair[which] for pair in pairs) for which in (0, 1))
    median = statistics.median(ratios)
    return f"{name:<14} {one:>12,.0f} {several:>12,.0f}   {median:.2f} ({ratios[0]:.2f} - {ratios[-1]:.2f})"


def contest(name: str, configs: list[SearchConfig], words: argparse.Namespace) -> str:
    """The several threads' score against the one at equal time."""
    sides = configs[1], configs[0]
    pace = Pace(None, words.seconds)
    match = pairs(name, sides, games=words.play, pace=pace, plies=words.plies, seed=words.seed)
    score = Score(tuple(play_all(match)))
    return f"{name:<14} {configs[1].threads} threads {score.mean:.1%} +- {score.error:.1%} of {score.games} games"


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="for the several threads")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds a search")
    parser.add_argument("--play", type=int, default=0, metavar="GAMES", help="plays matches instead")
    parser.add_argument("--plies", type=int, default=2, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    if not words.play:
        several = f"{words.threads} threads"
        sys.stdout.write(f"{'game':<14} {'1 thread/s':>12} {several + '/s':>12}   ratio (min - max)\n")
    for name in words.games:
        game = registry.load(name)
        one = configuration(game, [])
        configs = [one, dataclasses.replace(configuration(game, words.set), threads=words.threads)]
        sys.stdout.write(
            contest(name, configs, words) if words.play else compare(name, configs, words.rounds, words.seconds)
        )
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
