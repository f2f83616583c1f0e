"""The pace of a move on a clock: how long a look-ahead may take, by what its depths have found so far.

Let S be the time that the clock's plan has for the move (``Allocation.soft``). The move gets S c d e, and no more than
``Allocation.hard``:

- c is the greater, the fewer depths in a row have found the same move best (``CALM``);
- d grows where the value falls: a loss of v since the best of the last ``REMEMBERED`` depths makes it 1 + ``FALL`` v;
- e shrinks where nearly all positions were searched after the best move, because its rivals were soon refuted: with
  their share p it is ``LEAST_EFFORT`` + ``EFFORT`` (1 - p).

A depth is not begun if more than ``BEGIN`` of this time is over: it would hardly be finished, and unfinished it seldom
changes the move.
"""

from __future__ import annotations

from collections import deque

CALM = (1.4, 1.15, 1.0, 0.9, 0.8)
"""Factors by the number of depths in a row, before the last one, that found the same move best."""
FALL = 4.0
MOST_FALL = 0.25
"""The greatest loss of value that counts."""
REMEMBERED = 4
EFFORT = 1.2
LEAST_EFFORT = 0.7
BEGIN = 0.55


class Pace:
    """The time for one move, in seconds since the command arrived. No thread may call it while another does."""

    def __init__(self, soft: float, hard: float) -> None:
        """``soft`` and ``hard`` are those of the clock's plan."""
        self._soft, self.hard = soft, hard
        self._move: str | None = None
        self._calm = 0
        self._values: deque[float] = deque(maxlen=REMEMBERED)
        self.seconds = soft
        """The time for the whole move, as far as is known."""

    def goes_on(self, move: str, value: float, effort: float, elapsed: float) -> bool:
        """Takes note of what a depth found, and returns whether a further one is worth its time.

        Args:
            move: the best move.
            value: its value in [-1, 1], for the player to move.
            effort: the share, in [0, 1], of the positions that were searched after this move.
            elapsed: seconds since the command arrived.
        """
        self._calm = self._calm + 1 if move == self._move else 0
        self._move = move
        fall = min(max(max(self._values, default=value) - value, 0.0), MOST_FALL)
        self._values.append(value)
        factor = CALM[min(self._calm, len(CALM) - 1)] * (1 + FALL * fall) * (LEAST_EFFORT + EFFORT * (1 - effort))
        self.seconds = min(self._soft * factor, self.hard)
        return elapsed < BEGIN * self.seconds
