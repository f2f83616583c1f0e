"""The random walk: n-step TD between one-step TD and Monte Carlo.

Nineteen states in a row; an episode starts in the middle and ends beyond an end, with -1 left and +1 right (Sutton and
Barto, Reinforcement Learning, 2nd edition, 2018, example 7.1). All estimates begin with 0. The error is the root mean
square over the states, after each of the first ten episodes, averaged over these and over the runs. One step learns
slowly, because a result reaches one state more an episode; Monte Carlo learns from noisy returns. The best n lies
between, and so does the best alpha of each n.

All runs and step sizes of one n are learned at once, as arrays, from the same walks. The method is that of
``learning/methods/learner.py``, which a test holds it to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.learning.methods.random_walk import RandomWalk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"runs": 4, "episodes": 10}
STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""Values of n."""
ALPHAS = (0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TASK = RandomWalk()
Array: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Walked(ExperimentResult):
    """Errors by n and alpha."""

    errors: tuple[tuple[float, ...], ...]
    """For each of ``STEPS``, the mean error for each of ``ALPHAS``."""
    spreads: tuple[float, ...]
    """For each of ``STEPS``, the standard error of its least mean error."""
    runs: int
    episodes: int

    def tables(self) -> Sequence[ResultTable]:
        shown = (0.1, 0.2, 0.4, 1.0)
        rows = []
        for n, errors, spread in zip(STEPS, self.errors, self.spreads, strict=True):
            best = min(range(len(ALPHAS)), key=errors.__getitem__)
            rows.append((n, ALPHAS[best], errors[best], spread, *(errors[ALPHAS.index(alpha)] for alpha in shown)))
        columns = (Column("n"), Column("best alpha", ".3f"), Column("error", ".4f"), Column("+-", ".4f"))
        return (
            ResultTable(
                f"{TASK.states} states, first {self.episodes} episodes, means of {self.runs} runs: RMS error",
                (*columns, *(Column(f"alpha {alpha:g}", ".3f") for alpha in shown)),
                tuple(rows),
            ),
        )

    def records(self) -> Sequence[ResultTable]:
        rows = tuple((n, *errors) for n, errors in zip(STEPS, self.errors, strict=True))
        return (ResultTable("RMS error", (Column("n"), *(Column(f"{a:g}", ".4f") for a in ALPHAS)), rows),)

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        for n, errors in zip(STEPS, self.errors, strict=True):
            axes.plot(ALPHAS, errors, label=f"n = {n}", marker=".")
        axes.set_xlabel("alpha")
        axes.set_ylabel(f"RMS error of the first {self.episodes} episodes")
        axes.set_ylim(0.23, 0.57)
        axes.set_title("n-step TD on the random walk")
        axes.legend(ncols=2)


def run(*, seed: int = 0, runs: int = 100, episodes: int = 10) -> Walked:
    """Runs the experiment. Each of ``runs`` learns from ``episodes`` walks of its own, for every n and alpha."""
    walks = _walks(np.random.default_rng(seed), runs, episodes)
    errors, spreads = [], []
    for n in counted("steps", STEPS):
        found = learned(walks, n, np.array(ALPHAS))[0]
        means = found.mean(axis=1)
        errors.append(tuple(map(float, means)))
        spread = found[means.argmin()].std(ddof=1) / np.sqrt(runs) if runs > 1 else 0.0
        spreads.append(float(spread))
    return Walked(tuple(errors), tuple(spreads), runs, episodes)


def learned(walks: Sequence[Places], n: int, alphas: Array) -> tuple[Array, Array]:
    """Learns by n-step TD from ``walks``, for each an array of the states of all runs by time.

    Returns the mean error of each alpha and run, and the values in the end of each alpha, run and state.
    """
    runs = walks[0].shape[1]
    values = np.zeros((len(alphas), runs, TASK.states + 2))
    exact = np.array([TASK.value(state) for state in range(1, TASK.states + 1)])
    total = np.zeros((len(alphas), runs))
    everyone = np.arange(runs)
    for walk in walks:
        ended = (walk <= 0) | (walk > TASK.states)
        lengths = ended.argmax(axis=0)
        rewards = np.where(walk[lengths, everyone] > 0, 1.0, -1.0)
        # Time t brings the update of t - n, and the end of the episode those of the last n: here at lengths + 1 ... n.
        for time in range(int(lengths.max()) + n):
            at = time + 1 - n
            if at < 0:
                continue
            learning = np.flatnonzero(at < lengths)
            horizon = at + n
            state = walk[at, learning]
            later = walk[np.minimum(horizon, lengths[learning]), learning]
            over = horizon >= lengths[learning]
            target = np.where(over, rewards[learning], values[:, learning, later])
            values[:, learning, state] += alphas[:, None] * (target - values[:, learning, state])
        difference: Any = values[:, :, 1:-1] - exact
        total += np.sqrt((difference**2).mean(axis=2))
    return total / len(walks), values


def _walks(rng: np.random.Generator, runs: int, episodes: int) -> list[Places]:
    """For each episode the states by time and run; from its end on a run stays where it is."""
    found = []
    for _ in range(episodes):
        state = np.full(runs, (TASK.states + 1) // 2)
        steps = [state]
        while ((state > 0) & (state <= TASK.states)).any():
            inside = (state > 0) & (state <= TASK.states)
            state = state + np.where(inside, rng.choice((-1, 1), runs), 0)
            steps.append(state)
        found.append(np.stack(steps))
    return found
