"""Two cuts of the tree: of its depth by v(s), of its breadth by sampling from p(a|s).

A full search of branching b and depth d sees b^d leaves. A value function v(s), near the value of s, may stand for the
tree below a position, and a policy p(a|s), which prefers good actions, for those that it does not draw (Silver et al.,
Mastering the game of Go with deep neural networks and tree search, 2016). Here both are made from the exact values with
normal noise. The depth cut searches all lines to depth d and asks v there. The breadth cut draws m actions of each
position without replacement and searches those to the end: from p, a softmax of the noisy values; from the uniform
distribution; or the m of greatest p, without chance. Both cuts together do what a program does.

The search pays for a cut with regret, the loss of the chosen root action in exact values.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.experiments.base.judged_tree import JudgedTree
from playout.engine.experiments.base.plain import plain
from playout.engine.experiments.base.random_tree import Node
from playout.engine.search.searcher import Searcher
from playout.engine.statistics.samples import mean_and_error
from playout.games.errors import GameError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"games": 10}
BRANCHING, DEPTH = 5, 5
NOISES = 0.0, 0.1, 0.2, 0.4
"""Standard deviations of v(s); values are in [-1, 1]."""
SIMULATIONS = 200
"""Number of the engine's simulations."""
BOTH = (5, 5), (4, 4), (4, 3), (3, 3), (2, 3), (2, 2)
"""Depth and number of actions where both cuts are made."""

Choice = Callable[[JudgedTree, Node, int, random.Random], Sequence[int]]
"""Chooses a number of actions of a position."""


def drawn(tree: JudgedTree, state: Node, number: int, rng: random.Random) -> Sequence[int]:
    """Returns a sample from p(a|s) without replacement."""
    # The greatest of logit plus Gumbel noise are such a sample.
    actions = tree.legal_actions(state)
    logits = [value - math.log(-math.log(rng.random())) for value in tree.action_values(state, actions)]
    return sorted(actions, key=lambda action: -logits[action])[:number]


def uniform(tree: JudgedTree, state: Node, number: int, rng: random.Random) -> Sequence[int]:
    """Returns any actions."""
    return rng.sample(tree.legal_actions(state), number)


def greatest(tree: JudgedTree, state: Node, number: int, _: random.Random) -> Sequence[int]:
    """Returns those of greatest p(a|s)."""
    actions = tree.legal_actions(state)
    values = tree.action_values(state, actions)
    return sorted(actions, key=lambda action: -values[action])[:number]


CHOICES: Mapping[str, Choice] = {"sample of p": drawn, "uniform sample": uniform, "greatest p": greatest}
ENGINE: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "depth: v(s) for the playout": {"leaf_evaluation": "static"},
    "breadth: the 3 of greatest p": {"expansion_order": "preference", "widening": 3.0, "widening_exponent": 0.0},
    "breadth: 3 drawn from p": {"sampled_actions": 3},
    "both": {
        "leaf_evaluation": "static",
        "expansion_order": "preference",
        "widening": 3.0,
        "widening_exponent": 0.0,
    },
}


def decision(tree: JudgedTree, depth: int, noise: float, number: int, choice: Choice, rng: random.Random) -> int:
    """Returns the root's action by minimax to ``depth`` over ``number`` chosen actions of each position."""

    def value(state: Node) -> float:
        if state[0] == tree.depth:
            return tree.exact[state[0]][state[1]]
        if state[0] == depth:
            return tree.estimate(state, noise)
        values = [value(tree.next_state(state, action)) for action in choice(tree, state, number, rng)]
        return max(values) if tree.current_player(state) == 0 else min(values)

    root = tree.initial_state()
    return max(choice(tree, root, number, rng), key=lambda action: value(tree.next_state(root, action)))


def regret(tree: JudgedTree, action: int) -> float:
    """Returns the loss of a root action against the best one."""
    return tree.exact[0][0] - tree.exact[1][action]


@dataclass(frozen=True, slots=True)
class Cuts(ExperimentResult):
    """Mean regrets, with the standard error of the last column where there is one."""

    trees: int
    any_action: float
    """Mean regret of an action chosen at random."""
    depths: tuple[tuple[int, tuple[float, ...]], ...]
    """Depth; regret for each noise of v(s)."""
    breadths: tuple[tuple[int, tuple[float, ...]], ...]
    """Number of actions; regret for each choice."""
    both: tuple[tuple[int, int, float, float], ...]
    """Depth, number of actions, regret and its standard error."""
    engine: tuple[tuple[str, float, float], ...]
    """Configuration of the engine, regret and its standard error."""

    def tables(self) -> Sequence[ResultTable]:
        trees = f"{self.trees} random trees of branching {BRANCHING} and depth {DEPTH}"
        regrets = [Column(f"noise {noise:g}" if noise else "v(s) exact", ".4f") for noise in NOISES]
        both = [
            (f"{depth} plies, {number} actions", number**depth, mean, error) for depth, number, mean, error in self.both
        ]
        return (
            ResultTable(
                f"Cut of the depth: regret in {trees}; of any action {self.any_action:.4f}",
                (Column("depth"), Column("leaves", ","), *regrets),
                tuple((depth, BRANCHING**depth, *means) for depth, means in self.depths),
            ),
            ResultTable(
                f"Cut of the breadth: regret in {trees}",
                (Column("actions"), Column("leaves", ","), *(Column(name, ".4f") for name in CHOICES)),
                tuple((number, number**DEPTH, *means) for number, means in self.breadths),
            ),
            ResultTable(
                "Both cuts: v(s) with noise 0.1, samples of p",
                (Column("search"), Column("leaves", ","), Column("regret", ".4f"), Column("+-", ".4f")),
                tuple(both),
            ),
            ResultTable(
                f"The engine's search of these trees, UCB1, {SIMULATIONS} simulations",
                (Column("search"), Column("regret", ".4f"), Column("+-", ".4f")),
                self.engine,
            ),
        )

    def notes(self) -> Sequence[str]:
        return ("p: softmax at temperature 0.1 of the exact values with noise 0.1. leaves: visited at most.",)

    def plot(self, figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        for place, noise in enumerate(NOISES):
            left.plot(
                [BRANCHING**depth for depth, _ in self.depths],
                [means[place] for _, means in self.depths],
                marker="o",
                label=f"noise {noise:g}",
            )
        for place, name in enumerate(CHOICES):
            right.plot(
                [number**DEPTH for number, _ in self.breadths],
                [means[place] for _, means in self.breadths],
                marker="o",
                label=name,
            )
        for axes, title in (left, "the depth, by v(s)"), (right, "the breadth, by p(a|s)"):
            axes.axhline(self.any_action, color="black", linestyle=":")
            axes.set_xscale("log")
            axes.set_xlabel("leaves")
            axes.set_title(f"Cut of {title}")
            axes.legend()
        left.set_ylabel("regret")


def run(*, seed: int = 0, games: int = 100) -> Cuts:
    """Runs the experiment. ``games`` is the number of random trees."""
    trees = [JudgedTree(BRANCHING, DEPTH, seed * 10_007 + number) for number in range(games)]

    def losses(depth: int, noise: float, number: int, choice: Choice) -> list[float]:
        return [regret(tree, decision(tree, depth, noise, number, choice, random.Random(tree.seed))) for tree in trees]

    def mean(values: Sequence[float]) -> float:
        return mean_and_error(values)[0]

    return Cuts(
        trees=games,
        any_action=mean([regret(tree, action) for tree in trees for action in range(BRANCHING)]),
        depths=tuple(
            (depth, tuple(mean(losses(depth, noise, BRANCHING, greatest)) for noise in NOISES))
            for depth in counted("depths", range(1, DEPTH + 1))
        ),
        breadths=tuple(
            (number, tuple(mean(losses(DEPTH, 0.0, number, choice)) for choice in CHOICES.values()))
            for number in counted("breadths", range(1, BRANCHING + 1))
        ),
        both=tuple(
            (depth, number, *mean_and_error(losses(depth, 0.1, number, drawn)))
            for depth, number in counted("both", BOTH)
        ),
        engine=tuple(
            (name, *mean_and_error([regret(tree, _engine(tree, settings)) for tree in trees]))
            for name, settings in counted("the engine", list(ENGINE.items()))
        ),
    )


def _engine(tree: JudgedTree, settings: Mapping[str, Any]) -> int:
    """Returns the engine's choice."""
    searcher = Searcher(tree, plain(seed=tree.seed, **settings))
    searcher.set_position(None, [])
    searcher.prepare()
    result = searcher.run(nodes=SIMULATIONS, interval=3600.0)
    if result.move is None:
        raise GameError(f"{tree.name}: {result.fault or result.reason}")
    return int(result.move)
