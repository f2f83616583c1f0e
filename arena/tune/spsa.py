"""Simultaneous perturbation stochastic approximation (Spall 1992, 1998), in the units in which OpenBench and fishtest
state it.

Step k of N plays the values theta + flip c against theta - flip c, where each option has a random sign of its own, and
then moves them: theta += r c flip (W - L). With alpha 0.602, gamma 0.101 and A = N / 10,

    c = c_end (N / k) ** gamma,   a = r_end c_end**2 (A + N) ** alpha / (A + k) ** alpha,   r = a / c**2.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

ALPHA = 0.602
GAMMA = 0.101
STABILITY = 0.1
"""A as a share of the number of steps."""
LEAST_WHOLE = 0.5
"""Least distance c of an option of whole numbers: with it the two values are never equal after rounding."""
DIGITS = 6
"""Significant digits of the values that an engine is given."""

Theta = tuple[float, ...]
"""A value for each option, in the order of ``Spsa.ranges``."""


@dataclass(frozen=True, slots=True)
class Range:
    """An option that is moved."""

    name: str
    start: float
    low: float
    high: float
    step: float
    """c at the last step, in the option's units."""
    rate: float
    """r at the last step."""
    whole: bool = False
    """Whether it takes whole numbers only."""

    def value(self, theta: float, shift: float = 0.5) -> int | float:
        """Returns ``theta`` as an engine takes it.

        Args:
            theta: the value, anywhere.
            shift: for whole numbers, in [0, 1): they are rounded up if their fraction is 1 - ``shift`` or more.
        """
        inside = min(max(theta, self.low), self.high)
        if self.whole:
            return min(max(math.floor(theta + shift), int(self.low)), int(self.high))
        return min(max(float(f"{inside:.{DIGITS}g}"), self.low), self.high)


@dataclass(frozen=True, slots=True)
class Spsa:
    """A tuning of ``steps`` steps. It has no state; all its randomness follows from ``seed`` and a step's number."""

    ranges: tuple[Range, ...]
    steps: int
    seed: int

    @property
    def start(self) -> Theta:
        """The values before the first step."""
        return tuple(one.start for one in self.ranges)

    def distance(self, one: Range, step: int) -> float:
        """Returns c of an option at a step from 1 to ``steps``."""
        found: float = one.step * (self.steps / step) ** GAMMA
        return max(found, LEAST_WHOLE) if one.whole else found

    def rate(self, one: Range, step: int) -> float:
        """Returns r of an option at a step: the share of c by which a game won moves the value."""
        stability = STABILITY * self.steps
        scale: float = one.rate * one.step**2 * ((stability + self.steps) / (stability + step)) ** ALPHA
        return scale / (self.distance(one, step) * self.distance(one, step))

    def sides(self, step: int, theta: Theta) -> tuple[dict[str, int | float], dict[str, int | float]]:
        """Returns the options of the two sides of a step, theta + flip c and theta - flip c, within the bounds.

        Whole numbers are rounded at random, both sides by the same random number.
        """
        plus, minus = dict[str, int | float](), dict[str, int | float]()
        for one, value in zip(self.ranges, theta, strict=True):
            flip, shift = self._chance(one, step)
            distance = flip * self.distance(one, step)
            plus[one.name], minus[one.name] = one.value(value + distance, shift), one.value(value - distance, shift)
        return plus, minus

    def moved(self, step: int, theta: Theta, result: float) -> Theta:
        """Returns the values after a step whose games brought the plus side ``result`` = W - L, within the bounds."""
        found = []
        for one, value in zip(self.ranges, theta, strict=True):
            flip, _ = self._chance(one, step)
            value += self.rate(one, step) * self.distance(one, step) * flip * result
            found.append(min(max(value, one.low), one.high))
        return tuple(found)

    def _chance(self, one: Range, step: int) -> tuple[int, float]:
        """Returns the sign of an option at a step, and a number in [0, 1) by which it is rounded."""
        digest = hashlib.blake2b(f"{self.seed} {step} {one.name}".encode(), digest_size=8).digest()
        number = int.from_bytes(digest)
        return 1 if number & 1 else -1, (number >> 11) / 2**53


class Trail:
    """The values after each step. They follow from the steps' results, in the steps' order, and are computed anew from
    the first result that has changed since the last call."""

    def __init__(self, spsa: Spsa) -> None:
        self._spsa = spsa
        self._results: list[float | None] = []
        self._thetas = [spsa.start]

    def after(self, results: Sequence[float | None]) -> Sequence[Theta]:
        """Returns the values before step 1, and then after each step. A step without a result moves nothing.

        Args:
            results: W - L of each step, from step 1 on; None where it is not known.
        """
        same = next(differing(self._results, results, operator.ne), min(len(self._results), len(results)))
        del self._results[same:], self._thetas[same + 1 :]
        for result in results[same:]:
            step = len(self._thetas)
            theta = self._thetas[-1]
            self._thetas.append(theta if result is None else self._spsa.moved(step, theta, result))
            self._results.append(result)
        return tuple(self._thetas)


def differing(old: Sequence[object], new: Sequence[object], differ: Callable[[object, object], bool]) -> Iterator[int]:
    """Yields the places at which two sequences differ, as far as both go. No step of it is in Python: a tuning of many
    steps asks at each of them."""
    return itertools.compress(itertools.count(), map(differ, old, new))


def last_half(thetas: Sequence[Theta]) -> Theta:
    """Returns the mean over the last half of the steps, which has less noise than the last value (Polyak and Juditsky
    1992). ``thetas`` begins with the values before step 1."""
    half = thetas[(len(thetas) + 1) // 2 :] or thetas
    return tuple(math.fsum(values) / len(half) for values in zip(*half, strict=True))
