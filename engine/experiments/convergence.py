"""The error against the exact value by simulations: for which tree policies it falls towards 0.

The error is |Q(root) - exact value|; the regret is the loss of the move that would be played, against the best move.
The solver is off, so that the policy itself has to converge. Each policy and seed is measured at several points of one
search; each seed has its own random tree. An error proportional to N^-1/2, or to a faster power, is a straight line on
the logarithmic axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.engine.experiments.base.exact import exact_values
from playout.engine.experiments.base.experiment import Cell, Column, ExperimentResult, ResultTable, Say, counted, silent
from playout.engine.experiments.base.plain import plain
from playout.engine.experiments.base.random_tree import RandomTree
from playout.engine.search.searcher import Searcher
from playout.engine.statistics.samples import mean_and_error
from playout.games import catalogue
from playout.games.errors import GameError
from playout.games.game import Game
from playout.games.nearest import suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK: Mapping[str, Any] = {"simulations": 3000, "runs": 3}
LEAST = 10
HASH_MIB = 256
COLOURS = (*(f"C{number}" for number in range(10)), "black", "gold")
ROUNDING = 1e-6
"""Errors up to this count as zero, because the engine's values are 32-bit floats."""
MOST_COLUMNS = 8
"""Counts of simulations shown in the printed table."""
GAMES: Mapping[str, Callable[[int], Game[Any, Any]]] = {
    "tic_tac_toe": lambda _: catalogue.load("tic_tac_toe"),
    "connect_four:4,rows=4": lambda _: catalogue.load("connect_four:4,rows=4"),
    "random-tree": lambda seed: RandomTree(branching=4, depth=4, seed=seed),
    "random-tree-deep": lambda seed: RandomTree(branching=4, depth=5, seed=seed),
    "random-tree-chance": lambda seed: RandomTree(branching=4, depth=4, seed=seed, chance=True),
}
"""The games by name; each maps a seed to a game."""
DICE = frozenset({"random-tree-chance"})


@dataclass(frozen=True, slots=True)
class Policy:
    """A tree policy and the theory's claim about it."""

    settings: Mapping[str, Any]
    why_not: str = ""
    """Reason why the root's value need not converge to the exact value; empty if it must."""
    chance: bool = True
    """Whether the policy is defined in games where dice decide the legal moves."""
    samples: bool = True
    """Whether it counts simulations. Minimax counts positions, and starts anew at each search."""

    @property
    def promised(self) -> str:
        """Whether theory promises convergence, as one word for a table."""
        return "no" if self.why_not else "yes"


POLICIES: Mapping[str, Policy] = {
    "ucb1": Policy({"tree_policy": "ucb1"}),
    "ucb1-tuned": Policy({"tree_policy": "ucb1-tuned"}),
    "thompson": Policy({"tree_policy": "thompson", "thompson_posterior": "beta"}),
    "thompson-gaussian": Policy({"tree_policy": "thompson", "thompson_posterior": "gaussian"}),
    "puct": Policy({"tree_policy": "puct"}),
    "ucb1+rave": Policy({"tree_policy": "ucb1", "rave": True}, chance=False),
    "rave": Policy(
        {"tree_policy": "rave"},
        "without a bonus a move that all-moves-as-first speaks against may never be visited again",
        chance=False,
    ),
    "epsilon-greedy": Policy(
        {"tree_policy": "epsilon-greedy", "greedy_epsilon": 0.1},
        "a constant epsilon visits wrong moves at every node for ever, which keeps the mean too low",
    ),
    "ucb1-sampled": Policy(
        {"tree_policy": "ucb1-sampled"},
        "every move keeps a share of the visits in proportion to its value",
    ),
    "flat": Policy({"tree_policy": "flat"}, "it values random play behind each move of the root"),
    "mc-eval": Policy(
        {"tree_policy": "mc-eval"}, "it values random play behind the best move of the root, without draws"
    ),
    "minimax": Policy({"tree_policy": "minimax", "search_depth": 100}, samples=False),
}


@dataclass(frozen=True, slots=True)
class Point:
    """Result of a policy after a number of simulations of a game: means over the seeds with their standard errors."""

    game: str
    policy: str
    simulations: int
    error: float
    error_se: float
    regret: float
    regret_se: float


@dataclass(frozen=True, slots=True)
class Convergence(ExperimentResult):
    """The errors of all policies in all games, by increasing numbers of simulations."""

    points: tuple[Point, ...]
    runs: int

    def tables(self) -> Sequence[ResultTable]:
        return [self._table(game) for game in dict.fromkeys(one.game for one in self.points)]

    def _table(self, game: str) -> ResultTable:
        counts = sorted({one.simulations for one in self.points if one.game == game})
        if len(counts) > MOST_COLUMNS:
            counts = [count for count in counts if count == counts[-1] or math.log10(count).is_integer()]
        rows: list[tuple[Cell, ...]] = []
        for policy in dict.fromkeys(one.policy for one in self.points if one.game == game):
            line = self.line(game, policy)
            last = line[-1]
            errors = [one.error for one in line if one.simulations in counts]
            rows.append((policy, POLICIES[policy].promised, *errors, last.error_se, slope(line), last.regret))
        columns = (
            Column("policy"),
            Column("promised"),
            *(Column(f"{count:,}", ".4f") for count in counts),
            Column("+-", ".4f"),
            Column("slope", ".2f"),
            Column("regret", ".4f"),
        )
        return ResultTable(f"{game}: |Q - exact| after N simulations, means of {self.runs} runs", columns, tuple(rows))

    def line(self, game: str, policy: str) -> list[Point]:
        """Returns the points of one policy in one game."""
        return [one for one in self.points if (one.game, one.policy) == (game, policy)]

    def records(self) -> Sequence[ResultTable]:
        names = ("game", "policy", "simulations", "error", "error_se", "regret", "regret_se")
        rows = tuple(tuple(getattr(one, name) for name in names) for one in self.points)
        return (ResultTable("convergence", tuple(map(Column, names)), rows),)

    def notes(self) -> Sequence[str]:
        policies = dict.fromkeys(one.policy for one in self.points)
        reasons = [f"{one}: not promised, {POLICIES[one].why_not}." for one in policies if POLICIES[one].why_not]
        return (
            *reasons,
            "+-: standard error of the error, after the most simulations. slope: of log error by log "
            "simulations over the last decade; -0.5 is 1/sqrt(N), -1 is 1/N. minimax counts positions.",
        )

    def plot(self, figure: Figure) -> None:
        games = list(dict.fromkeys(one.game for one in self.points))
        columns = min(2, len(games))
        axes = figure.subplots(math.ceil(len(games) / columns), columns, squeeze=False)
        figure.set_size_inches(5 * columns, 1 + 3.5 * len(axes))
        policies = list(dict.fromkeys(one.policy for one in self.points))
        for place, game in enumerate(games):
            axis = axes[place // columns][place % columns]
            for number, policy in enumerate(policies):
                # An error of 0, or of rounding only, has no place on a logarithmic axis.
                line = [one for one in self.line(game, policy) if one.error > ROUNDING]
                axis.plot(
                    [one.simulations for one in line],
                    [one.error for one in line],
                    label=policy,
                    color=COLOURS[number % len(COLOURS)],
                    linestyle="--" if POLICIES[policy].why_not else "-",
                )
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_ylim(3e-4, 1)
            axis.minorticks_off()
            axis.set_title(game)
            axis.set_xlabel("simulations")
            axis.set_ylabel("|Q - exact|")
        for empty in axes.flat[len(games) :]:
            empty.set_axis_off()
        figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=5)


def slope(line: Sequence[Point]) -> float | None:
    """Returns the slope of log error by log simulations: least squares over the last decade of simulations."""
    seen = [
        (math.log(one.simulations), math.log(one.error))
        for one in line
        if one.error > ROUNDING and one.simulations >= line[-1].simulations / 10
    ]
    if len(seen) < 2:
        return None
    x, y = (math.fsum(one[axis] for one in seen) / len(seen) for axis in (0, 1))
    return math.fsum((a - x) * (b - y) for a, b in seen) / math.fsum((a - x) ** 2 for a, _ in seen)


def run(
    *,
    seed: int = 0,
    game: Sequence[str] = tuple(GAMES),
    policy: Sequence[str] = tuple(POLICIES),
    simulations: int = 30_000,
    runs: int = 10,
    say: Say = silent,
) -> Convergence:
    """Runs the experiment. ``simulations`` is the largest count of a search; ``runs`` is the number of searches for
    each policy and game, each with its own seed.

    Raises:
        GameError: for a game or a policy that is not in this experiment.
    """
    for wanted, known, kind in (game, GAMES, "game"), (policy, POLICIES, "policy"):
        for name in wanted:
            if name not in known:
                raise GameError(f"no {kind} {name!r} in this experiment{suggestion(name, known)}")
    counts = [count for power in range(1, 10) for count in (10**power, 3 * 10**power) if LEAST <= count < simulations]
    counts.append(simulations)
    points = []
    for name in game:
        played = [GAMES[name](seed * 1000 + number) for number in range(runs)]
        exact = [exact_values(one) for one in played]
        for one in policy:
            if name in DICE and not POLICIES[one].chance:
                continue
            searches = [
                _search(made, values, one, counts, seed * 1000 + number)
                for number, (made, values) in enumerate(counted(f"{name} {one}", list(zip(played, exact, strict=True))))
            ]
            for place, count in enumerate(counts):
                error = mean_and_error([search[place][0] for search in searches])
                regret = mean_and_error([search[place][1] for search in searches])
                points.append(Point(name, one, count, *error, *regret))
            say(f"{name} {one}: error {points[-1].error:.4f} +- {points[-1].error_se:.4f} after {simulations:,}")
    return Convergence(tuple(points), runs)


def _search(
    game: Game[Any, Any], exact: Mapping[str, float], policy: str, counts: Sequence[int], seed: int
) -> list[tuple[float, float]]:
    """Returns error and regret after each of ``counts`` simulations of one search."""
    searcher = Searcher(game, plain(seed=seed, hash_mib=HASH_MIB, **POLICIES[policy].settings))
    searcher.set_position(None, [])
    best, done, found = max(exact.values()), 0, []
    for count in counts:
        searcher.prepare()
        result = searcher.run(nodes=count - done, interval=3600.0)
        done = count if POLICIES[policy].samples else 0
        if result.fault is not None:
            raise GameError(f"{game.name}, {policy}: {result.fault}")
        # A minimax search that has not yet visited every move has no best move; any move counts as equal.
        moves = exact if result.move is None else [result.move]
        regret = best - math.fsum(exact[move] for move in moves) / len(moves)
        found.append((abs(result.info.value - best), regret))
    return found
