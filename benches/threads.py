"""The gain from threads: simulations per second of one thread and of several, interleaved, and matches at equal time.

    python benches/threads.py                                   # four games, 2 threads against 1
    python benches/threads.py go --set parallelism=root         # root parallelism instead of a shared graph
    python benches/threads.py chess --moves                     # positions of whole moves, with the look-ahead
    python benches/threads.py chess --play 40 --seconds 0.2     # a match instead of speeds

The table gives, for each game, the mean speed and the medians of the rounds' ratios with the least and the greatest:
several threads to one, the same number of processes (each with its own graph) to one, and threads to processes. Cores
that share caches, power or hardware threads give processes less than their number, and threads cannot do better. Each
search starts from an empty graph and makes the same number of simulations, because a larger graph is slower. With
``--moves`` an engine thinks for the time of a move about random openings, as in a game, and what counts are the
positions that it reports: in chess those of its look-ahead. A match gives the score of several threads against one,
with its standard error.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import random
import statistics
import sys
from typing import Any

import playout
from playout.engine.experiments.base.match import Pace, Score, configuration, pairs, play_all, random_opening
from playout.engine.options.config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.games import catalogue

GAMES = ("go:size=9", "chess", "hex", "connect_four")
LITTLE = 2000
"""Enough simulations to measure the speed of a search."""
CONTEXT = multiprocessing.get_context("spawn")


def speed(game: Any, config: SearchConfig, nodes: int) -> float:
    """Simulations per second of one search from the start, with the given number of simulations."""
    searcher = Searcher(game, config)
    searcher.set_position(None, [])
    searcher.prepare()
    return searcher.run(nodes=nodes, past_proof=True).info.nps


def run_beside(name: str, config: SearchConfig, nodes: int, barrier: Any, speeds: Any) -> None:
    """A process that searches beside others."""
    game = catalogue.load(name)
    barrier.wait()
    speeds.put(speed(game, config, nodes))


def processes(name: str, config: SearchConfig, nodes: int, count: int) -> float:
    """Simulations per second of ``count`` processes together, each with its own search."""
    barrier, speeds = CONTEXT.Barrier(count), CONTEXT.Queue()
    seeds = [dataclasses.replace(config, seed=config.seed + 1000 * number) for number in range(count)]
    workers = [CONTEXT.Process(target=run_beside, args=(name, one, nodes, barrier, speeds)) for one in seeds]
    for worker in workers:
        worker.start()
    together = sum(speeds.get() for _ in workers)
    for worker in workers:
        worker.join()
    return together


def compare(name: str, configs: list[SearchConfig], rounds: int, seconds: float) -> str:
    """Returns a line of the table."""
    game = catalogue.load(name)
    one, several = configs
    nodes = int(speed(game, one, LITTLE) * seconds) + 1
    ratios: list[tuple[float, float, float]] = []
    speeds: list[float] = []
    for seed in range(rounds):
        # Different seeds search to different depths, which matters more than the noise of one round.
        alone = speed(game, dataclasses.replace(one, seed=seed), nodes)
        threads = speed(game, dataclasses.replace(several, seed=seed), nodes)
        beside = processes(name, dataclasses.replace(one, seed=seed), nodes, several.threads)
        speeds.append(alone)
        ratios.append((threads / alone, beside / alone, threads / beside))
    cells = [
        f"{statistics.median(column):.2f} ({min(column):.2f} - {max(column):.2f})"
        for column in zip(*ratios, strict=True)
    ]
    return f"{name:<14} {nodes:>9,} {statistics.mean(speeds):>12,.0f}   " + "   ".join(f"{cell:<18}" for cell in cells)


def moves(name: str, threads: int, rounds: int, seconds: float, plies: int) -> str:
    """Returns a line with the positions that an engine reports after the time of a move, of several threads to one."""
    game = catalogue.load(name)
    ratios: list[float] = []
    speeds: list[float] = []
    for seed in range(rounds):
        opening = random_opening(game, plies, random.Random(seed))
        rates: list[float] = []
        for count in (1, threads):
            with playout.Engine(name, threads=count, own_book=False, seed=seed + 1) as engine:
                engine.play(*opening)
                result = engine.think(seconds=seconds)
            rates.append(result.simulations / result.seconds)
        speeds.append(rates[0])
        ratios.append(rates[1] / rates[0])
    cell = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} - {max(ratios):.2f})"
    return f"{name:<14} {statistics.mean(speeds):>12,.0f}   {cell}"


def contest(name: str, configs: list[SearchConfig], words: argparse.Namespace) -> str:
    """Returns the score of several threads against one at equal time."""
    sides = configs[1], configs[0]
    pace = Pace(None, words.seconds)
    match = pairs(name, sides, games=words.play, pace=pace, plies=words.plies, seed=words.seed)
    score = Score(tuple(play_all(match)))
    return f"{name:<14} {configs[1].threads} threads {score.mean:.1%} +- {score.error:.1%} of {score.games} games"


def main() -> None:
    """Measures as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="for the several threads")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a search of one thread, about")
    parser.add_argument("--moves", action="store_true", help="measures whole moves of --seconds instead")
    parser.add_argument("--play", type=int, default=0, metavar="GAMES", help="plays matches instead")
    parser.add_argument("--plies", type=int, default=2, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    several = f"{words.threads} threads"
    if words.moves:
        sys.stdout.write(f"{'game':<14} {'1 thread/s':>12}   {several}\n")
    elif not words.play:
        titles = (several, f"{words.threads} processes", "threads / processes")
        row = "   ".join(f"{title:<18}" for title in titles)
        sys.stdout.write(f"{'game':<14} {'sims':>9} {'1 thread/s':>12}   {row}\n")
    for name in words.games:
        if words.moves:
            sys.stdout.write(moves(name, words.threads, words.rounds, words.seconds, words.plies) + "\n")
            sys.stdout.flush()
            continue
        game = catalogue.load(name)
        one = configuration(game, [])
        configs = [one, dataclasses.replace(configuration(game, words.set), threads=words.threads)]
        sys.stdout.write(
            contest(name, configs, words) if words.play else compare(name, configs, words.rounds, words.seconds)
        )
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
