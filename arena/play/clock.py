"""A player's clock, as the referee keeps it."""

from __future__ import annotations

from playout.arena.drivers.driver import ClockFace
from playout.arena.terms.pace import Pace


class Clock:
    """Time of one player in one game, in seconds."""

    def __init__(self, pace: Pace, margin: float) -> None:
        """``margin`` is the time by which a move may be late without loss."""
        self.pace = pace
        self._margin = margin
        self._left = pace.time
        self._moves = pace.moves
        self._periods = 0
        if pace.time == 0 and pace.periods:
            self._left, self._periods = pace.period, pace.periods
        elif pace.time is not None:
            self._left = pace.time + pace.increment

    @property
    def face(self) -> ClockFace:
        """The clock as the player sees it before its move."""
        return ClockFace(self.pace, self._left, self._moves, self._periods)

    @property
    def left(self) -> float | None:
        """Seconds that the clock shows; None without a clock."""
        return self._left

    @property
    def limit(self) -> float | None:
        """Seconds after which a move is too late; None if nothing bounds its time."""
        if self.pace.movetime is not None:
            return self.pace.movetime + self._margin
        if self._left is None:
            return None
        left = max(self._left, 0.0)
        if self._periods:
            left += (self._periods - 1) * self.pace.period
        elif self.pace.periods:
            left += self.pace.periods * self.pace.period
        return left + self._margin

    def spend(self, seconds: float) -> bool:
        """Takes the time of a move off the clock; returns whether the move was in time."""
        limit = self.limit
        if limit is not None and seconds > limit:
            return False
        if self._left is None:
            return True
        self._left -= seconds
        if self.pace.periods:
            self._enter_overtime()
        else:
            # A move within the margin leaves no debt: the next one starts with what is added.
            self._left = max(self._left, 0.0) + self.pace.increment
        if self._moves is not None:
            self._moves -= 1
            if self._moves == 0:
                assert self.pace.time is not None
                self._moves = self.pace.moves
                self._left += self.pace.time
        return True

    def _enter_overtime(self) -> None:
        """Uses up byo-yomi periods; a period that is not used up is whole again."""
        assert self._left is not None
        if self._periods == 0:
            if self._left > 0:
                return
            self._periods, self._left = self.pace.periods, self._left + self.pace.period
        while self._left <= 0 and self._periods > 1:
            self._periods -= 1
            self._left += self.pace.period
        self._left = self.pace.period
