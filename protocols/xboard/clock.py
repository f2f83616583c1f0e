"""CECP's time control: the clock that the interface sends, or the engine's own account of it if the interface sends
none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from playout.engine.terms.limits import Clock, Limits
from playout.games.errors import ProtocolError
from playout.protocols.base.dispatch import Command
from playout.protocols.xboard.syntax import Handler, whole

LONGEST = 10.0**9
"""Maximum number of seconds; longer times are reduced to it."""
NODE_CLOCK_MOVES = 30
"""Number of moves among which the clock is divided when time is counted in nodes."""

_BASE = re.compile(r"(\d{1,9})(?::(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class Level:
    """The command ``level``: a number of moves (0: all) in ``base`` seconds, and ``increment`` seconds for each."""

    moves: int
    base: float
    increment: float


class TimeControl:
    """The engine's clock and the limits of its searches."""

    def __init__(self) -> None:
        self._control: Level | None = None
        self._since = 0
        """Plies of the game at the start of the session."""
        self._left: float | None = None
        self._movetime: float | None = None
        self._depth: int | None = None
        self._rate = 0
        self.ply = 0
        """Plies of the game so far; the protocol updates it."""

    def commands(self) -> dict[str, Handler]:
        """The commands about time."""
        return {
            "level": self._level,
            "st": self._st,
            "sd": self._sd,
            "nps": self._nps,
            "time": self._time,
            "otim": self._otim,
        }

    def new_game(self) -> None:
        """Resets the clock for a new game; removes limits of depth and nodes."""
        self._depth, self._rate = None, 0
        self._since = self.ply = 0
        self._left = None if self._control is None else self._control.base

    def new_position(self) -> None:
        """Starts counting plies here, in a game that continues."""
        self._since = self.ply = 0

    def spend(self, seconds: float) -> None:
        """Subtracts the time of the engine's move, the one before ``ply``; a later ``time`` command overrides it."""
        if self._left is None:
            return
        self._left = max(self._left - seconds, 0.0)
        if self._control is not None:
            self._left += self._control.increment
            if self._control.moves and self._moves_made(self.ply - 1) % self._control.moves == self._control.moves - 1:
                self._left += self._control.base

    def limits(self, received: float, *, ponder: bool = False) -> Limits:
        """Returns the limits of a search for the engine's move, which has been due since ``received``."""
        movetime, clock = self._movetime, self._clock()
        nodes = None
        if self._rate:
            seconds = movetime
            if seconds is None and clock is not None:
                moves = min(clock.moves_to_go or NODE_CLOCK_MOVES, NODE_CLOCK_MOVES)
                seconds = min(clock.remaining / moves + clock.increment, clock.remaining)
            if seconds is not None:
                nodes, movetime, clock = max(1, int(seconds * self._rate)), None, None
        return Limits(movetime=movetime, nodes=nodes, depth=self._depth, clock=clock, ponder=ponder, received=received)

    def _clock(self) -> Clock | None:
        if self._left is None or self._movetime is not None:
            return None
        increment, to_go = 0.0, None
        if self._control is not None:
            increment, moves = self._control.increment, self._control.moves
            to_go = moves - self._moves_made(self.ply) % moves if moves else None
        return Clock(self._left, increment, to_go)

    def _moves_made(self, ply: int) -> int:
        """Returns the number of moves that the player to move at ``ply`` has made in the session."""
        return max(0, ply - self._since) // 2

    def _level(self, command: Command) -> Sequence[str]:
        """``level MOVES BASE INCREMENT``: MOVES moves (0: all) in BASE, which is minutes or minutes:seconds, and
        INCREMENT seconds for each move. Sets the engine's clock, and MOVES counts from here."""
        words = command.text.split()
        base = _BASE.match(words[1]) if len(words) == 3 else None
        if base is None:
            raise ProtocolError("expected level MOVES BASE INCREMENT")
        moves = whole(words[0], "the number of moves")
        if moves < 0:
            raise ProtocolError("the number of moves is not negative")
        minutes, seconds = int(base[1]), int(base[2] or 0)
        level = Level(moves, min(60.0 * minutes + seconds, LONGEST), _seconds(words[2]))
        self._control, self._since, self._left = level, self.ply, level.base
        self._movetime = None
        return ()

    def _st(self, command: Command) -> Sequence[str]:
        """``st SECONDS``: at most this many seconds for every move, until the next ``level``."""
        self._movetime = max(_seconds(command.text), 0.001)
        return ()

    def _sd(self, command: Command) -> Sequence[str]:
        """``sd PLIES``: a search also ends when its principal variation has this many plies, until ``new``."""
        self._depth = max(1, whole(command.text, "the depth"))
        return ()

    def _nps(self, command: Command) -> Sequence[str]:
        """``nps RATE``: time is counted in simulations, RATE of them a second, until ``new``; 0 is by the clock."""
        self._rate = max(0, whole(command.text, "the rate"))
        return ()

    def _time(self, command: Command) -> Sequence[str]:
        """``time CENTISECONDS``: what the engine's clock shows."""
        self._left = _seconds(command.text, negative=True) / 100
        return ()

    def _otim(self, command: Command) -> Sequence[str]:
        """``otim CENTISECONDS``: what the opponent's clock shows; changes nothing."""
        _seconds(command.text, negative=True)
        return ()


def _seconds(text: str, negative: bool = False) -> float:
    """Parses a time. A negative time, on a clock that has run out, becomes 0."""
    try:
        seconds = float(text)
    except ValueError:
        raise ProtocolError("a time is a number") from None
    if not seconds >= (-LONGEST if negative else 0.0):
        raise ProtocolError("a time is a number that is not negative")
    return max(0.0, min(seconds, LONGEST))
