"""Lag: seconds that a move costs on the clock in addition to the search, measured from one move to the next."""

from __future__ import annotations

from collections import deque
from statistics import fmean, pstdev

from playout.engine.terms.limits import Clock

KEPT, LONG_KEPT = 16, 64
"""Number of latest moves that count: for the usual lag, and for the worst."""
EARLY, LATE = -0.005, 5.0
"""Bounds of a sample, in seconds: a clock that gained more was given time, one that lost more was not waiting for a
move."""


class Lag:
    """Lag of one connection, in seconds."""

    def __init__(self) -> None:
        self._samples: deque[float] = deque(maxlen=LONG_KEPT)
        self._last: tuple[Clock, int, float] | None = None

    def new_game(self) -> None:
        """Forgets the last clock, which cannot be compared with another game's. The samples stay."""
        self._last = None

    def moved(self, clock: Clock, ply: int, spent: float) -> None:
        """Notes a move that took ``spent`` seconds of intended thinking. ``clock`` was shown before it, after ``ply``
        moves of both players."""
        self._last = clock, ply, spent

    def shown(self, clock: Clock, ply: int) -> None:
        """Takes a sample from the clock that the same player has at the next move."""
        last, self._last = self._last, None
        if last is None:
            return
        before, earlier, spent = last
        new_session = clock.moves_to_go is not None and clock.moves_to_go >= (before.moves_to_go or 0)
        if ply != earlier + 2 or clock.in_overtime or before.in_overtime or new_session:
            return
        sample = before.remaining - spent + before.increment - clock.remaining
        if EARLY <= sample <= LATE:
            self._samples.append(max(sample, 0.0))

    @property
    def usual(self) -> float:
        """Mean of the latest samples plus their standard deviation; 0 without samples."""
        latest = list(self._samples)[-KEPT:]
        return fmean(latest) + pstdev(latest) if latest else 0.0

    @property
    def worst(self) -> float:
        """Greatest of the samples that are kept; 0 without samples."""
        return max(self._samples, default=0.0)
