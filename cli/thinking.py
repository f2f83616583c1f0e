"""One line about a search, for people."""

from __future__ import annotations

from collections.abc import Sequence

from playout.results import Analysis, Result

SHOWN = 6
"""Number of moves shown of the line."""


def describe(result: Analysis) -> str:
    """Describes the search behind a move. The value is from the point of view of the player who makes it."""
    if isinstance(result, Result) and result.book is not None:
        return f"book: {result.book}"
    line = result.moves[0].pv if result.moves else ()
    return thoughts(f"{result.value or 0.0:+.2f}", result.simulations, result.nps, line)


def thoughts(value: str, positions: int, rate: int, line: Sequence[str]) -> str:
    """Returns a line such as ``value +0.12, 4,512 positions, 45,120/s, line e2e4 e7e5``: each simulation, and each
    step of a look-ahead, searches a position."""
    shown = " ".join(line[:SHOWN]) + (" ..." if len(line) > SHOWN else "")
    return f"value {value}, {positions:,} positions, {rate:,}/s, line {shown}"
