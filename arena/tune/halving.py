"""Sequential halving (Karnin, Koren and Somekh 2013): settings play an equal number of pairs, and the better half goes
on, until one is left."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import msgspec

from playout.arena.file.plan import Plan
from playout.arena.file.types import Engine
from playout.arena.forms.form import Meeting, Outcome, Places, Round
from playout.arena.report.plots import ratings
from playout.arena.terms.job import OptionValue
from playout.arena.tune.method import OPPONENT, Rows, margin
from playout.arena.tune.plots import standalone
from playout.arena.tune.types import Tuning
from playout.engine.statistics.pairs import Pentanomial
from playout.games.errors import PlayoutError

UNCHANGED = "unchanged"
"""Name of the arm without any option."""


@dataclass(frozen=True, slots=True)
class Halving:
    """Rounds in which each arm that is left meets the opponent, the player after the last arm. See ``Form``.

    There are ceil(log2 arms) rounds. In each of them ``budget`` / (arms left * rounds) pairs are played for each arm,
    with the same openings, and the better half of the arms goes on, by all their pairs so far. Of equals the one goes
    on that is listed first.
    """

    arms: int
    budget: int
    """Pairs of games in all, at most."""
    waits: ClassVar[bool] = True
    decides: ClassVar[bool] = False

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return math.ceil(math.log2(self.arms))

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Number of arms, and of pairs for each arm, of each round."""
        found, left = [], self.arms
        for _ in range(self.rounds):
            found.append((left, self.budget // (left * self.rounds)))
            left = math.ceil(left / 2)
        return found

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        if drawn >= self.rounds:
            return None
        return [Meeting(arm, self.arms, self.sizes[drawn][1]) for arm in self.left(rounds[:drawn])]

    def decided(self, tally: Mapping[float, int]) -> str | None:
        return None

    def places(self, rounds: Sequence[Round]) -> Places | None:
        return None

    def left(self, rounds: Sequence[Round]) -> list[int]:
        """Returns the arms that are left after rounds, in the order in which they are listed."""
        points: dict[int, list[float]] = {arm: [] for arm in range(self.arms)}
        found = list(points)
        for outcomes in rounds:
            for outcome in outcomes:
                points[outcome.meeting.first] += outcome.pairs
            best = sorted(found, key=lambda arm: (-_mean(points[arm]), arm))
            found = sorted(best[: math.ceil(len(best) / 2)])
        return found

    def replayed(self, rows: Rows) -> list[Round]:
        """Returns the outcomes of the rounds that the store has, the last of which may be under way."""
        rounds, left = list[Round](), list(rows)
        while left and (meetings := self.draw(rounds, len(rounds))):
            outcomes = []
            for meeting in meetings:
                margins = [margin(row) for row in left[: meeting.pairs]]
                del left[: meeting.pairs]
                points = tuple(1 + one / 2 for one in margins if one is not None)
                outcomes.append(Outcome(meeting, (sum(points), 2 * len(points) - sum(points)), points))
            rounds.append(outcomes)
        return rounds


class HalvingMethod:
    """Tuning by sequential halving. See ``Method``."""

    def __init__(self, wanted: Tuning) -> None:
        """Reads the arms of a tuning's file.

        Raises:
            PlayoutError: one line about the field that halving cannot use.
        """
        if wanted.batch is not None:
            raise PlayoutError("batch: it is for the method spsa")
        self._arms = _arms(wanted)
        self.start: Mapping[str, OptionValue] = {}
        self._form = Halving(len(self._arms), wanted.pairs)
        least = self._form.arms * self._form.rounds
        if wanted.pairs < least:
            raise PlayoutError(f"pairs: {wanted.pairs}: {self._form.arms} arms need {least} at least")
        self.pairs = sum(arms * pairs for arms, pairs in self._form.sizes)
        engines = {
            name: msgspec.structs.replace(wanted.engine, options={**wanted.engine.options, **arm})
            for name, arm in self._arms.items()
        }
        engines[OPPONENT] = wanted.engine if wanted.opponent is None else wanted.opponent
        self.engines: Mapping[str, Engine] = engines

    def plan(self, event: Plan, rows: Callable[[], Rows]) -> Plan:
        return replace(event, form=self._form)

    def state(self, rows: Rows) -> str:
        rounds = self._form.replayed(rows)
        arms = self._form.sizes[max(0, len(rounds) - 1)][0]
        return f"round {max(1, len(rounds))} of {self._form.rounds}: {arms} arms"

    def table(self, rows: Rows) -> Sequence[Sequence[str]]:
        found = []
        for arm, counts, rounds in self._ranked(rows):
            elo = counts.elo
            error = f"{elo.error:.1f}" if math.isfinite(elo.error) else ""
            found.append((arm, f"{rounds}", f"{counts.number}", f"{100 * counts.mean:.1f}", f"{elo.value:+.1f}", error))
        return [("arm", "rounds", "pairs", "%", "Elo", "+/-"), *found]

    def records(self, rows: Rows) -> Sequence[Sequence[str]]:
        names = list(self._arms)
        return [
            ("round", "arm", "pairs", "points"),
            *(
                (f"{number}", names[outcome.meeting.first], f"{len(outcome.pairs)}", f"{outcome.points[0]:g}")
                for number, outcomes in enumerate(self._form.replayed(rows), 1)
                for outcome in outcomes
            ),
        ]

    def plot(self, rows: Rows) -> str:
        ranked = self._ranked(rows)
        return standalone(ratings([arm for arm, _, _ in ranked], [counts.elo for _, counts, _ in ranked]))

    def found(self, rows: Rows) -> Mapping[str, OptionValue]:
        return self._arms[self._ranked(rows)[0][0]]

    def _ranked(self, rows: Rows) -> list[tuple[str, Pentanomial, int]]:
        """Returns the arms, the best first, each with all its pairs and the number of rounds in which it took part."""
        rounds = self._form.replayed(rows)
        points: dict[int, list[float]] = {arm: [] for arm in range(self._form.arms)}
        taken = Counter[int]()
        for outcomes in rounds:
            for outcome in outcomes:
                points[outcome.meeting.first] += outcome.pairs
                taken[outcome.meeting.first] += 1
        order = sorted(points, key=lambda arm: (-taken[arm], -_mean(points[arm]), arm))
        names = list(self._arms)
        return [(names[arm], Pentanomial.of(one / 2 for one in points[arm]), taken[arm]) for arm in order]


def _arms(wanted: Tuning) -> dict[str, Mapping[str, OptionValue]]:
    """Returns the settings that are tried, by name: those of ``arms``, or all combinations of ``values``."""
    if bool(wanted.arms) == bool(wanted.options):
        raise PlayoutError("arms: halving needs either arms, or options with values")
    settings: Sequence[Mapping[str, OptionValue]] = wanted.arms
    if wanted.options:
        for name, tuned in wanted.options.items():
            if not tuned.values:
                raise PlayoutError(f"options.{name}: start, min and max are for the method spsa; halving needs values")
        grid = itertools.product(*(tuned.values for tuned in wanted.options.values()))
        settings = [dict(zip(wanted.options, values, strict=True)) for values in grid]
    found: dict[str, Mapping[str, OptionValue]] = {}
    for number, setting in enumerate(settings, 1):
        name = " ".join(f"{option}={value}" for option, value in setting.items()) or UNCHANGED
        if name in found:
            raise PlayoutError(f"arms: number {number} is there twice: {name}")
        found[name] = setting
    if len(found) < 2:
        raise PlayoutError("arms: at least two expected")
    return found


def _mean(points: Sequence[float]) -> float:
    return sum(points) / len(points) if points else 1.0
