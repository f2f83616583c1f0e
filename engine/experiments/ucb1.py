"""UCB1 worked out for two children, by the logarithm to base 10 and by the natural one.

UCB1 (Auer, Cesa-Bianchi and Fischer 2002; for trees, Kocsis and Szepesvari 2006) takes the child with the greatest W(a)
/ n(a) + C sqrt(ln N / n(a)), where W(a) is the sum of its results, n(a) its visits and N the visits of the parent. A
child without visits scores infinity, so each is tried once. The base of the logarithm is a factor of C: C = 2 with base
10 equals C = 2 / sqrt(ln 10) = 1.318 with base e.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playout.engine.experiments.base.bandit import Bandit, engine_counts
from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable
from playout.engine.experiments.base.plain import plain
from playout.engine.experiments.base.worked_example import EXPLORATION, TEN_AND_TWENTY, THREE_VISITS, Child, trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"simulations": 1000}
ARMS = (0.3, 0.1)
"""Payoffs of the two arms in the engine's search."""


def ucb1(total: float, visits: int, parent: int, exploration: float, log: Callable[[float], float] = math.log) -> float:
    """Score of a child with ``visits`` visits whose results sum to ``total``; infinity without visits."""
    if visits == 0:
        return math.inf
    return total / visits + exploration * math.sqrt(log(parent) / visits)


def formula_counts(values: Sequence[float], exploration: float, first: Sequence[int], total: int) -> list[int]:
    """Returns the visits of arms with constant ``values`` after ``total`` steps of UCB1; untried arms in the order
    ``first``.
    """
    counts = [0] * len(values)
    for step in range(total):
        if step < len(values):
            arm = first[step]
        else:
            scores = [ucb1(value * n, n, step, exploration) for value, n in zip(values, counts, strict=True)]
            arm = scores.index(max(scores))
        counts[arm] += 1
    return counts


@dataclass(frozen=True, slots=True)
class Ucb1(ExperimentResult):
    """Scores of the example, and how often the formula and the engine draw each arm of a bandit."""

    exploration: float
    scores: tuple[tuple[str, float, int, float, float], ...]
    """Child, sum of its results, visits, score with log10, score with ln."""
    trees: tuple[tuple[str, tuple[Child, ...]], ...]
    """Results of the children, and the root's children in the engine's tree after each simulation."""
    arms: tuple[tuple[int, int, int, int, int], ...]
    """Simulations; visits of the better and the worse arm by the formula, then in the engine."""

    def tables(self) -> Sequence[ResultTable]:
        chosen: list[tuple[str, str, int, str, str, float, float]] = []
        seen = [row for row in self.scores if row[2]]
        for child, total, visits, ten, natural in self.scores:
            sums = [f"{total:g}/{visits} + {self.exploration:g} sqrt({log} 3 / {visits})" for log in ("log", "ln")]
            if not visits:
                sums = ["not seen"] * 2
            best = " <" if visits and ten == max(row[3] for row in seen) else ""
            chosen.append((child, f"{total:g}", visits, sums[0] + best, sums[1] + best, ten, natural))
        names = Column("child"), Column("results"), Column("visits"), Column("base 10"), Column("base e")
        example = ResultTable(
            f"UCB1, C = {self.exploration:g}, three visits of the parent",
            (*names, Column("score (log10)", ".2f"), Column("score (ln)", ".2f")),
            tuple(chosen),
        )
        columns = ("simulations", "better, formula", "better, engine", "worse, formula", "worse, engine")
        rows = tuple((n, good, engine_good, bad, engine_bad) for n, good, bad, engine_good, engine_bad in self.arms)
        title = f"Visits of two arms that pay {ARMS[0]} and {ARMS[1]}, C = 1, ln: the formula step by step, the engine"
        bandit = ResultTable(title, tuple(Column(name, ",") for name in columns), rows)
        return example, *(self._tree(*tree) for tree in self.trees), bandit

    def _tree(self, returned: str, tree: Sequence[Child]) -> ResultTable:
        sums = [
            f"{one.total:.0f}/{one.visits} + {self.exploration:g} sqrt(log {one.simulations} / {one.visits})"
            for one in tree
        ]
        return ResultTable(
            f"The engine's tree, C = {self.exploration:g}, base 10: {returned}",
            (Column("N"), Column("child"), Column("U"), Column("", ".2f"), Column("next")),
            tuple(
                (one.simulations, "xy"[one.child], text, one.score, "<" if one.taken else "")
                for one, text in zip(tree, sums, strict=True)
            ),
        )

    def notes(self) -> Sequence[str]:
        return (
            "< marks the child that is taken once both have visits; a child without visits is taken first.",
            "N, visits and results of the second and the third table are those of the engine's root and its children.",
        )

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        parents = [3 * 2**step for step in range(12)]
        for label, log, total, visits in (
            ("20/2, base 10", math.log10, 20.0, 2),
            ("10/1, base 10", math.log10, 10.0, 1),
            ("20/2, base e", math.log, 20.0, 2),
            ("10/1, base e", math.log, 10.0, 1),
        ):
            scores = [ucb1(total, visits, parent, self.exploration, log) for parent in parents]
            axes.plot(
                parents, scores, label=label, linestyle="-" if log is math.log else "--", marker="o", markersize=3
            )
        axes.set_xscale("log")
        axes.set_xlabel("visits of the parent")
        axes.set_ylabel("score")
        axes.set_title("A child that is left alone: its score grows until it is taken")
        axes.legend()


def run(*, seed: int = 0, simulations: int = 10_000) -> Ucb1:
    """Runs the experiment. ``simulations`` is the number for the engine's search of the bandit."""
    children = ("two visits", 20.0, 2), ("one visit", 10.0, 1), ("not seen", 0.0, 0)
    exploration = EXPLORATION
    scores = tuple(
        (name, total, n, ucb1(total, n, 3, exploration, math.log10), ucb1(total, n, 3, exploration))
        for name, total, n in children
    )
    totals = [total for total in (10**power for power in range(1, 9)) if total < simulations] + [simulations]
    bandit = Bandit(ARMS)
    first, *engine = engine_counts(bandit, plain(seed=seed), [1, *totals])
    order = (0, 1) if first[0] else (1, 0)
    arms = [
        (total, *formula_counts(ARMS, 1.0, order, total), *seen) for total, seen in zip(totals, engine, strict=True)
    ]
    trees = (
        ("x returns 10, then 10; y returns 10, then 20", tuple(trace(THREE_VISITS, 4))),
        ("x returns 10, then 20; y returns 5", tuple(trace(TEN_AND_TWENTY, 4))),
    )
    return Ucb1(exploration, scores, trees, tuple((total, a, b, c, d) for total, a, b, c, d in arms))
