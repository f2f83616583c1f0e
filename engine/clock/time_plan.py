"""The clock allocator: from what a clock shows to the time that one move may take.

All times are seconds. With

- R: what is left on the clock, but for the reserve, I: the increment,
- o: what every move costs at the least, the overhead and ``MINIMUM``,
- n: the moves that this clock must still last,

what a chess clock (increments, tournament sessions, sudden death, Go's absolute time) has to give, and the plan, are

    budget = R - o + (n - 1) (I - o),    plan = budget / n.

Overtime of P seconds for m moves (Canadian; Japanese byo-yomi has m = 1) gives every move f = P / m - o for nothing
once the main time is gone. A move that takes t > f of the main time gains t - f over overtime, and R / t moves can
gain. If a doubling of thinking time is always worth the same, the gain of the whole main time is (R / t) log(t / f),
greatest at t = e f. So the main time is spent at

    max(plan, e f), but at most R + f, for the move that meets the end of the main time flows over into overtime.

Inside overtime a move takes its even part of what is left of the running period, in which ``moves_to_go`` moves (if
that is not given, ``period_moves``) are still to be made. The last one takes all of it: what it leaves is lost.

A clock with an increment that shows less than the reserve is filled up to it: its moves get half of the increment.

``soft`` is this plan. ``hard`` lets a search that is still undecided borrow from later moves: up to ``STRETCH`` times
the plan, but never more than ``CEILING`` of a budget that must last longer than this move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from playout.engine.terms.limits import Clock

MINIMUM = 0.001
"""Seconds that a move gets however little time is left: the search must at least choose a legal move."""
MAXIMUM = 86400.0
"""Seconds that no move exceeds, however much time is left."""
STRETCH = 3.0
CEILING = 0.75
EXPECTED_PLIES = 80
"""Length of a game of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """Seconds for one move, counted from the arrival of the command; ``MINIMUM <= soft <= hard <= MAXIMUM``."""

    soft: float
    """The search stops here unless it has a reason to go on."""
    hard: float
    """The search stops here."""


def moves_left(ply: int, expected_plies: int | None) -> int:
    """How many moves each player will still make: half of the expected plies that are left, but, because a game that
    lasts longer than expected goes on for a while, at least a sixth of the expected length."""
    expected = max(1, EXPECTED_PLIES if expected_plies is None else expected_plies)
    return math.ceil(max(expected - ply, expected / 3) / 2)


def allocate(
    clock: Clock, *, overhead: float, reserve: float = 0.0, ply: int, expected_plies: int | None = None
) -> Allocation:
    """The time for this move. A pure function, monotonic in ``clock.remaining``.

    Unless ``MINIMUM`` is all there is, ``hard + overhead`` never exceeds what the clock allows for this move:
    ``remaining``, and, while overtime is still to come, the part of its first period that belongs to one move.

    Args:
        clock: of the player to move.
        overhead: seconds per move that pass on the clock while the engine does not think.
        reserve: seconds that are kept on the clock for a move that costs more than usual; half of the clock is
            planned with in any case.
        ply: how many moves both players have made.
        expected_plies: the typical length of a game; None if it is unknown.
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
