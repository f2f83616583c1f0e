"""The processors of a machine, shared out among desks."""

from __future__ import annotations

import os

from playout.games.errors import PlayoutError

Cores = frozenset[int]
"""Numbers of processors, as the system counts them."""


def shares(desks: int, *, affinity: bool) -> list[Cores]:
    """Returns for each of a number of desks as many processors as for any other, of those that this process may use.

    Without ``affinity`` a desk has none of its own: the system chooses.

    Raises:
        PlayoutError: if there are fewer processors than desks, or the system cannot bind processes to them.
    """
    if not affinity:
        return [frozenset()] * desks
    if not hasattr(os, "sched_getaffinity"):
        raise PlayoutError("--affinity: this system does not bind processes to processors")
    usable = sorted(os.sched_getaffinity(0))
    each = len(usable) // desks
    if each == 0:
        raise PlayoutError(f"--affinity: {desks} pairs at a time need as many processors; there are {len(usable)}")
    return [frozenset(usable[desk * each : (desk + 1) * each]) for desk in range(desks)]
