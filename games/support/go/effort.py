"""Effort to solve a position of Go, for ``exact_effort``."""

from __future__ import annotations

NODES, GROWTH = 3e5, 1.25
"""Third quartile of the nodes to solve a position, and the factor for each legal move (``benches/exact/effort.py`` on
sizes 3 to 5, where it varies little between 2 and 12 moves; beyond, the factor is a guess on the safe side)."""
LARGEST = 25
"""Points of the largest board that is solved in play. On more than 16 the solver keeps no table, because results depend
on earlier boards; on more than 25 it comes too late."""


def effort(points: int, moves: int) -> float | None:
    """The expected number of positions to search on a board of ``points`` with ``moves`` legal moves; None on boards
    that are too large."""
    return NODES * float(GROWTH**moves) if points <= LARGEST else None
