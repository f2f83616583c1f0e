"""The clocks of the two players of a round."""

from __future__ import annotations

import time
from collections.abc import Callable

from playout.engine.terms.limits import Clock


class Clocks:
    """Two clocks with an increment, of which at most one runs. Times are in seconds."""

    def __init__(self, seconds: float, increment: float, now: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self.increment = seconds, increment
        self._now = now
        self._left = [seconds, seconds]
        self._running: int | None = None
        self._since = 0.0
        self._marks: dict[int, tuple[float, float]] = {}
        """What the clocks showed at each position of the line, by its number of moves."""

    @property
    def running(self) -> int | None:
        """The player whose clock runs; None while both stand."""
        return self._running

    @property
    def left(self) -> tuple[float, float]:
        """What the clocks show, at least 0."""
        first, second = (max(0.0, self._left[player] - self._spent(player)) for player in (0, 1))
        return first, second

    def run(self, player: int | None, ply: int) -> None:
        """Lets the clock of ``player`` run, and the other one stand; None stops both. The position is the one after
        ``ply`` moves.
        """
        if player != self._running:
            self._left = list(self.left)
            self._running, self._since = player, self._now()
        self._marks.setdefault(ply, self.left)

    def moved(self, ply: int) -> None:
        """Adds the increment for the player whose clock runs, who has moved at the position after ``ply`` moves."""
        if self._running is not None:
            player = self._running
            self.run(None, ply)
            self._left[player] += self.increment

    def back(self, ply: int) -> None:
        """Stops the clocks, and sets them as they were at the position after ``ply`` moves, if the round has been
        there. What came after it is forgotten.
        """
        self._left, self._running = list(self._marks.get(ply, self.left)), None
        self._marks = {mark: left for mark, left in self._marks.items() if mark <= ply}

    def face(self, player: int) -> Clock:
        """Returns the clock of ``player`` as the engine reads it."""
        return Clock(max(self.left[player], 0.001), self.increment)

    def _spent(self, player: int) -> float:
        return self._now() - self._since if player == self._running else 0.0
