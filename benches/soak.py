"""A long search at the memory limit: checks that the limit and the root's statistics hold.

    python benches/soak.py connect_four --minutes 60 --hash 16
    python benches/soak.py go:size=9 --minutes 3 --hash 16 --threads 2

Each minute it prints simulations, the growth of the process's resident memory since before the graph, reclaims and
halvings so far, and visits and value of the root. Ends with status 1 if the resident memory exceeds the limit by more
than the allowance for other memory, if the root's visits fall without a halving, if they do not add up, or if the
search ends by itself. A proven game is searched further.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from pathlib import Path

from playout.engine.experiments.base.match import configuration
from playout.engine.search.searcher import Searcher
from playout.engine.terms.info import SearchInfo
from playout.games import catalogue

ALLOWANCE = 2.0
"""MiB for stacks, reports and the marks of a reclaim."""


def resident() -> float:
    """Resident memory of the process in MiB."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096 / 2**20


class Watch:
    """Checks each report and records errors."""

    def __init__(self, bound: float, before: float) -> None:
        self.bound = bound
        self.before = before
        self.most = 0.0
        self.visits = 0
        self.halvings = 0
        self.faults: list[str] = []

    def sample(self, _: SearchInfo | None = None) -> float:
        """Returns the growth of the process in MiB, after checking it; called ten times a second to catch peaks."""
        grown = resident() - self.before
        self.most = max(self.most, grown)
        if grown > self.bound + ALLOWANCE and not self.faults:
            self.faults.append(f"{grown:.1f} MiB resident, the bound is {self.bound} MiB")
        return grown

    def look(self, info: SearchInfo, reclaims: int, halvings: int) -> None:
        """Checks a report."""
        grown = self.sample()
        if info.visits < self.visits and halvings == self.halvings:
            self.faults.append(f"the root's visits fell from {self.visits} to {info.visits}")
        below = sum(move.visits for move in info.moves)
        if not 0.999 * info.visits - 1000 <= below <= info.visits + 1000:
            self.faults.append(f"the moves have {below} visits, the root {info.visits}")
        self.visits, self.halvings = info.visits, halvings
        sys.stdout.write(
            f"{info.time:7.0f} s  {info.simulations:>14,} simulations  {grown:6.1f} MiB  {reclaims:>6} reclaims  "
            f"{halvings} halvings  root {info.visits:>13,}  {info.value:+.3f}\n"
        )
        sys.stdout.flush()


def main() -> None:
    """Searches for the time given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--hash", type=int, default=16, metavar="MIB")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--every", type=float, default=60, help="seconds between lines")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    words = parser.parse_args()
    game = catalogue.load(words.game)
    config = configuration(game, words.set)
    # The process has allocated its other memory before this measurement.
    warm = Searcher(game, dataclasses.replace(config, hash_mib=1, threads=words.threads))
    warm.set_position(None, [])
    warm.prepare()
    warm.run(nodes=1000)
    before = resident()
    searcher = Searcher(game, dataclasses.replace(config, hash_mib=words.hash, threads=words.threads))
    searcher.set_position(None, [])
    watch = Watch(words.hash, before)
    end = time.monotonic() + words.minutes * 60
    total = 0
    while (left := end - time.monotonic()) > 0 and not watch.faults:
        # One search for each printed line, because its counts are final when it has ended.
        searcher.prepare()
        searcher.set_deadline(None, min(left, words.every))
        result = searcher.run(past_proof=True, interval=0.1, on_info=watch.sample)
        total += result.info.simulations
        reclaims, halvings = searcher.upkeep
        elapsed = words.minutes * 60 - (end - time.monotonic())
        watch.look(dataclasses.replace(result.info, simulations=total, time=elapsed), reclaims, halvings)
        if result.reason != "deadline":
            watch.faults.append(f"the search ended: {result.reason}")
    for fault in watch.faults:
        sys.stdout.write(f"FAILED: {fault}\n")
    sys.stdout.write(f"{game.name}: {total:,} simulations, at most {watch.most:.1f} MiB of {words.hash}\n")
    sys.exit(1 if watch.faults else 0)


if __name__ == "__main__":
    main()
