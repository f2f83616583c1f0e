"""With C = 0 a search stays with its first lucky move; with C > 0 it comes back to the others.

There are two doors; behind the better one 6 of 10 boxes win, behind the worse one 4. Each visit opens a box at random.
In some runs the first visits mislead: the better door loses and the worse one wins. Without exploration the better door
then has the least possible mean, -1, and the worse one, which has won once, a greater one for ever: the search never
comes back. UCB1's bonus of a door left alone grows with ln N, so the search comes back once C sqrt(ln N) outweighs the
difference of the means: after about exp((difference / C)^2) simulations (Auer, Cesa-Bianchi and Fischer 2002).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.experiments.base.plain import plain
from playout.engine.search.searcher import Searcher

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"simulations": 300, "runs": 40}
CONSTANTS = (0.0, 0.2, 0.4, 0.7, 1.0, 2.0)
BOXES = 10
WINNING = (6, 4)
"""Number of winning boxes behind each door."""
BETTER, WORSE = 0, 1
ROOT = (-1, -1)


@dataclass(frozen=True)
class Doors:
    """Player 0 chooses a door, then a box. A state is (door, box), -1 for what is not chosen yet."""

    @property
    def name(self) -> str:
        return "doors"

    def initial_state(self) -> tuple[int, int]:
        return ROOT

    def current_player(self, state: tuple[int, int]) -> int:
        return 0

    def legal_actions(self, state: tuple[int, int]) -> Sequence[int]:
        if state == ROOT:
            return range(len(WINNING))
        return range(BOXES) if state[1] < 0 else ()

    def next_state(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return (action, -1) if state == ROOT else (state[0], action)

    def returns(self, state: tuple[int, int]) -> tuple[float, float] | None:
        if state[1] < 0:
            return None
        value = 1.0 if state[1] < WINNING[state[0]] else -1.0
        return value, -value

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state


@dataclass(frozen=True, slots=True)
class Line:
    """The misled runs with one exploration constant."""

    exploration: float
    misled: int
    """Number of runs in which the better door lost at first and the worse one won."""
    returned: int
    """Number of those that visited the better door again."""
    shares: tuple[float, ...]
    """Mean share of the visits that the better door has, after each number of simulations."""
    right: int
    """Number of those that play the better door in the end."""

    @property
    def expected_return(self) -> float:
        """Simulations after which the bonus outweighs the difference of the means; infinite without a bonus."""
        mean = 2 * WINNING[WORSE] / BOXES - 1
        power = ((mean + 1) / self.exploration) ** 2 if self.exploration else math.inf
        return math.exp(power) if power < 700 else math.inf


@dataclass(frozen=True, slots=True)
class Commitment(ExperimentResult):
    """The misled runs by exploration constant."""

    runs: int
    counts: tuple[int, ...]
    lines: tuple[Line, ...]

    def tables(self) -> Sequence[ResultTable]:
        return (
            ResultTable(
                f"Two doors, {WINNING[BETTER]} and {WINNING[WORSE]} of {BOXES} boxes win; of {self.runs} runs those "
                "whose first visits mislead: visits of the better door",
                (
                    Column("C", "g"),
                    Column("misled runs"),
                    Column("came back"),
                    Column("expected at N", ",.3g"),
                    *(Column(f"N = {count:,}", ".1%") for count in self.counts),
                    Column("play it", ".1%"),
                ),
                tuple(
                    (
                        one.exploration,
                        one.misled,
                        one.returned,
                        one.expected_return,
                        *one.shares,
                        one.right / max(1, one.misled),
                    )
                    for one in self.lines
                ),
            ),
        )

    def notes(self) -> Sequence[str]:
        return ("came back: runs that visited it again. expected at N: exp((1 - 0.2)^2 / C^2). play it: at the end.",)

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        for one in self.lines:
            axes.plot(self.counts, [100 * share for share in one.shares], marker="o", label=f"C = {one.exploration:g}")
        axes.set_xscale("log")
        axes.set_xlabel("simulations")
        axes.set_ylabel("visits of the better door, %")
        axes.set_title("After a misleading start")
        axes.legend()


def run(*, seed: int = 0, simulations: int = 3000, runs: int = 300) -> Commitment:
    """Runs the experiment. ``simulations`` is the largest count of a search; ``runs`` is the number of runs for each
    constant, of which about one in six is misled.
    """
    counts = [count for power in range(1, 9) for count in (10**power, 3 * 10**power) if count < simulations]
    counts.append(simulations)
    return Commitment(
        runs, tuple(counts), tuple(_line(exploration, counts, seed * 100_003, runs) for exploration in CONSTANTS)
    )


def _line(exploration: float, counts: Sequence[int], seed: int, runs: int) -> Line:
    part = f"C = {exploration:g}"
    misled = [
        visits for number in counted(part, range(runs)) if (visits := _search(exploration, counts, seed + number))
    ]
    shares = [sum(visits[place] for visits in misled) / len(misled) / count for place, count in enumerate(counts)]
    right = sum(2 * visits[-1] > counts[-1] for visits in misled)
    return Line(exploration, len(misled), sum(visits[-1] > 1 for visits in misled), tuple(shares), right)


def _search(exploration: float, counts: Sequence[int], seed: int) -> list[int]:
    """Returns the better door's visits after each number of simulations; empty if the first visits do not mislead."""
    # A door gets no children: each visit is a playout behind it.
    searcher = Searcher(Doors(), plain(seed=seed, exploration=exploration, expand_visits=10**6, hash_mib=1))
    searcher.set_position(None, [])
    done, found = 0, list[int]()
    for count in (2, *counts):
        searcher.prepare()
        doors = {move.move: move for move in searcher.run(nodes=count - done).info.moves}
        better, worse = doors[str(BETTER)], doors[str(WORSE)]
        if not done and not better.value < 0 < worse.value:
            return []
        if done:
            found.append(better.visits)
        done = count
    return found
