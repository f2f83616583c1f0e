"""Transformations of the leaf values that leave the decision unchanged, without chance and with it.

A minimax value is the value of a leaf, and which leaf depends only on the order of the values: f(max(x, y)) = max(f(x),
f(y)) for every increasing f. A chance node takes a mean, and f(mean) = mean(f) for all mixtures only if f is affine. So
the decisions of expectiminimax are preserved only up to a scale and a shift (von Neumann and Morgenstern 1944; Russell
and Norvig, Artificial Intelligence, on games of chance). Evaluations of games with dice must be proportional to the
expected result; evaluations of games without dice need only the right order.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playout.engine.experiments.base.backgammon_lines import PlayValues, random_lines
from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"games": 200, "runs": 20}
BRANCHING, DEPTH = 3, 4
MINIMAX = ("max", "min", "max", "min")
EXPECTIMINIMAX = ("max", "chance", "min", "chance")

Kind = Literal["positive affine", "increasing", "decreasing"]
Values = list[float]
Transformation = Callable[[Values], Values]
Share = tuple[str, Kind, float, float, float | None, float | None]
"""Name and kind; shares of unchanged decisions: in trees by minimax and by expectiminimax, and in backgammon by the
positions after the play and by the replies to each roll after it (not measured for decreasing ones).
"""


def _each(function: Callable[[float], float]) -> Transformation:
    return lambda values: [function(value) for value in values]


def rank(values: Values) -> Values:
    """Returns each value's rank among all."""
    places = {value: float(place) for place, value in enumerate(sorted(set(values)))}
    return [places[value] for value in values]


TRANSFORMATIONS: Mapping[str, tuple[Kind, Transformation]] = {
    "2 x + 1": ("positive affine", _each(lambda x: 2 * x + 1)),
    "x / 10 - 3": ("positive affine", _each(lambda x: x / 10 - 3)),
    "x^3": ("increasing", _each(lambda x: x**3)),
    "exp(2 x)": ("increasing", _each(lambda x: math.exp(2 * x))),
    "tanh(3 x)": ("increasing", _each(lambda x: math.tanh(3 * x))),
    "rank": ("increasing", rank),
    "-x": ("decreasing", _each(lambda x: -x)),
}
"""A transformation of all leaves of a tree."""


def decision(leaves: Values, levels: Sequence[str]) -> int:
    """Returns the root's best move in a tree of ``levels`` levels below the root, with ``BRANCHING`` children for each
    node.
    """
    values = leaves
    for level in reversed(levels[1:]):
        groups = [values[start : start + BRANCHING] for start in range(0, len(values), BRANCHING)]
        if level == "chance":
            values = [math.fsum(group) / BRANCHING for group in groups]
        else:
            values = [max(group) if level == "max" else min(group) for group in groups]
    return values.index(max(values))


@dataclass(frozen=True, slots=True)
class Example:
    """A backgammon position in which an increasing transformation changes the play."""

    position: str
    transformation: str
    play: str
    other: str
    loss: float
    """Loss of the other play, in H."""


@dataclass(frozen=True, slots=True)
class Order(ExperimentResult):
    """Number of decisions that each transformation left unchanged."""

    trees: int
    positions: int
    shares: tuple[Share, ...]
    examples: tuple[Example, ...]

    def tables(self) -> Sequence[ResultTable]:
        columns = "minimax", "expectiminimax", "backgammon, depth 1", "backgammon, depth 2"
        first = ResultTable(
            f"Decisions that a transformation of all leaves left unchanged: {self.trees} random trees of branching "
            f"{BRANCHING} and depth {DEPTH}, {self.positions} backgammon positions",
            (Column("leaf x becomes"), Column("kind"), *(Column(name, ".1%") for name in columns)),
            self.shares,
        )
        names = ("position and roll", "leaf x becomes", "play by H", "play by the other")
        second = ResultTable(
            "Backgammon plays that an increasing transformation changes at depth 2",
            (*map(Column, names), Column("lost, in H", ".4f")),
            tuple((one.position, one.transformation, one.play, one.other, one.loss) for one in self.examples),
        )
        return first, second

    def notes(self) -> Sequence[str]:
        return (
            "Depth 1: the best position after the play, no chance between. Depth 2: the mean over the 21 rolls of the "
            "best reply.",
        )

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        labels = "minimax, trees", "expectiminimax, trees", "backgammon, depth 1", "backgammon, depth 2"
        for place, label in enumerate(labels):
            heights = [(x, row[place + 2]) for x, row in enumerate(self.shares)]
            shown = [(x + 0.2 * (place - 1.5), 100 * float(height)) for x, height in heights if height is not None]
            axes.bar([x for x, _ in shown], [height for _, height in shown], 0.2, label=label)
        axes.set_xticks(range(len(self.shares)), [row[0] for row in self.shares])
        axes.set_ylabel("decisions unchanged, %")
        axes.set_title("Minimax depends on the order of the leaves, expectiminimax on their distances")
        axes.legend(loc="lower left")


def run(*, seed: int = 0, games: int = 2000, runs: int = 200) -> Order:
    """Runs the experiment. ``games`` is the number of random trees; ``runs`` is the number of backgammon positions."""
    rng = random.Random(seed)
    trees = [[rng.uniform(-1, 1) for _ in range(BRANCHING**DEPTH)] for _ in range(games)]
    positions = [random_lines(rng) for _ in range(runs)]
    shares, examples = list[Share](), list[Example]()
    for name, (kind, transformation) in counted("transformations", list(TRANSFORMATIONS.items())):
        minimax, chance = (_unchanged(trees, transformation, levels) for levels in (MINIMAX, EXPECTIMINIMAX))
        if kind == "decreasing":
            shares.append((name, kind, minimax, chance, None, None))
            continue
        shallow = _share([one.best(1) == one.transformed(transformation).best(1) for one in positions])
        changed = _changed(positions, name)
        shares.append((name, kind, minimax, chance, shallow, 1 - len(changed) / len(positions)))
        examples += changed[:2]
    return Order(games, runs, tuple(shares), tuple(examples))


def _changed(positions: Sequence[PlayValues], name: str) -> list[Example]:
    """Returns the positions where the play changes at depth 2, greatest loss first."""
    examples = []
    for one in positions:
        best, other = one.best(2), one.transformed(TRANSFORMATIONS[name][1]).best(2)
        if other != best:
            examples.append(Example(one.text, name, one.plays[best], one.plays[other], one.loss(other)))
    return sorted(examples, key=lambda example: -example.loss)


def _unchanged(trees: Sequence[Values], transformation: Transformation, levels: Sequence[str]) -> float:
    return _share([decision(leaves, levels) == decision(transformation(leaves), levels) for leaves in trees])


def _share(unchanged: Sequence[bool]) -> float:
    return sum(unchanged) / len(unchanged)
