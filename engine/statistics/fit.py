"""Strengths of engines under which the expected points are those that were obtained."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from playout.engine.statistics.curve import Curve, Expected
from playout.engine.statistics.linear import solve
from playout.engine.statistics.pairs import Pentanomial, Trinomial
from playout.engine.statistics.records import PRIOR, Record

PRECISION = 1e-9
"""Size of the last step, in logits."""
ROUNDS = 200
"""Most steps; ordinary results need five, those of Davidson's model fifteen."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths that solve the equations, in logits."""

    strengths: Sequence[float]
    """The strength of each engine; their mean is 0 in each group of engines that are compared with each other."""
    advantage: float
    """Difference by which the side that moves first is stronger."""
    curve: Curve
    slopes: Sequence[Sequence[float]]
    """Derivatives of the expected points of each engine, and last of the side that moves first, by each strength and by
    the advantage of the first move."""

    def expected(self, record: Record) -> Expected:
        """Returns the expectations of one game of a record."""
        return _expected(record, self.curve, [*self.strengths, self.advantage])


def fit(records: Sequence[Record], groups: Sequence[Sequence[int]], *, advantage: bool, draws: bool) -> Fit:
    """Finds the strengths, and with them the parameters of the curve, by Newton's method.

    The equations say that each engine's expected points are those obtained. Their solution has the greatest likelihood
    if a draw counts as half a win and half a loss, as in Ordo, or in Davidson's model; there one more equation says
    that as many draws are expected as were seen.

    Args:
        records: the results, with the supposed draws without which no finite strengths solve the equations.
        groups: the engines, numbered from 0, in groups that the records connect.
        advantage: whether the advantage of the first move is fitted. It has a prior of one game between equals that was
            drawn.
        draws: whether the weight of draws is fitted.
    """
    found = [0.0] * (sum(map(len, groups)) + 1)
    curve = Curve(1.0 if draws and _visible_draws(records) else 0.0)
    rest, slopes = _equations(records, groups, found, curve, advantage)
    for _ in range(ROUNDS):
        step = [row[0] for row in solve(slopes, [[value] for value in rest])]
        before, start, factor = math.hypot(*rest), found, 1.0
        while True:
            found = [value + factor * part for value, part in zip(start, step, strict=True)]
            rest, slopes = _equations(records, groups, found, curve, advantage)
            # Close to the solution the rest is rounding, which no step makes less.
            if math.hypot(*rest) < before or factor * max(map(abs, step)) <= PRECISION:
                break
            factor /= 2
        change = _draw_step(records, found, curve) if curve.nu else 0.0
        if max(*map(abs, step), abs(change)) <= PRECISION:
            break
        if change:
            curve = Curve(curve.nu * math.exp(change))
            rest, slopes = _equations(records, groups, found, curve, advantage)
    return Fit(found[:-1], found[-1], curve, slopes)


def _expected(record: Record, curve: Curve, values: Sequence[float]) -> Expected:
    """Returns the expectations of one game of a record, from the strengths and, last, the advantage."""
    difference = values[record.first] - values[record.second]
    return curve.at(difference + values[-1] if record.starts else difference)


def _equations(
    records: Sequence[Record], groups: Sequence[Sequence[int]], values: Sequence[float], curve: Curve, advantage: bool
) -> tuple[list[float], list[list[float]]]:
    """Returns the points obtained less those expected, and the derivatives of the latter.

    Points do not depend on a group's mean strength; the derivatives get a part that keeps it.
    """
    last = len(values) - 1
    rest, slopes = [0.0] * (last + 1), [[0.0] * (last + 1) for _ in range(last + 1)]
    for group in groups:
        for one in group:
            for other in group:
                slopes[one][other] = 1 / len(group)
    for record in records:
        one, other, games = record.first, record.second, record.games
        expected = _expected(record, curve, values)
        missing, slope = record.points - games * expected.score, games * expected.slope
        rest[one] += missing
        rest[other] -= missing
        slopes[one][one] += slope
        slopes[other][other] += slope
        slopes[one][other] -= slope
        slopes[other][one] -= slope
        if advantage and record.starts:
            rest[last] += missing
            slopes[last][last] += slope
            for place, sign in ((one, 1), (other, -1)):
                slopes[place][last] += sign * slope
                slopes[last][place] += sign * slope
    between_equals = curve.at(values[last])
    rest[last] += PRIOR * (0.5 - between_equals.score)
    slopes[last][last] += PRIOR * between_equals.slope
    return rest, slopes


def _visible_draws(records: Sequence[Record]) -> int:
    """Returns the number of draws that are known: a pair with one point each may be two of them or none."""
    draws = 0
    for record in records:
        match record.results:
            case Trinomial(draws=drawn):
                draws += drawn
            case Pentanomial(counts=(_, worse, _, better, _)):
                draws += worse + better
    return draws


def _draw_step(records: Sequence[Record], values: Sequence[float], curve: Curve) -> float:
    """Returns the change of the logarithm of nu after which as many draws are expected as were seen.

    Of the pairs with one point each the share counts as drawn that the curve expects, so that the step leads to the
    greatest likelihood of the pairs.
    """
    of_even = curve.drawn_of_even_pair
    games, seen, expected, slope, hidden = 0, float(_visible_draws(records)), 0.0, 0.0, 0.0
    for record in records:
        number = record.results.games
        drawn = _expected(record, curve, values).drawn
        games += number
        expected += number * drawn
        slope += number * drawn * (1 - drawn)
        if isinstance(record.results, Pentanomial):
            seen += 2 * record.results.counts[2] * of_even
            hidden += 4 * record.results.counts[2] * of_even * (1 - of_even)
    # If every game was drawn, half a game counts as decided: the weight would be infinite.
    missing = min(seen, games - 0.5) - expected
    return max(-1.0, min(1.0, missing / max(slope - hidden, slope / 3)))
