"""Savings from merging positions, and the pitfall of using a shared node's count in place of the edge's.

A position that several orders of moves reach can be one node, and so can symmetry images; a proof then needs fewer
simulations. In such a graph an edge's visits n(s, a) and the child's own visits N(s') differ. Exploration must use the
edge's visits, and the value of the parent must weight its children by them: Q(s) is the mean over this parent's own
choices, about which the choices of other parents say nothing (Saffidine, Cazenave and Mehat 2012; KataGo's document on
graph search by Wu). If the shared child's count is used instead, a reply that other parents visited often lowers the
value of a position in which it is not the best choice, and counts as explored where it is not.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.experiments.base.plain import plain
from playout.engine.experiments.base.shared_counts import BEST, SAFE, Crossroads, Rule, engine_choice, search
from playout.engine.search.searcher import Searcher
from playout.games.errors import GameError
from playout.games.tic_tac_toe import TicTacToe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"simulations": 3000, "runs": 5}
MODES = {"tree": (False, False), "graph": (True, False), "graph with symmetries": (True, True)}
"""The settings (transpositions, symmetries) by name."""
PROVED_BY = 10_000_000
"""More simulations than any proof of tic-tac-toe needs."""
STYLES = {"node": "-", "edge": "-", "engine": "--"}
RULES: tuple[Rule, ...] = ("node", "edge")


@dataclass(frozen=True, slots=True)
class Choice:
    """State of a search of the crossroads after some simulations."""

    simulations: int
    rule: str
    """The counts it uses: ``node``, ``edge``, or ``engine`` for the engine's search."""
    move: str
    """The most visited move."""
    best_visits: float
    """Share of the visits that the best move has."""
    best_value: float
    """Value that the search gives to the best move; its true value is ``BEST``."""


@dataclass(frozen=True, slots=True)
class Merging(ExperimentResult):
    """Simulations to a proof, and the pitfall of shared counts."""

    proofs: tuple[tuple[str, tuple[int, ...]], ...]
    """For each mode, the simulations that prove tic-tac-toe a draw, by seed."""
    choices: tuple[Choice, ...]

    def tables(self) -> Sequence[ResultTable]:
        medians = {mode: statistics.median(counts) for mode, counts in self.proofs}
        first = ResultTable(
            f"Simulations to prove that tic-tac-toe is a draw, {len(self.proofs[0][1])} seeds",
            (
                Column("search"),
                Column("median", ",.0f"),
                Column("least", ","),
                Column("most", ","),
                Column("tree / this", ".1f"),
            ),
            tuple(
                (mode, medians[mode], min(counts), max(counts), medians["tree"] / medians[mode])
                for mode, counts in self.proofs
            ),
        )
        second = ResultTable(
            f"A shared reply worth 0 under the best move (worth {BEST}) and {Crossroads().others} others; "
            f"a safe move is worth {SAFE}",
            (
                Column("simulations", ","),
                Column("counts"),
                Column("move"),
                Column("visits of the best move", ".1%"),
                Column("its value", ".3f"),
            ),
            tuple((one.simulations, one.rule, one.move, one.best_visits, one.best_value) for one in self.choices),
        )
        return first, second

    def notes(self) -> Sequence[str]:
        return ("node: the shared child's count stands for the edge's. edge: each edge counts its own visits.",)

    def plot(self, figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        left.bar(
            [mode.replace(" with ", "\nwith ") for mode, _ in self.proofs],
            [statistics.median(c) for _, c in self.proofs],
        )
        left.set_yscale("log")
        left.set_ylabel("simulations, median")
        left.set_title("To prove tic-tac-toe")
        for rule in dict.fromkeys(one.rule for one in self.choices):
            seen = [one for one in self.choices if one.rule == rule]
            right.plot(
                [one.simulations for one in seen],
                [one.best_value for one in seen],
                marker="o",
                label=rule,
                linestyle=STYLES[rule],
            )
        right.axhline(BEST, color="black", linestyle=":", label="exact")
        right.axhline(SAFE, color="grey", linestyle="--", label="the safe move")
        right.set_xscale("log")
        right.set_xlabel("simulations")
        right.set_ylabel("value of the best move")
        right.set_title("Whose counts")
        right.legend()


def run(*, seed: int = 0, simulations: int = 30_000, runs: int = 21) -> Merging:
    """Runs the experiment. ``simulations`` is the largest count of the searches that show the pitfall; ``runs`` is the
    number of proofs of each kind.
    """
    proofs = tuple(
        (mode, tuple(proof(transpositions, symmetries, seed * 1000 + number) for number in counted(mode, range(runs))))
        for mode, (transpositions, symmetries) in MODES.items()
    )
    game = Crossroads()
    totals = [total for power in range(2, 9) for total in (10**power, 3 * 10**power) if total < simulations]
    choices = []
    for total in counted("simulations", [*totals, simulations]):
        for rule in RULES:
            counts, values = search(game, rule, total, seed)
            choices.append(_choice(total, rule, counts, values[0]))
        counts, value = engine_choice(game, total, seed)
        choices.append(_choice(total, "engine", counts, value))
    return Merging(proofs, tuple(choices))


def _choice(simulations: int, rule: str, counts: Sequence[int], value: float) -> Choice:
    most = counts.index(max(counts))
    return Choice(simulations, rule, ("best", "safe")[most] if most < 2 else "other", counts[0] / sum(counts), value)


def proof(transpositions: bool, symmetries: bool, seed: int) -> int:
    """Returns the number of simulations after which tic-tac-toe is proven a draw."""
    game = TicTacToe()
    config = plain(seed=seed, hash_mib=512, solver=True, transpositions=transpositions, symmetries=symmetries)
    searcher = Searcher(game, config)
    searcher.set_position(None, [])
    searcher.prepare()
    result = searcher.run(nodes=PROVED_BY, interval=3600.0)
    if result.reason != "proven":
        raise GameError(f"no proof of {game.name} after {PROVED_BY} simulations: {result.reason}")
    return result.info.simulations
