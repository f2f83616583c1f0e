"""Sampled UCB1: children drawn in proportion to their scores, which sharpens as the counts grow.

Instead of the child with the greatest score, a child is drawn with a probability proportional to its score, where
negative scores count as 0: p(a) = u(a) / sum of u(b), u(a) = max(0, Q(a) + C sqrt(ln N / n(a))), with values Q in [0,
1]. With one good child, Q = 1, one bad child, Q = 0, and C = 0.2, the good child's share is

- at the counts 1 and 1: 0.2 sqrt(ln 2 / 1) = 0.1665; 1.1665 / (1.1665 + 0.1665) = 87.5 %;
- at the counts 870 and 130: 1 + 0.2 sqrt(ln 1000 / 870) = 1.0178 against 0.2 sqrt(ln 1000 / 130) = 0.0461: 95.7 %.

With these values the shares are "about 87 %" and "about 95 %"; the two equations with exactly 87.0 % and 95.0 % have
the solution Q = 0.996 and 0.007. In the limit the share is Q(good) / (Q(good) + Q(bad)), here 1. Bad children are thus
given up only if they are worth 0, which is why the greedy choice is the usual one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playout.engine.experiments.base.bandit import Bandit, engine_counts
from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.experiments.base.plain import plain
from playout.engine.statistics.samples import mean_and_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"simulations": 1000, "runs": 10}
EXPLORATION = 0.2
GOOD, BAD = 1.0, 0.0
CLAIMED = (1, 1), (870, 130)


def share(
    good: float, bad: float, exploration: float = EXPLORATION, values: tuple[float, float] = (GOOD, BAD)
) -> float:
    """Returns the probability of the good child at these counts, which may be means."""
    log = math.log(good + bad)
    one, other = (
        max(0.0, value + exploration * math.sqrt(log / n)) for value, n in zip(values, (good, bad), strict=True)
    )
    return one / (one + other)


@dataclass(frozen=True, slots=True)
class Sampled(ExperimentResult):
    """Shares of the good child."""

    claimed: tuple[tuple[int, int, float], ...]
    """Counts of the good and the bad child, and the good child's share."""
    grown: tuple[tuple[int, float, float, float, float, float], ...]
    """Total visits; share of the next draw by the formula at the expected counts; share of all visits: expected, drawn
    in the experiment, drawn by the engine; standard error of the engine's share.
    """
    runs: int

    def tables(self) -> Sequence[ResultTable]:
        first = ResultTable(
            f"One good child (Q = {GOOD:g}) and one bad one (Q = {BAD:g}), C = {EXPLORATION}: share of the next draw",
            (Column("good", ","), Column("bad", ","), Column("share of the good child", ".2%")),
            self.claimed,
        )
        columns = ("next draw", "all visits, expected", "all visits, simulated", "all visits, engine", "+-")
        second = ResultTable(
            f"Shares of the good child as the counts grow from 1 and 1, means of {self.runs} runs",
            (Column("visits", ","), *(Column(name, ".2%") for name in columns)),
            self.grown,
        )
        return first, second

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        visits = [row[0] for row in self.grown]
        axes.plot(visits, [row[1] for row in self.grown], label="next draw, formula")
        axes.plot(visits, [row[2] for row in self.grown], label="all visits, expected", linestyle="--")
        axes.plot(visits, [row[3] for row in self.grown], label="all visits, simulated", marker="o", linestyle="")
        engine, errors = [row[4] for row in self.grown], [row[5] for row in self.grown]
        axes.errorbar(visits, engine, errors, label="all visits, engine", marker="x", linestyle="")
        for good, bad, value in self.claimed:
            axes.plot([good + bad], [value], marker="s", color="C0")
            axes.annotate(
                f"{good} and {bad}: {value:.1%}", (good + bad, value), xytext=(4, 4), textcoords="offset points"
            )
        axes.set_xscale("log")
        axes.set_xlabel("visits of the two children")
        axes.set_ylabel("share of the good child")
        axes.set_title(f"Sampled UCB1, C = {EXPLORATION}")
        axes.legend()


def run(*, seed: int = 0, simulations: int = 10_000, runs: int = 50) -> Sampled:
    """Runs the experiment. ``simulations`` is the number of draws of a run; ``runs`` is the number of runs, each with
    its seed.
    """
    totals = [total for power in range(1, 9) for total in (10**power, 3 * 10**power) if total < simulations]
    totals = [2, *totals, simulations]
    expected = _expected(totals)
    drawn = [_drawn(random.Random(seed * 1_000_003 + number), totals) for number in counted("draws", range(runs))]
    engine = _engine(seed, runs, totals)
    grown = []
    for place, total in enumerate(totals):
        mean = sum(one[place] for one in drawn) / runs
        seen, error = engine[place]
        grown.append((total, share(*expected[place]), expected[place][0] / total, mean, seen, error))
    return Sampled(tuple((good, bad, share(good, bad)) for good, bad in CLAIMED), tuple(grown), runs)


def _expected(totals: Sequence[int]) -> list[tuple[float, float]]:
    """Returns the mean counts, to which each draw adds its probabilities."""
    good, bad, found = 1.0, 1.0, []
    for total in range(2, totals[-1] + 1):
        if total in totals:
            found.append((good, bad))
        p = share(good, bad)
        good, bad = good + p, bad + 1 - p
    return found


def _drawn(rng: random.Random, totals: Sequence[int]) -> list[float]:
    """Returns the good child's share of all visits in one run of draws."""
    good, bad, found = 1, 1, []
    for total in range(2, totals[-1] + 1):
        if total in totals:
            found.append(good / total)
        if rng.random() < share(good, bad):
            good += 1
        else:
            bad += 1
    return found


def _engine(seed: int, runs: int, totals: Sequence[int]) -> list[tuple[float, float]]:
    """Returns that share in the engine's search, as mean and standard error.

    The engine's values are in [-1, 1]; sampled UCB1 maps them to (1 + Q) / 2.
    """
    bandit = Bandit((2 * GOOD - 1, 2 * BAD - 1))
    shares: list[list[float]] = [[] for _ in totals]
    for number in counted("searches", range(runs)):
        config = plain(seed=seed * 1_000_003 + number, tree_policy="ucb1-sampled", exploration=EXPLORATION)
        for place, (good, bad) in enumerate(engine_counts(bandit, config, totals)):
            shares[place].append(good / (good + bad))
    return [mean_and_error(one) for one in shares]
