"""Time limits of a move: from the limits of its search, the clock, and what the clock has shown of the connection."""

from __future__ import annotations

import threading
import time
from typing import Any

from playout.engine.clock.lag import Lag
from playout.engine.clock.time_plan import allocate
from playout.engine.options.config import expected_plies
from playout.engine.terms.limits import Clock
from playout.engine.terms.task import SearchTask
from playout.games.game import Game

LEAST_RESERVE = 0.2
"""Seconds of a clock that are never planned with: a busy machine now and then makes a process wait that long."""
CAUTION = 2.0
"""Factor by which a stall seen once may be exceeded by the next one."""
SAVED = 4
"""Increments that the reserve holds in addition, up to twice the least reserve."""
EARNED = 20
"""Increments that count as part of a clock when the reserve is bounded to half of it."""


class Deadlines:
    """Deadlines of the moves of one session, and the lag that they learn from.

    Thread contract: any thread; no method blocks.
    """

    def __init__(self) -> None:
        self._lag = Lag()
        self._lock = threading.Lock()
        self._running: SearchTask | None = None
        self._whole = 0.0
        """Seconds: the most that a clock has shown in this game."""
        self._expected: tuple[Game[Any, Any], int | None] | None = None
        """The game last played, and its expected length in plies."""
        self._most: float | None = None
        """Hard bound of the running search, in seconds."""

    def new_game(self) -> None:
        """Forgets the clock of the last game. What is known of the connection stays."""
        with self._lock:
            self._lag.new_game()
            self._running, self._whole = None, 0.0

    def asked(self, task: SearchTask) -> None:
        """Notes that a move is asked for. While the task ponders, its clock does not run yet."""
        with self._lock:
            if task.limits.clock is not None:
                self._lag.shown(task.limits.clock, task.ply)
            self._running = None if task.limits.ponder else task

    def hit(self, task: SearchTask) -> None:
        """Notes that the pondered move was played: the clock of ``task`` runs from ``limits.received`` on."""
        with self._lock:
            self._running = task

    def told(self, most: float | None) -> None:
        """Notes the hard bound of the running search, in seconds as ``shares`` counts them; None is no bound."""
        with self._lock:
            self._most = most

    def answered(self) -> None:
        """Notes that the move is being sent."""
        with self._lock:
            task, self._running = self._running, None
            if task is None:
                return
            limits = task.limits
            if limits.clock is not None and limits.received is not None:
                spent = time.monotonic() - limits.received
                # A search that ended late, because the machine had no time for it, was stalled: that counts as lag.
                self._lag.moved(limits.clock, task.ply, spent if self._most is None else min(spent, self._most))

    def shares(self, task: SearchTask) -> tuple[float | None, float | None]:
        """Returns the soft and the hard bound of the move, in seconds since ``limits.received``; None is no bound. The
        hard one is within what the user may search.
        """
        limits, options = task.limits, task.options
        least = options.integer("Move Overhead") / 1000
        soft: float | None = None
        hard: float | None = None
        if limits.clock is not None:
            with self._lock:
                usual = self._lag.usual
                reserve = self._reserve(limits.clock)
            share = allocate(
                limits.clock,
                overhead=max(least, usual),
                reserve=reserve,
                ply=task.ply,
                expected_plies=self._length(task.game),
            )
            soft, hard = (share.soft, share.hard) if options.flag("AdaptiveTime") else (None, share.soft)
        if limits.movetime is not None:
            whole = limits.movetime - min(least, limits.movetime / 10)
            hard = whole if hard is None else min(hard, whole)
        if task.rights.seconds is not None:
            hard = task.rights.seconds if hard is None else min(hard, task.rights.seconds)
        return soft, hard

    def expected_seconds(self, task: SearchTask) -> float | None:
        """Expected duration of the move in seconds since ``limits.received``, or None without a time limit."""
        return min((bound for bound in self.shares(task) if bound is not None), default=None)

    def _reserve(self, clock: Clock) -> float:
        self._whole = max(self._whole, clock.remaining)
        wanted = max(CAUTION * self._lag.worst, LEAST_RESERVE + min(SAVED * clock.increment, LEAST_RESERVE))
        return min(wanted, (self._whole + EARNED * clock.increment) / 2)

    def _length(self, game: Game[Any, Any]) -> int | None:
        if self._expected is None or self._expected[0] is not game:
            self._expected = game, expected_plies(game)
        return self._expected[1]
