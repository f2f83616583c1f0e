"""The clock allocator: computes from a clock the time that one move may take.

All times are in seconds. Let

- R be the time left on the clock without the reserve, and I the increment,
- o be the least cost of every move: the overhead plus ``MINIMUM``,
- n be the number of moves that this clock must still last.

For a chess clock (increments, tournament sessions, sudden death, Go's absolute time) the budget and the plan are

    budget = R - o + (n - 1) (I - o),    plan = budget / n.

Overtime of P seconds for m moves (Canadian; Japanese byo-yomi has m = 1) gives every move f = P / m - o for free once
the main time is gone. A move that takes t > f of the main time gains t - f over overtime, and R / t moves can
gain. If each doubling of thinking time is worth the same, the gain of the whole main time is (R / t) log(t / f), which
is greatest at t = e f. So a move of the main time gets

    max(plan, e f), at most R + f, because the move that meets the end of the main time runs over into overtime.

Inside overtime a move gets an equal part of what is left of the running period, in which ``moves_to_go`` moves (or
``period_moves``, if that is not given) are still to be made. The last of them gets all of it, since the rest is lost.

While a clock with an increment shows less than the reserve, its moves get half of the increment, which refills it.

``soft`` is this plan. ``hard`` lets a search that is still undecided borrow from later moves: up to ``STRETCH`` times
the plan, but never more than ``CEILING`` of a budget that must last longer than this move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from playout.engine.terms.limits import Clock

MINIMUM = 0.001
"""Seconds that every move gets: the search must at least choose a legal move."""
MAXIMUM = 86400.0
"""Seconds that no move exceeds."""
STRETCH = 3.0
CEILING = 0.75
EXPECTED_PLIES = 80
"""Plies of a game whose usual length is not known."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """Seconds for one move, counted from the arrival of the command; ``MINIMUM <= soft <= hard <= MAXIMUM``."""

    soft: float
    """The search stops here unless it has a reason to go on."""
    hard: float
    """The search stops here."""


def moves_left(ply: int, expected_plies: int | None) -> int:
    """Returns the expected number of moves that each player will still make.

    That is half of the expected plies that are left, but at least a sixth of the expected length, because a game that
    lasts longer than expected goes on for a while.
    """
    expected = max(1, EXPECTED_PLIES if expected_plies is None else expected_plies)
    return math.ceil(max(expected - ply, expected / 3) / 2)


def allocate(
    clock: Clock, *, overhead: float, reserve: float = 0.0, ply: int, expected_plies: int | None = None
) -> Allocation:
    """Returns the time for this move. A pure function, monotonic in ``clock.remaining``.

    Unless only ``MINIMUM`` is left, ``hard + overhead`` never exceeds what the clock allows for this move:
    ``remaining`` plus, while overtime is still to come, the part of its first period that belongs to one move.

    Args:
        clock: the clock of the player to move.
        overhead: seconds per move that pass on the clock while the engine does not think.
        reserve: seconds that are kept on the clock for a move that costs more than usual; at most half of the clock.
        ply: number of moves that both players have made.
        expected_plies: typical length of a game in plies; None if it is unknown.
    """
    shown = min(max(clock.remaining, 0.0), MAXIMUM)
    remaining = shown - min(max(reserve, 0.0), shown / 2)
    increment = min(max(clock.increment, 0.0), MAXIMUM)
    period = min(max(clock.period, 0.0), MAXIMUM)
    period_moves = max(1, clock.period_moves)
    cost = overhead + MINIMUM

    if clock.in_overtime:
        stones = max(1, clock.moves_to_go or period_moves)
        budget = remaining - stones * cost
        return _allocation(budget / stones, budget if stones == 1 else CEILING * budget)

    moves = max(1, clock.moves_to_go or moves_left(ply, expected_plies))
    budget = remaining - cost + (moves - 1) * (increment - cost)
    free = period / period_moves - cost
    if free > 0.0:
        return _allocation(max(budget / moves, math.e * free), remaining + free)
    most = CEILING * min(budget, remaining - cost)
    if shown < reserve and increment > 0.0 and clock.moves_to_go is None:
        most = min(most, increment / 2)
    return _allocation(budget / moves, most)


def _allocation(plan: float, most: float) -> Allocation:
    soft = min(max(min(plan, most), MINIMUM), MAXIMUM)
    return Allocation(soft, min(max(min(STRETCH * plan, most), soft), MAXIMUM))
