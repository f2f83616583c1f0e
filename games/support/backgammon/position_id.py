"""GNU Backgammon's Position ID: the checkers of a backgammon position as a word.

A side's checkers are 26 counts by point as that side counts them: 0 off the board, 1 to 24, 25 the bar; 15 in all.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from playout.games.errors import GameError

Checkers = tuple[int, ...]

OFF, BAR, HOME, ALL = 0, 25, 6, 15
"""Target off the board, the bar, the highest point of the home board, and a side's number of checkers."""


def position_id(own: Checkers, other: Checkers) -> str:
    """Returns the 14 characters for the side on roll and the other side, ``"4HPwATDgc/ABMA"`` at the start of a game.

    First for the other side, then for the side on roll, each point from 1 to the bar is coded by one 1-bit for each
    checker, followed by a 0-bit. The bits fill ten bytes from the least significant end, which are written in base64.
    """
    bits = "".join("1" * count + "0" for side in (other, own) for count in side[1:])
    return base64.b64encode(int(bits[::-1], 2).to_bytes(10, "little")).decode().rstrip("=")


def from_position_id(text: str) -> tuple[Checkers, Checkers]:
    """Returns the checkers of the side on roll and of the other side.

    Raises:
        GameError: if ``text`` is not a Position ID, or its position is impossible.
    """
    try:
        number = int.from_bytes(base64.b64decode(text + "==", validate=True), "little")
    except (binascii.Error, ValueError):
        raise GameError(f"not a Position ID: {text!r} (14 characters of base64)") from None
    runs = iter(f"{number:080b}"[::-1].split("0"))
    other, own = _next_side(runs), _next_side(runs)
    if max(sum(own), sum(other)) == ALL and position_id(own, other) == text:
        check_position(own, other)
        return own, other
    raise GameError(f"not a Position ID: {text!r} (14 characters of base64 for at most {ALL} checkers a side)")


def _next_side(runs: Iterator[str]) -> Checkers:
    counts = [len(next(runs, "")) for _ in range(BAR)]
    return max(ALL - sum(counts), 0), *counts


def check_position(own: Checkers, other: Checkers) -> None:
    """Raises GameError if the checkers cannot occur in a game."""
    for point in range(1, BAR):
        if own[point] and other[BAR - point]:
            raise GameError(f"impossible position: both sides hold the {point} point of the side on roll")
    if own[OFF] == other[OFF] == ALL:
        raise GameError("impossible position: both sides have borne off all their checkers")
    if all(side[BAR] and min(side[1 : HOME + 1]) > 1 for side in (own, other)):
        raise GameError("impossible position: both sides are on the bar against closed boards")
