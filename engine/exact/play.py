"""Exact play: a game whose solver is fast is solved before it is searched.

Monte Carlo search wins most positions, but keeps a narrow win against a perfect opponent only where it happens to prove
it. Connect four's solver (``solve``) needs about 1 s from ply 8 on and 0.1 s from ply 12 on. Where it is not likely to
finish in time, it is not started.
"""

from __future__ import annotations

import time
from typing import Any

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.limits import Limits
from playout.engine.terms.task import SearchTask

SHARE = 0.5
"""Share of the time for a move; the rest is for the search, if the position is not solved by then."""
MEMORY = 0.5
"""Share of the option Hash; the rest belongs to the search graph."""
NODES, EMPTY = 6e6, 34
"""Third quartile of the nodes to solve a random position with 34 empty cells. Each cell more doubles them (measured on
20 positions at each of 7 plies from 8 to 16)."""
SPEED = 3e6
"""Nodes per second that are assumed until a solution has been timed."""
HOPE = 2.0
"""Factor by which the expected time of an attempt may exceed the time that there is."""
MEASURED = 100_000
"""Least nodes of a solution that is timed."""


class ExactPlay:
    """The exact solver of one session, which keeps its table from move to move.

    Thread contract: ``think`` runs on the search thread, ``stop`` on any thread, all other methods on the session
    thread.
    """

    def __init__(self) -> None:
        self._solver: _core.Solver | None = None
        self._stopped = False
        self._speed = SPEED

    def forget(self) -> None:
        """Frees the solver, as for another game."""
        self._solver = None

    def prepare(self) -> None:
        """Clears the stop flag before a search starts."""
        self._stopped = False

    def stop(self) -> None:
        """Ends ``think``. Any thread. Must not block."""
        self._stopped = True
        solver = self._solver
        if solver is not None:
            solver.stop()

    def hash_mib(self, task: SearchTask) -> int:
        """Returns the MiB that the solver takes of the option Hash; 0 where it is not used."""
        options = task.options
        used = "ExactPlay" in options and options.flag("ExactPlay")
        return int(MEMORY * options.integer("Hash")) if used else 0

    def think(self, task: SearchTask, seconds: float | None) -> SearchResult | None:
        """Returns best play from the root of ``task``: the winner takes the shortest way, the loser the longest.

        ``seconds`` is the expected time for the move since ``limits.received``; None without a time limit. Returns None
        if the position is not solved within ``SHARE`` of it or is not likely to be, if ``stop`` came first, and if the
        task asks for more than the move. The solver's table serves the next position. Blocks.
        """
        begun = time.monotonic()
        hash_mib = self.hash_mib(task)
        if seconds is None or not hash_mib or not _wanted(task.limits, task.options.integer("MultiPV")):
            return None
        assert task.limits.received is not None
        seconds = SHARE * (seconds - (begun - task.limits.received))
        if seconds <= 0 or _expected_nodes(task.state) > HOPE * seconds * self._speed:
            return None
        if self._solver is None:
            kernel = kernel_of(task.game)
            assert kernel is not None
            self._solver = _core.Solver.kernel(kernel, kernel_params(task.game))
        solver = self._solver
        text, words = task.line.path(task.game)
        solver.set_position(text, list(words))
        if self._stopped:  # Perhaps before set_position, which clears the solver's own flag.
            return None
        lower, upper, plies, best, _, _ = solver.solve(
            method="auto",
            all_moves=False,
            lengths=True,
            hash_mib=hash_mib,
            threads=task.options.integer("Threads"),
            seconds=seconds,
        )
        nodes, _, _ = solver.progress()
        if nodes > MEASURED:
            self._speed = nodes / (time.monotonic() - begun)
        if lower != upper or not best:
            return None
        value = lower + 0.0
        win, loss = float(value > 0), float(value < 0)
        move = MoveInfo(best[0], nodes, value, win, 1.0 - win - loss, loss, value, value, plies, tuple(best))
        info = SearchInfo(time.monotonic() - begun, nodes, len(best), len(best), value, nodes, 0, (move,))
        return SearchResult(best[0], best[1] if len(best) > 1 else None, info, "proven")


def _expected_nodes(state: Any) -> float:
    """Returns the nodes that a position of connect four is expected to take."""
    empty: int = state.board.count(".")
    return NODES * 2.0 ** (empty - EMPTY)


def _wanted(limits: Limits, lines: int) -> bool:
    """Whether the task asks for one move that only time bounds.

    A search of N simulations must be one on any machine; several lines, or a search of some moves only, ask for more
    than the value of one move.
    """
    timed = limits.movetime is not None or limits.clock is not None
    plain = limits.nodes is None and limits.depth is None and limits.mate is None and not limits.narrowed
    return timed and plain and lines == 1 and not (limits.infinite or limits.ponder)
