"""What a move costs on the clock beside the thinking, learned from what the clock shows from one move to the next."""

from __future__ import annotations

from collections import deque
from statistics import fmean, pstdev

from playout.engine.terms.limits import Clock

KEPT, LONG_KEPT = 16, 64
"""Moves that count, the latest: for what is usual, and for the worst."""
EARLY, LATE = -0.005, 5.0
"""Seconds: a clock that gained more was given time, one that lost more was held up by something else than a move."""


class Lag:
    """Of one connection. Seconds."""

    def __init__(self) -> None:
        self._samples: deque[float] = deque(maxlen=LONG_KEPT)
        self._last: tuple[Clock, int, float] | None = None

    def new_game(self) -> None:
        """Another game's clock tells nothing beside this one's; what is known stays."""
        self._last = None

    def moved(self, clock: Clock, ply: int, spent: float) -> None:
        """With ``clock`` on show and ``ply`` moves made, a move was thought about for ``spent`` seconds, all of them
        meant."""
        self._last = clock, ply, spent

    def shown(self, clock: Clock, ply: int) -> None:
        """The clock of the same player at the next move: what it lacks went by beside the thinking."""
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
        """What a move may be expected to cost, on the safe side; 0 while nothing is known."""
        latest = list(self._samples)[-KEPT:]
        return fmean(latest) + pstdev(latest) if latest else 0.0

    @property
    def worst(self) -> float:
        """The most that a move has cost of late."""
        return max(self._samples, default=0.0)
