"""Look-ahead: a search of the game's own, by alpha-beta, goes before the tree and says which moves it has to choose
among.

A tree of mean values sees a sacrifice late: its prior is small, and the mean over the replies stays low until most of
them are known to lose. Alpha-beta sees forced lines soon, and judges quiet positions no better than its evaluation
does. So alpha-beta has the first part of the time, and the tree chooses among the moves that come near its best one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.task import SearchTask
from playout.games.game import Game

MEMORY = 0.25
"""Share of the option Hash that the table takes, beside the graph."""
WHOLE = 0.95
"""Share of a fixed time for the move that the look-ahead has in all where one move alone comes near the best."""
LEAST = 2
"""Depth in plies below which nothing is left out."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """Result of a look-ahead, and the part that is left to the search."""

    result: SearchResult | None = None
    """The move, if one alone comes near the best."""
    moves: tuple[str, ...] = ()
    """The moves that come near the best; empty means that all moves are searched."""


NOTHING = Prospect()


class LookAheadPlay:
    """The look-ahead of one session, which keeps its table from move to move.

    Thread contract: ``think`` runs on the search thread, ``stop`` on any thread, all other methods on the session
    thread.
    """

    def __init__(self) -> None:
        self._search: _core.LookAhead | None = None
        self._game: Game[Any, Any] | None = None
        self._mib = 0
        self._stopped = False

    def forget(self) -> None:
        """Frees the table, as for another game."""
        self._search = self._game = None

    def prepare(self) -> None:
        """Clears the stop flag before a search starts."""
        self._stopped = False
        search = self._search
        if search is not None:
            search.prepare()

    def stop(self) -> None:
        """Ends ``think``. Any thread. Must not block."""
        self._stopped = True
        search = self._search
        if search is not None:
            search.stop()

    def think(self, task: SearchTask, seconds: float | None) -> Prospect:
        """Looks ahead from the root of ``task`` for a part of the time, by the option LookAhead.

        ``seconds`` is the expected time for the move since ``limits.received``; None without a time limit, and then
        there is no look-ahead. Blocks.
        """
        if seconds is None or not _wanted(task):
            return NOTHING
        assert task.limits.received is not None
        begun = time.monotonic()
        left = task.limits.received + seconds * task.options.integer("LookAhead") / 100 - begun
        if left <= 0:
            return NOTHING
        search = self._ready(task)
        if self._stopped:  # Perhaps before the search was there.
            return NOTHING
        text, words = task.line.path(task.game)
        margin = task.options.number("LookAheadMargin")
        near, line, depth, nodes = search.see(text, list(words), margin=margin, seconds=left)
        if depth < LEAST or not near:
            return NOTHING
        if len(near) > 1:
            return Prospect(moves=tuple(move for move, _ in near))
        if task.limits.clock is None and abs(near[0][1]) < 1.0:
            # A clock keeps the time that is left; here it would be lost.
            left = task.limits.received + WHOLE * seconds - time.monotonic()
            more = search.see(text, list(words), margin=0.0, seconds=max(0.0, left))
            if more[2] >= depth:
                near, line, depth, nodes = more[0], more[1], more[2], nodes + more[3]
        return Prospect(_result(near[0][1], tuple(line), depth, nodes, time.monotonic() - begun))

    def _ready(self, task: SearchTask) -> _core.LookAhead:
        mib = max(1, int(MEMORY * task.options.integer("Hash")))
        if self._search is None or (task.game, mib) != (self._game, self._mib):
            kernel = kernel_of(task.game)
            assert kernel is not None
            self._game, self._mib = task.game, mib
            self._search = _core.LookAhead(kernel, kernel_params(task.game), mib)
        return self._search


def _result(value: float, line: tuple[str, ...], depth: int, nodes: int, seconds: float) -> SearchResult:
    win = (1.0 + value) / 2
    move = MoveInfo(line[0], nodes, value, win, 0.0, 1.0 - win, -1.0, 1.0, None, line)
    info = SearchInfo(seconds, nodes, depth, depth, value, nodes, 0, (move,))
    return SearchResult(line[0], line[1] if len(line) > 1 else None, info, "decided")


def _wanted(task: SearchTask) -> bool:
    """Whether the option is on, and acts in this task."""
    return "LookAhead" in task.options and task.options.integer("LookAhead") > 0 and task.only_timed
