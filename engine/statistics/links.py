"""Links between engines: who has been compared with whom, and who has taken points from whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def reach(number: int, steps: Iterable[tuple[int, int]]) -> list[int]:
    """Returns the nodes that can be reached from each of ``number`` nodes along the steps, itself included.

    Each set of nodes is a bit mask: bit i is node i.
    """
    next_ones = [1 << node for node in range(number)]
    for start, end in steps:
        next_ones[start] |= 1 << end
    found = []
    for node in range(number):
        seen, fresh = 0, 1 << node
        while fresh:
            seen |= fresh
            fresh = _union(next_ones, fresh) & ~seen
        found.append(seen)
    return found


def members(mask: int) -> list[int]:
    """Returns the nodes of a bit mask, the lowest first."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


def _union(sets: Sequence[int], mask: int) -> int:
    union = 0
    for node in members(mask):
        union |= sets[node]
    return union
