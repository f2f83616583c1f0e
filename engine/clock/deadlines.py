"""How long a move may take: the limits of the search, the clock, and what the clock has shown of the connection."""

from __future__ import annotations

import threading
import time
from typing import Any

from playout.engine.clock.lag import Lag
from playout.engine.clock.time_plan import allocate
from playout.engine.options.config import expected_plies
from playout.engine.options.table import Options
from playout.engine.terms.limits import Clock, Limits
from playout.games.game import Game

LEAST_RESERVE = 0.2
"""Seconds of a clock that are not planned with: a busy machine lets a process wait so long now and then."""
CAUTION = 2.0
"""What was held up once may be held up so many times as long."""
SAVED = 4
"""Increments that the reserve has beside, up to twice the least."""
EARNED = 20
"""The reserve is at most half of what the clock has with so many increments."""


class Deadlines:
    """Of one session. Any thread. Must not block."""

    def __init__(self) -> None:
        self._lag = Lag()
        self._lock = threading.Lock()
        self._running: Limits | None = None
        self._ply = 0
        self._whole = 0.0
        """Seconds, the most that a clock has shown in this game."""
        self._expected: tuple[Game[Any, Any], int | None] | None = None
        """The game last played, and its usual length."""
        self._most: float | None = None
        """Seconds that the move may take."""

    def new_game(self) -> None:
        """What is known of the connection stays."""
        with self._lock:
            self._lag.new_game()
            self._running, self._whole = None, 0.0

    def asked(self, limits: Limits, ply: int) -> None:
        """A move is asked for, with ``ply`` moves made; pondering, its clock does not run yet."""
        with self._lock:
            if limits.clock is not None:
                self._lag.shown(limits.clock, ply)
            self._running, self._ply = None if limits.ponder else limits, ply

    def hit(self, limits: Limits) -> None:
        """The pondered move was played: the clock of ``limits`` runs from its arrival on."""
        with self._lock:
            self._running = limits

    def told(self, most: float | None) -> None:
        """The search may take so many seconds, counted as those of ``shares`` are; None: as many as it likes."""
        with self._lock:
            self._most = most

    def answered(self) -> None:
        """The move leaves."""
        with self._lock:
            limits, self._running = self._running, None
            if limits is not None and limits.clock is not None and limits.received is not None:
                spent = time.monotonic() - limits.received
                # A search that ended late, because the machine had no time for it, was held up, too.
                self._lag.moved(limits.clock, self._ply, spent if self._most is None else min(spent, self._most))

    def shares(
        self, limits: Limits, game: Game[Any, Any], options: Options, ply: int
    ) -> tuple[float | None, float | None]:
        """Seconds for the move, from when the command arrived: a soft and a hard bound."""
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
                ply=ply,
                expected_plies=self._length(game),
            )
            soft, hard = (share.soft, share.hard) if options.flag("AdaptiveTime") else (None, share.soft)
        if limits.movetime is not None:
            whole = limits.movetime - min(least, limits.movetime / 10)
            hard = whole if hard is None else min(hard, whole)
        return soft, hard

    def _reserve(self, clock: Clock) -> float:
        self._whole = max(self._whole, clock.remaining)
        wanted = max(CAUTION * self._lag.worst, LEAST_RESERVE + min(SAVED * clock.increment, LEAST_RESERVE))
        return min(wanted, (self._whole + EARNED * clock.increment) / 2)

    def _length(self, game: Game[Any, Any]) -> int | None:
        if self._expected is None or self._expected[0] is not game:
            self._expected = game, expected_plies(game)
        return self._expected[1]
