"""Exact play: a game whose solver is quick is solved before it is searched.

Monte Carlo search wins most positions, but holds a narrow win against a perfect opponent only where it happens to prove
it. Connect four's solver (``solve``) needs about a second from ply 8 on and a tenth of one from ply 12 on. Where it is
not likely to come to an end, the search is not kept waiting.
"""

from __future__ import annotations

import time
from typing import Any

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.options.table import Options
from playout.engine.search.searcher import kernel_params
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.line import Line
from playout.games.game import Game

SHARE = 0.5
"""Of the time for a move; the rest is for the search, if there is nothing to play by then."""
MEMORY = 0.5
"""Of Hash; the rest is the graph's."""
NODES, EMPTY = 6e6, 34
"""Three of four random positions with so many empty cells take no more nodes; each cell more or less doubles or halves
them (20 positions at each of 7 plies from 8 to 16)."""
SPEED = 3e6
"""Nodes a second, while nothing has been measured."""
HOPE = 2.0
"""What is tried may be expected to take so many times the time that there is."""
MEASURED = 100_000
"""Nodes from which a solution tells the speed."""


class ExactPlay:
    """The solver of a session. One thread solves at a time."""

    def __init__(self) -> None:
        self._solver: _core.Solver | None = None
        self._stopped = False
        self._speed = SPEED

    def forget(self) -> None:
        """Gives its memory back, as for another game."""
        self._solver = None

    def prepare(self) -> None:
        """Makes ready for ``think``: from here on ``stop`` is of the coming search."""
        self._stopped = False

    def stop(self) -> None:
        """Ends ``think``. Any thread. Must not block."""
        self._stopped = True
        solver = self._solver
        if solver is not None:
            solver.stop()

    def hash_mib(self, options: Options) -> int:
        """MiB that the solver has of the option Hash; 0 where it is not used."""
        used = "ExactPlay" in options and options.flag("ExactPlay")
        return int(MEMORY * options.integer("Hash")) if used else 0

    def think(
        self, game: Game[Any, Any], line: Line, limits: Limits, options: Options, seconds: float | None
    ) -> SearchResult | None:
        """Best play from the end of ``line``: the winner hurries, the loser delays. None if it is not found within its
        share of the ``seconds`` for the move, counted from when that was asked for, or is not likely to be; if ``stop``
        came first; and where another search is wanted. What was found on the way serves the next position. Blocks."""
        begun = time.monotonic()
        hash_mib = self.hash_mib(options)
        if seconds is None or not hash_mib or not _wanted(limits, options.integer("MultiPV")):
            return None
        assert limits.received is not None
        seconds = SHARE * (seconds - (begun - limits.received))
        if seconds <= 0 or _expected_nodes(line.state) > HOPE * seconds * self._speed:
            return None
        if self._solver is None:
            kernel = kernel_of(game)
            assert kernel is not None
            self._solver = _core.Solver.kernel(kernel, kernel_params(game))
        solver = self._solver
        text, words = line.path(game)
        solver.set_position(text, list(words))
        if self._stopped:  # Before set_position took back what the solver had been told.
            return None
        lower, upper, plies, best, _, _ = solver.solve(
            method="auto",
            all_moves=False,
            lengths=True,
            hash_mib=hash_mib,
            threads=options.integer("Threads"),
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
    """Of a solution of a position of connect four."""
    empty: int = state.board.count(".")
    return NODES * 2.0 ** (empty - EMPTY)


def _wanted(limits: Limits, lines: int) -> bool:
    """Whether a move is asked for that time alone bounds: a search of so many simulations is to be one, whatever the
    machine, and one for several lines, or of some moves only, wants more than one move's value."""
    timed = limits.movetime is not None or limits.clock is not None
    plain = limits.nodes is None and limits.depth is None and limits.mate is None and not limits.narrowed
    return timed and plain and lines == 1 and not (limits.infinite or limits.ponder)
