"""The two cuts by functions that were learned: of the depth by v(s), of the breadth by p(a|s).

The experiment ``cuts`` makes v and p from exact values with noise. Here both come from a function Q(s, a) that learns
connect four on 5 columns of 4 rows by Tree Backup of three steps, from games against itself. It is linear, with a
weight for each content of each line of four cells (an n-tuple network; Lucas 2008). v(s) is the greatest Q(s, a),
p(a|s) the softmax of Q(s, a). The positions after random moves that a solver values exactly are the test. The
search pays for an error with regret, the loss of the chosen action in exact values; an action chosen at random pays
most.

Depth: minimax to d plies with v at the end. Breadth: minimax to four plies over the m actions of greatest p of each
position. Both cuts are the engine's too: v instead of playouts, the actions of greatest p alone, p as a prior.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from playout.engine.exact.solving import SolverMemory, solve
from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, Say, counted, silent
from playout.engine.experiments.base.plain import plain
from playout.engine.search.searcher import Searcher
from playout.engine.statistics.samples import mean_and_error
from playout.games.connect_four import ConnectFour, State
from playout.games.errors import GameError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from playout.engine.learning.methods.approximators import Linear

QUICK = {"episodes": 200, "positions": 12}
COLUMNS, ROWS = 5, 4
ALPHA, STEPS, EPSILON = 0.008, 3, 0.6
LINES = tuple(
    tuple((row + i * up) * COLUMNS + column + i * across for i in range(4))
    for across, up in ((1, 0), (0, 1), (1, 1), (-1, 1))
    for row in range(ROWS - 3 * up)
    for column in range(COLUMNS)
    if 0 <= column + 3 * across < COLUMNS
)
"""The cells of each line of four."""
CONTENTS = 3**4
"""Number of contents of a line: each cell is empty, the mover's or the other's."""
STAGES = 5
"""The function is examined after all episodes, half of them, a quarter and so on, and before the first."""
DEPTHS = 1, 2, 3, 4
BREADTHS = 1, 2, 3, 5
BREADTH_DEPTH = 4
PLIES = 4, 9
"""Least and greatest number of random moves before a test position."""
TEMPERATURE = 0.1
"""Temperature of p."""
SIMULATIONS = 100
"""Number of the engine's simulations."""
ENGINE: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "depth: v(s) for the playout": {"leaf_evaluation": "static"},
    "breadth: the 3 of greatest p": {"expansion_order": "preference", "widening": 3.0, "widening_exponent": 0.0},
    "both": {
        "leaf_evaluation": "static",
        "expansion_order": "preference",
        "widening": 3.0,
        "widening_exponent": 0.0,
    },
    "v(s), and p as a prior (PUCT)": {"leaf_evaluation": "static", "tree_policy": "puct"},
}


@dataclass(frozen=True)
class Learned:
    """The game with the hooks for v(s) and p(a|s)."""

    function: Linear[tuple[State, int]]
    name: ClassVar[str] = "learned connect four"
    rules: ClassVar[ConnectFour] = ConnectFour(COLUMNS, ROWS)

    def initial_state(self) -> State:
        return self.rules.initial_state()

    def current_player(self, state: State) -> int:
        return self.rules.current_player(state)

    def legal_actions(self, state: State) -> Sequence[int]:
        return self.rules.legal_actions(state)

    def next_state(self, state: State, action: int) -> State:
        return self.rules.next_state(state, action)

    def returns(self, state: State) -> Sequence[float] | None:
        return self.rules.returns(state)

    def key(self, state: State) -> State:
        return state

    def action_to_text(self, state: State, action: int) -> str:
        return self.rules.action_to_text(state, action)

    def text_to_action(self, state: State, text: str) -> int:
        return self.rules.text_to_action(state, text)

    def value(self, state: State) -> float:
        """v(s)."""
        best = max(self.function.value((state, action)) for action in self.legal_actions(state))
        return max(-1.0, min(best, 1.0))

    def action_values(self, state: State, actions: Sequence[int]) -> list[float]:
        """The logits of p(a|s)."""
        return [self.function.value((state, action)) / TEMPERATURE for action in actions]


@dataclass(frozen=True, slots=True)
class Test:
    """A position with the exact values of its actions."""

    moves: tuple[str, ...]
    state: State
    values: Mapping[int, float]

    def regret(self, action: int) -> float:
        """The loss of ``action`` against the best one."""
        return max(self.values.values()) - self.values[action]


@dataclass(frozen=True, slots=True)
class LearnedCuts(ExperimentResult):
    """Mean regrets, with standard errors where there is one for each."""

    positions: int
    any_action: float
    """Mean regret of an action chosen at random."""
    stages: tuple[tuple[int, float, float, float, float], ...]
    """Episodes; correlation of v with the exact value; share of positions where p prefers a best action; regret of the
    preferred action and its error."""
    depths: tuple[tuple[int, float, float, float], ...]
    """Plies; leaves; regret and error."""
    breadths: tuple[tuple[int, float, float, float], ...]
    """Actions; leaves; regret and error."""
    engine: tuple[tuple[str, float, float], ...]
    """Configuration, regret and error."""

    def tables(self) -> Sequence[ResultTable]:
        regret = Column("regret", ".4f"), Column("+-", ".4f")
        leaves = Column("leaves", ",.0f")
        return (
            ResultTable(
                f"v(s) and p(a|s) as they are learned: {self.positions} positions, regret of any action "
                f"{self.any_action:.4f}",
                (Column("episodes", ","), Column("correlation of v", ".3f"), Column("best by p", ".1%"), *regret),
                self.stages,
            ),
            ResultTable(
                "Cut of the depth: minimax with v(s) at the end", (Column("plies"), leaves, *regret), self.depths
            ),
            ResultTable(
                f"Cut of the breadth: minimax of {BREADTH_DEPTH} plies over the actions of greatest p",
                (Column("actions"), leaves, *regret),
                self.breadths,
            ),
            ResultTable(f"The engine's search, {SIMULATIONS} simulations", (Column("search"), *regret), self.engine),
        )

    def notes(self) -> Sequence[str]:
        return ("leaves: mean number that a search visits.",)

    def plot(self, figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        left.errorbar(
            [max(row[0], self.stages[1][0] / 2) for row in self.stages],
            [row[3] for row in self.stages],
            [row[4] for row in self.stages],
            marker="o",
        )
        left.set_xlabel("episodes (the first point: none)")
        left.set_title("Action of greatest p")
        for name, rows in ("depth, 1 to 4 plies", self.depths), ("breadth, 1 to 5 actions", self.breadths):
            right.errorbar(
                [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows], marker="o", label=name
            )
        right.set_xlabel("leaves")
        right.set_title("Cuts by the last v and p")
        right.legend()
        left.set_ylabel("regret")
        for axes in left, right:
            axes.axhline(self.any_action, color="black", linestyle=":")
            axes.set_xscale("log")
            axes.set_ylim(bottom=0)


def run(*, seed: int = 0, episodes: int = 6000, positions: int = 300, say: Say = silent) -> LearnedCuts:
    """Runs the experiment. ``episodes`` is the number of games of which is learned, ``positions`` that of the test."""
    import numpy as np

    from playout.engine.learning.methods.approximators import Linear
    from playout.engine.learning.methods.learner import NStepLearner, run_episode
    from playout.engine.learning.methods.policies import EpsilonGreedy
    from playout.engine.learning.methods.rules import TreeBackup
    from playout.engine.learning.methods.task import GameTask

    tests = tests_of(positions, random.Random(seed))

    def features(key: tuple[State, int]) -> Any:
        """1 for the content of each line after the action, 0 for all others."""
        state, action = key
        board = Learned.rules.next_state(state, action).board
        numbers = {".": 0, "xo"[state.player]: 1, "ox"[state.player]: 2}
        vector = np.zeros(len(LINES) * CONTENTS)
        for place, line in enumerate(LINES):
            content = 0
            for cell in line:
                content = 3 * content + numbers[board[cell]]
            vector[place * CONTENTS + content] = 1.0
        return vector

    known: dict[tuple[State, int], Any] = {}

    def remembered(key: tuple[State, int]) -> Any:
        if key not in known:
            known[key] = features(key)
        return known[key]

    function: Linear[tuple[State, int]] = Linear(remembered, len(LINES) * CONTENTS)
    game, task = Learned(function), GameTask(Learned.rules)
    behaviour = EpsilonGreedy(task, function, EPSILON)
    learner = NStepLearner(TreeBackup(function, EpsilonGreedy(task, function)), STEPS, ALPHA)
    rng = random.Random(seed)
    halts = sorted({episodes // 2**stage for stage in range(STAGES)})
    stages = [(0, *_examined(game, tests))]
    for episode in counted("episodes", range(1, episodes + 1)):
        run_episode(task, behaviour, learner, rng)
        if episode in halts:
            stages.append((episode, *_examined(game, tests)))
            say(f"{episode} episodes: regret {stages[-1][3]:.4f}")
    return LearnedCuts(
        positions=len(tests),
        any_action=mean_and_error([test.regret(action) for test in tests for action in test.values])[0],
        stages=tuple(stages),
        depths=tuple((depth, *_searched(game, tests, depth, COLUMNS)) for depth in DEPTHS),
        breadths=tuple((number, *_searched(game, tests, BREADTH_DEPTH, number)) for number in BREADTHS),
        engine=tuple((name, *_engine(game, tests, settings, seed)) for name, settings in ENGINE.items()),
    )


def tests_of(number: int, rng: random.Random) -> list[Test]:
    """Returns positions after random moves in which not all actions are worth the same."""
    game, memory, tests = Learned.rules, SolverMemory(Learned.rules), list[Test]()
    while len(tests) < number:
        state, moves = game.initial_state(), list[str]()
        for _ in range(rng.randint(*PLIES)):
            if not (actions := game.legal_actions(state)):
                break
            action = rng.choice(actions)
            moves.append(game.action_to_text(state, action))
            state = game.next_state(state, action)
        if game.returns(state) is not None:
            continue
        solved = solve(game, None, moves, all_moves=True, lengths=False, memory=memory)
        values = {game.text_to_action(state, move.move): float(move.value or 0.0) for move in solved.moves}
        if len(set(values.values())) > 1:
            tests.append(Test(tuple(moves), state, values))
    return tests


def _examined(game: Learned, tests: Sequence[Test]) -> tuple[float, float, float, float]:
    """Returns the correlation of v, the share of best actions, and the regret of the preferred one with its error."""
    exact = [max(test.values.values()) for test in tests]
    regrets = [test.regret(_preferred(game, test.state, 1)[0]) for test in tests]
    return (
        _correlation([game.value(test.state) for test in tests], exact),
        sum(regret == 0.0 for regret in regrets) / len(regrets),
        *mean_and_error(regrets),
    )


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Returns Pearson's correlation, 0 where one is constant."""
    (mean, _), (average, _) = mean_and_error(one), mean_and_error(other)
    product = math.fsum((a - mean) * (b - average) for a, b in zip(one, other, strict=True))
    scale = math.fsum((a - mean) ** 2 for a in one) * math.fsum((b - average) ** 2 for b in other)
    return product / math.sqrt(scale) if scale else 0.0


def _preferred(game: Learned, state: State, number: int) -> Sequence[int]:
    """Returns the actions of greatest p."""
    actions = game.legal_actions(state)
    values = dict(zip(actions, game.action_values(state, actions), strict=True))
    return sorted(actions, key=lambda action: -values[action])[:number]


def _searched(game: Learned, tests: Sequence[Test], depth: int, number: int) -> tuple[float, float, float]:
    """Returns the mean number of leaves of a minimax of ``depth`` plies over ``number`` actions of each position, and
    the regret of its choice with its error."""
    leaves = 0

    def value(state: State, plies: int) -> float:
        """For the player to move."""
        nonlocal leaves
        result = game.returns(state)
        if result is not None or plies == 0:
            leaves += 1
            return result[state.player] if result is not None else game.value(state)
        return max(-value(game.next_state(state, action), plies - 1) for action in _preferred(game, state, number))

    def choice(state: State) -> int:
        actions = _preferred(game, state, number)
        return max(actions, key=lambda action: -value(game.next_state(state, action), depth - 1))

    regrets = [test.regret(choice(test.state)) for test in tests]
    return leaves / len(tests), *mean_and_error(regrets)


def _engine(game: Learned, tests: Sequence[Test], settings: Mapping[str, Any], seed: int) -> tuple[float, float]:
    """Returns the regret of the engine's choice and its error."""
    regrets = []
    for number, test in enumerate(tests):
        searcher = Searcher(game, plain(seed=seed * 1_000_003 + number, symmetries=False, **settings))
        searcher.set_position(None, test.moves)
        searcher.prepare()
        result = searcher.run(nodes=SIMULATIONS, interval=3600.0)
        if result.move is None:
            raise GameError(f"{game.name}: {result.fault or result.reason}")
        regrets.append(test.regret(game.text_to_action(test.state, result.move)))
    return mean_and_error(regrets)
