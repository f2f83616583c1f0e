"""Time controls, in the words of cutechess and fastchess."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from playout.games.errors import PlayoutError

FORM = "[MOVES/][MINUTES:]SECONDS[+INCREMENT], byo-yomi SECONDS+PERIODSxSECONDS, or inf"
_TIME = re.compile(
    r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+):)?(?P<seconds>\d+(?:\.\d+)?)"
    r"(?:\+(?:(?P<periods>\d+)x(?P<period>\d+(?:\.\d+)?)|(?P<increment>\d+(?:\.\d+)?)))?"
)


@dataclass(frozen=True, slots=True)
class Pace:
    """Time and other bounds of a player. Times are in seconds. Without any bound the engine decides.

    ``time`` is for the game or, with ``moves``, for each ``moves`` moves; ``increment`` is added after each move. With
    ``periods``, byo-yomi follows ``time``: a move that takes longer than ``period`` uses one period up.
    """

    time: float | None = None
    increment: float = 0.0
    moves: int | None = None
    periods: int = 0
    period: float = 0.0
    movetime: float | None = None
    """Seconds for each move, instead of a clock."""
    nodes: int | None = None
    depth: int | None = None

    @property
    def bounded(self) -> bool:
        """Whether anything bounds a move."""
        return any(bound is not None for bound in (self.time, self.movetime, self.nodes, self.depth))

    @property
    def words(self) -> str:
        """All bounds, for people: ``10+0.1, depth 8``; ``-`` if there is none."""
        limits = [f"{name} {bound}" for name in ("nodes", "depth") if (bound := getattr(self, name)) is not None]
        control = str(self)
        return ", ".join([*([control] if control != "-" else []), *limits]) or control

    def __str__(self) -> str:
        """The time control alone in cutechess's form, which is that of records; ``-`` if there is none."""
        if self.movetime is not None:
            return f"{self.movetime:g}/move"
        if self.time is None:
            return "-"
        text = f"{self.time:g}" if self.moves is None else f"{self.moves}/{self.time:g}"
        if self.periods:
            return f"{text}+{self.periods}x{self.period:g}"
        return f"{text}+{self.increment:g}" if self.increment else text


def read_pace(text: str) -> Pace:
    """Returns the time control that ``text`` stands for, such as ``40/60+0.6``, ``1:30+1``, ``60+5x10`` or ``inf``.

    Raises:
        PlayoutError: one line with the forms that are allowed.
    """
    words = text.strip()
    if words == "inf":
        return Pace()
    found = _TIME.fullmatch(words)
    if found is None:
        raise PlayoutError(f"time control {text!r}: expected {FORM}")
    time = 60 * int(found["minutes"] or 0) + float(found["seconds"])
    pace = Pace(time=time, increment=float(found["increment"] or 0))
    if found["moves"]:
        pace = replace(pace, moves=int(found["moves"]))
    if found["periods"]:
        pace = replace(pace, periods=int(found["periods"]), period=float(found["period"]))
        if not pace.periods or not pace.period:
            raise PlayoutError(f"time control {text!r}: byo-yomi without time")
    if pace.moves == 0 or pace.time == pace.increment == pace.period == 0:
        raise PlayoutError(f"time control {text!r}: it allows no time")
    if pace.moves and pace.periods:
        raise PlayoutError(f"time control {text!r}: either moves or byo-yomi")
    return pace
