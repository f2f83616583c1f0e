"""The ``go`` command of UCI and UGI, parsed into ``Limits``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from playout.engine.terms.limits import Clock, Limits, Reports
from playout.games.nearest import nearest
from playout.protocols.base.lines import one_line, real_number

LARGEST = 2**53
"""Larger numbers are reduced to this one."""


@dataclass(frozen=True, slots=True)
class GoWords:
    """A dialect's words for the clocks of player 0 and player 1."""

    times: tuple[str, str]
    increments: tuple[str, str]

    @property
    def numbers(self) -> frozenset[str]:
        """Words that are followed by a number."""
        return frozenset((*self.times, *self.increments, "movestogo", "movetime", "nodes", "depth", "mate"))

    @property
    def all(self) -> frozenset[str]:
        """Every word that ends a list of moves."""
        return self.numbers | {"searchmoves", "infinite", "ponder"}


UCI_WORDS = GoWords(("wtime", "btime"), ("winc", "binc"))
UGI_WORDS = GoWords(("p1time", "p2time"), ("p1inc", "p2inc"))


def parse_go(words: Sequence[str], dialect: GoWords, player: int, received: float) -> tuple[Limits, str | None]:
    """Returns the limits for ``player``, 0 or 1, and a message about unknown words, if there are any.

    Limits combine. Without a word the search is infinite. If none of the words can be read, the session's default
    applies, so that the engine moves in any case.
    """
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    skipped: list[str] = []
    known, counted = dialect.all, dialect.numbers
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if word == "searchmoves":
            while place < len(words) and words[place] not in known:
                moves.append(words[place])
                place += 1
        elif word in ("infinite", "ponder"):
            flags.add(word)
        elif word in counted:
            number = _number(words[place]) if place < len(words) else None
            if number is not None:
                numbers[word] = number
                place += 1
            else:
                skipped.append(word)
                if place < len(words) and words[place] not in known:
                    skipped.append(words[place])
                    place += 1
        else:
            skipped.append(word)
    limits = Limits(
        movetime=_seconds(numbers.get("movetime")),
        nodes=_at_least_one(numbers.get("nodes")),
        depth=_at_least_one(numbers.get("depth")),
        mate=_at_least_one(numbers.get("mate")),
        clock=_clock(numbers, dialect, player),
        infinite="infinite" in flags or not (numbers or flags or skipped),
        ponder="ponder" in flags,
        search_moves=tuple(moves),
        received=received,
        reports=Reports(plain=True),
    )
    if not skipped:
        return limits, None
    near = "" if skipped[0] in counted else nearest(skipped[0], known)
    return limits, f"go: ignored {one_line(' '.join(skipped), 80)}{near}"


def _clock(numbers: dict[str, int], dialect: GoWords, player: int) -> Clock | None:
    """Returns the clock of ``player``; if only the opponent's time is given, it is used for both."""
    own, other = dialect.times[player], dialect.times[1 - player]
    remaining = numbers.get(own, numbers.get(other))
    if remaining is None:
        return None
    increment = numbers.get(dialect.increments[player], 0)
    moves_to_go = numbers.get("movestogo", 0)
    return Clock(max(remaining, 0) / 1000, max(increment, 0) / 1000, moves_to_go if moves_to_go > 0 else None)


def _number(word: str) -> int | None:
    number = real_number(word)
    return int(max(-LARGEST, min(LARGEST, number))) if not math.isnan(number) else None


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else max(milliseconds, 1) / 1000


def _at_least_one(number: int | None) -> int | None:
    return None if number is None else max(number, 1)
