"""Exact play: a position whose solution is likely to be found in time is solved before it is searched.

Monte Carlo search wins most positions, but keeps a narrow win against a perfect opponent only where it happens to prove
it. The solver (``solve``) begins where the nodes that it is expected to search, by ``effort``, fit into the time for
the move at the speed that it has shown.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from playout.engine import _core
from playout.engine.exact.effort import Effort, expected_effort
from playout.engine.options.config import kernel_of
from playout.engine.search.searcher import Searcher
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.task import SearchTask
from playout.games.errors import Interrupted
from playout.games.game import Game, HasChance, HasKey

log = logging.getLogger(__name__)

SHARE = 0.5
"""Share of the time for a move; the rest is for the search, if the position is not solved by then."""
MEMORY = 0.4
"""Share of the option Hash that the solver's tables may take while it runs; before that the graph leaves half."""
NODE_BYTES = 64
"""Bytes of the tables for each position that an attempt may search: to get the memory of a large table takes longer
than a short attempt has."""
KERNEL_SPEED, PYTHON_SPEED = 1e6, 2e4
"""Nodes per second that are assumed until a solution has been timed, of a game with and without a kernel."""
TIMED, COUNTED = 0.2, 5000
"""Least seconds, or nodes, of an attempt that is timed: in a shorter one a busy machine may not even have begun."""
HOPE = 2.0
"""Factor by which the expected time of an attempt may exceed the time that there is."""
CAUTION = 2.0
"""After an attempt that failed, efforts of this game count as this many times what it searched in relation to what was
expected."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of exact play, and the part that is left to the search."""

    result: SearchResult | None = None
    """The move, if nothing is left to search."""
    drawing: tuple[str, ...] = ()
    """The moves that keep a draw, of which the search is to find the one that is hardest to answer; empty means that
    all moves are searched."""


NOTHING = Finding()


class ExactPlay:
    """The exact solver of one session, which keeps its tables from move to move while it solves every position.

    Thread contract: ``think`` runs on the search thread, ``stop`` and ``thread`` on any thread, all other methods on
    the session thread.
    """

    def __init__(self) -> None:
        self._solver: _core.Solver | None = None
        self._game: Game[Any, Any] | None = None
        self._stopped = False
        self._speed: float | None = None
        self._hardness = 1.0
        """Least effort of this game's positions in relation to what is expected."""
        self._mib = 0
        """Bound of the tables that are kept, in MiB."""
        self._refused = False
        """Whether the solver has refused a position of this game."""

    def forget(self) -> None:
        """Frees the solver, as for another game."""
        self._solver = self._game = self._speed = None
        self._hardness, self._mib, self._refused = 1.0, 0, False

    def prepare(self) -> None:
        """Clears the stop flag before a search starts."""
        self._stopped = False

    def stop(self) -> None:
        """Ends ``think``. Any thread. Must not block."""
        self._stopped = True
        solver = self._solver
        if solver is not None:
            solver.stop()

    @property
    def thread(self) -> int | None:
        """Identifier of the thread in which the solver runs methods of a user's game; None while there is none."""
        solver = self._solver
        return solver.thread() if solver is not None else None

    def think(self, task: SearchTask, seconds: float | None, searcher: Searcher) -> Finding:
        """Solves the root of ``task``, if that is likely to be done in time.

        ``seconds`` is the expected time for the move since ``limits.received``; None without a time limit. The result
        is best play: the winner takes the shortest way that the solver knows, the loser the longest. A draw with
        several moves that keep it, and a loss without a length, are left to the search. Nothing is found if the
        position is not solved within ``SHARE`` of the time or not likely to be, if ``stop`` came first, and if the task
        asks for more than the move. ``searcher`` makes room in its graph for the solver's tables, which stay as long as
        no search is needed. Blocks.

        Raises:
            Interrupted: if a method of a user's game did not return in time.
        """
        finding = NOTHING
        try:
            if seconds is not None and _wanted(task):
                assert task.limits.received is not None
                finding = self._try(task, task.limits.received + SHARE * seconds, searcher)
        except Interrupted:
            self._refused = True
            raise
        except (Exception, SystemExit) as error:
            # The search meets the mistake of the game as well, and reports it; a refusal holds for the whole game.
            log.info("not solved: %s", error)
            self._refused = True
        finally:
            if finding.result is None and self._solver is not None:
                self._solver.release()
                self._mib = 0
        return finding

    def _try(self, task: SearchTask, end: float, searcher: Searcher) -> Finding:
        if task.game != self._game:
            self.forget()
            self._game = task.game
        seconds = end - time.monotonic()
        if self._refused or seconds <= 0:
            return NOTHING
        most = HOPE * seconds * (self._speed or _usual_speed(task.game)) / self._hardness
        effort = expected_effort(task.game, task.state, most=most, seconds=seconds)
        speed = self._speed or effort.speed or _usual_speed(task.game)
        if effort.nodes * self._hardness > HOPE * seconds * speed:
            return NOTHING
        bound = max(1, int(MEMORY * task.options.integer("Hash")))
        # Another bound than before would mean another table.
        self._mib = min(bound, max(self._mib, 1 + int(seconds * speed * NODE_BYTES) // 2**20))
        searcher.free_half()
        solver = self._position(task)
        if self._stopped:  # Perhaps before the position was set, which clears the solver's own flag.
            return NOTHING
        return self._solve(solver, task, effort, end)

    def _position(self, task: SearchTask) -> _core.Solver:
        """Returns the solver at the root of ``task``."""
        kernel = kernel_of(task.game)
        if self._solver is None or (kernel is None and not isinstance(task.game, HasKey)):
            # Without a key a game keeps every state that its solver has met.
            self._solver = (
                _core.Solver.python(task.game)
                if kernel is None
                else _core.Solver.kernel(kernel, kernel_params(task.game))
            )
        text, words = task.line.path(task.game)
        self._solver.set_position(text, list(words))
        return self._solver

    def _solve(self, solver: _core.Solver, task: SearchTask, effort: Effort, end: float) -> Finding:
        begun = time.monotonic()

        def solve(*, all_moves: bool) -> Any:
            return solver.solve(
                method="auto",
                all_moves=all_moves,
                lengths=not all_moves,
                hash_mib=self._mib,
                threads=task.options.integer("Threads"),
                seconds=max(0.0, end - time.monotonic()),
            )

        lower, upper, plies, line, _, _ = solve(all_moves=False)
        nodes, passed = solver.progress()[0], time.monotonic() - begun
        if passed >= TIMED or nodes >= COUNTED:
            self._speed = nodes / passed
        if lower != upper or not line:
            if not self._stopped:
                self._hardness = max(self._hardness, CAUTION * nodes / max(effort.nodes, 1.0))
            return NOTHING
        if lower == 0.0 and not isinstance(task.game, HasChance):
            each = solve(all_moves=True)[4]
            drawing = tuple(move for move, low, high, _ in each if low == high == 0.0)
            if len(drawing) > 1:
                return Finding(drawing=drawing) if len(drawing) < len(each) else NOTHING
        if lower < 0.0 and plies is None:
            return NOTHING
        value = lower + 0.0  # a draw is never -0.0
        return Finding(_result(task.game, value, plies, tuple(line), nodes, time.monotonic() - begun))


def _result(
    game: Game[Any, Any], value: float, plies: int | None, line: tuple[str, ...], nodes: int, seconds: float
) -> SearchResult:
    if isinstance(game, HasChance):
        win, draw = (1.0 + value) / 2, 0.0
    else:
        win, draw = float(value > 0), float(value == 0)
    move = MoveInfo(line[0], nodes, value, win, draw, 1.0 - win - draw, value, value, plies, line)
    info = SearchInfo(seconds, nodes, len(line), len(line), value, nodes, 0, (move,))
    return SearchResult(line[0], line[1] if len(line) > 1 else None, info, "proven")


def _usual_speed(game: Game[Any, Any]) -> float:
    return PYTHON_SPEED if kernel_of(game) is None else KERNEL_SPEED


def _wanted(task: SearchTask) -> bool:
    """Whether the option is on, and acts in this task."""
    return "ExactPlay" in task.options and task.options.flag("ExactPlay") and task.only_timed
