"""Ratings of many engines from their results against each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from playout.engine.statistics.fit import Fit, fit
from playout.engine.statistics.linear import sandwich
from playout.engine.statistics.links import members, reach
from playout.engine.statistics.records import Pairing, Record, records_of, scored_against, with_draws
from playout.engine.statistics.samples import Z95, Estimate, normal
from playout.engine.statistics.variance import points_variance
from playout.games.errors import PlayoutError

Model = Literal["logistic", "davidson"]
"""Expected score by the difference in strength: a draw as half a win, as in Ordo; or a result of its own with a weight
that is estimated (Davidson 1970)."""


@dataclass(frozen=True, slots=True)
class _Pool:
    """Ratings by the engines' places, with what bounds them."""

    values: Sequence[float]
    """Ratings in Elo."""
    covariances: Sequence[Sequence[float]]
    """Covariances of the ratings about the means of their groups, in the square of Elo; last those of the advantage."""
    scored: Sequence[int]
    """The engines that each took points from, directly or through others, as bit masks (``scored_against``)."""

    def error(self, one: int, other: int) -> float:
        """Returns the standard error of the difference of two engines of one group."""
        found = self.covariances
        return math.sqrt(max(0.0, found[one][one] + found[other][other] - 2 * found[one][other]))

    def difference(self, one: int, other: int) -> Estimate:
        """Returns the difference of two ratings."""
        return _interval(
            self.values[one] - self.values[other],
            self.error(one, other),
            below=self.scored[one] >> other & 1 == 1,
            above=self.scored[other] >> one & 1 == 1,
        )

    def to_anchor(self, place: int, anchor: int) -> Estimate:
        """Returns a rating with the interval of its difference to the anchor."""
        found = self.difference(place, anchor)
        base = self.values[anchor]
        return Estimate(self.values[place], base + found.low, base + found.high)

    def to_mean(self, place: int, group: Sequence[int]) -> Estimate:
        """Returns a rating with the interval of its difference to the mean of its group."""
        over = {other for other in group if self.scored[place] >> other & 1}
        under = {other for other in group if self.scored[other] >> place & 1}
        bounded = len(group) > 1 and len(over & under) == len(group)
        return _interval(
            self.values[place],
            math.sqrt(self.covariances[place][place]),
            below=bounded or not over <= under,
            above=bounded or not under <= over,
        )


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of a pool of engines, in Elo. ``rate`` makes them."""

    estimates: Mapping[str, Estimate]
    """Each engine's rating with its 95 % interval, the best engine first.

    A rating is the difference to the mean of the engine's group, or to the anchor, which itself has no error. An engine
    from which nobody took a point has no upper end, one that took none has no lower end, and one without games has
    neither. The same holds for several engines that took points from each other, against all others.
    """
    groups: tuple[tuple[str, ...], ...]
    """Engines that games connect, the largest group first. All groups have the same mean rating, because nothing is
    known about engines of one group against those of another."""
    advantage: Estimate | None
    """Elo by which the side that moves first is stronger; None if it was not asked for."""
    nu: float | None
    """Weight of draws in Davidson's model; None in the logistic model."""
    _places: Mapping[str, int] = field(repr=False)
    _pool: _Pool = field(repr=False)

    def difference(self, first: str, second: str) -> Estimate:
        """Returns the difference of two ratings with its 95 % interval, from the first engine's point of view.

        An end is infinite where no results bound it. The upper end is finite if the second engine took points from the
        first one, or from an engine that took points from it, and so on; the lower end is the other way round. Between
        two groups both ends are infinite.

        Raises:
            PlayoutError: one line if there is no such engine.
        """
        return self._pool.difference(self._place(first), self._place(second))

    def superiority(self, first: str, second: str) -> float:
        """Returns the likelihood that the first engine is the stronger one, in [0, 1]; 1/2 between two groups.

        Raises:
            PlayoutError: one line if there is no such engine.
        """
        one, other = self._place(first), self._place(second)
        if one == other or not any(first in group and second in group for group in self.groups):
            return 0.5
        return normal((self.estimates[first].value - self.estimates[second].value) / self._pool.error(one, other))

    def _place(self, name: str) -> int:
        try:
            return self._places[name]
        except KeyError:
            raise PlayoutError(f"there is no engine {name!r}: there are {', '.join(self._places)}") from None


def rate(
    pairings: Iterable[Pairing],
    engines: Iterable[str] = (),
    *,
    model: Model = "logistic",
    advantage: bool = False,
    anchor: tuple[str, float] | None = None,
) -> Ratings:
    """Rates engines so that each one's expected points are those that it obtained.

    In the logistic model that is what Ordo computes; in Davidson's it is the greatest likelihood. Errors come from the
    observed results, not from the model (the sandwich estimate; White 1982, "Maximum Likelihood Estimation of
    Misspecified Models"), so they hold for pairs of games from one opening too. They take the weight of draws as known.

    Where some engines took all points from others, their ratings would be infinite. Then draws are supposed between the
    former and the latter, one game in all (``records.with_draws``).

    Args:
        pairings: results. Those of the same two engines add up, in either order.
        engines: names of engines that are rated even without games; those of the pairings are always rated.
        model: expected score by the difference in strength.
        advantage: whether the advantage of the first move is estimated, from the pairings that say who moved first. One
            drawn game between equals is supposed for it. Where both moved first equally often the strengths alone give
            the expected score; a large advantage makes such results closer, and so their differences smaller.
        anchor: an engine and its rating in Elo; without one the mean rating is 0.

    Raises:
        PlayoutError: one line for an engine that plays itself, an unknown model, or an anchor that is no engine or has
            no finite rating.
    """
    if model not in get_args(Model):
        raise PlayoutError(f"ratings: the model {model!r} is none of {', '.join(get_args(Model))}")
    pairings = list(pairings)
    named = [*engines, *(name for pairing in pairings for name in (pairing.first, pairing.second))]
    names = list(dict.fromkeys(named))
    if anchor is not None:
        _check_anchor(anchor, names)
    places = {name: place for place, name in enumerate(names)}
    records = records_of(pairings, places)
    scored = scored_against(len(names), records)
    both_ways = [ends for record in records for ends in ((record.first, record.second), (record.second, record.first))]
    groups = sorted(map(members, dict.fromkeys(reach(len(names), both_ways))), key=len, reverse=True)
    records = with_draws(records, scored)
    fitted = fit(records, groups, advantage=advantage, draws=model == "davidson")
    scale = fitted.curve.elo
    offset = 0.0 if anchor is None else anchor[1] - scale * fitted.strengths[names.index(anchor[0])]
    pool = _Pool(
        [scale * strength + offset for strength in fitted.strengths],
        [[scale**2 * value for value in row] for row in sandwich(fitted.slopes, points_variance(records, fitted))],
        scored,
    )
    estimates: dict[str, Estimate] = {}
    for group in groups:
        fixed = next((place for place in group if anchor and names[place] == anchor[0]), None)
        for place in group:
            estimates[names[place]] = pool.to_mean(place, group) if fixed is None else pool.to_anchor(place, fixed)
    return Ratings(
        dict(sorted(estimates.items(), key=lambda item: -item[1].value)),
        tuple(tuple(names[place] for place in group) for group in groups),
        _advantage(records, fitted, pool) if advantage else None,
        fitted.curve.nu if model == "davidson" else None,
        places,
        pool,
    )


def _check_anchor(anchor: tuple[str, float], names: Sequence[str]) -> None:
    name, rating = anchor
    if name not in names:
        raise PlayoutError(f"ratings: the anchor {name!r} is none of the engines {', '.join(names)}")
    if not math.isfinite(rating):
        raise PlayoutError(f"ratings: the anchor's rating is {rating:g}: allowed are finite numbers")


def _advantage(records: Sequence[Record], fitted: Fit, pool: _Pool) -> Estimate:
    """Returns the advantage of the first move. An end is infinite if that side took all points, or none."""
    known = [record.results for record in records if record.starts]
    return _interval(
        fitted.curve.elo * fitted.advantage,
        math.sqrt(pool.covariances[-1][-1]),
        below=any(results.mean > 0 for results in known),
        above=any(results.mean < 1 for results in known),
    )


def _interval(value: float, error: float, *, below: bool, above: bool) -> Estimate:
    """Returns the estimate with 95 % of a normal distribution, and an infinite end where nothing bounds it."""
    low = value - Z95 * error if below else -math.inf
    return Estimate(value, low, value + Z95 * error if above else math.inf)
