"""One line about a search, for people."""

from __future__ import annotations

from collections.abc import Sequence

from playout.engine.terms.info import SearchResult

SHOWN = 6
"""Number of moves shown of the line."""


def describe(result: SearchResult) -> str:
    """Describes the search behind a move. The value is from the point of view of the player who makes it."""
    if result.book is not None:
        return f"book: {result.book}"
    info = result.info
    line = info.moves[0].pv if info.moves else ()
    return thoughts(f"{info.value:+.2f}", info.simulations, info.nps, line)


def thoughts(value: str, simulations: int, rate: int, line: Sequence[str]) -> str:
    """Returns a line such as ``value +0.12, 4,512 simulations, 45,120/s, line e2e4 e7e5``."""
    shown = " ".join(line[:SHOWN]) + (" ..." if len(line) > SHOWN else "")
    return f"value {value}, {simulations:,} simulations, {rate:,}/s, line {shown}"
