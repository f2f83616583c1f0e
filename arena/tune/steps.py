"""Tuning by SPSA: its steps as rounds of an event, and their results."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import msgspec

from playout.arena.file.plan import Plan
from playout.arena.file.types import Engine
from playout.arena.forms.form import Meeting, Places, Round
from playout.arena.terms.job import Job, OptionValue
from playout.arena.tune.method import OPPONENT, Rows, margin
from playout.arena.tune.plots import trails
from playout.arena.tune.spsa import Range, Spsa, Trail, differing, last_half
from playout.arena.tune.types import RATE, STEPS, Tuned, Tuning
from playout.games.errors import PlayoutError

PLUS, MINUS = "engine+", "engine-"
BEHIND = 1
"""Number of steps, before the one that is drawn, whose results it does not use.

The coordinator draws a step while the last pair of the step before it is played, so that no desk ever waits. If that
step's result counted or not by chance, a tuning that was killed would go on in another way than one that was not.
"""


@dataclass(frozen=True, slots=True)
class StepForm:
    """The steps of SPSA as rounds. See ``Form``. Both sides meet, or each of them meets the opponent, player 2."""

    steps: int
    batch: int
    opponent: bool
    waits: ClassVar[bool] = False
    decides: ClassVar[bool] = False

    @property
    def size(self) -> int:
        """Pairs of a step."""
        return self.batch * (2 if self.opponent else 1)

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        if drawn >= self.steps:
            return None
        if self.opponent:
            return [Meeting(0, 2, self.batch), Meeting(1, 2, self.batch)]
        return [Meeting(0, 1, self.batch)]

    def decided(self, tally: Mapping[float, int]) -> str | None:
        return None

    def places(self, rounds: Sequence[Round]) -> Places | None:
        return None

    def results(self, rows: Rows) -> list[float | None]:
        """Returns W - L of each step drawn: the games that the plus side won less those that it lost. None if no pair
        is complete.

        Against an opponent it is the difference of both sides' W - L, over equal numbers of pairs. Between equals it
        has the same expectation as in games of the sides with each other.
        """
        return [self.result(rows[begin : begin + self.size]) for begin in range(0, len(rows), self.size)]

    def result(self, rows: Rows) -> float | None:
        """Returns W - L of the step whose pairs are ``rows``."""
        margins = [margin(row) for row in rows]
        sides = [
            [one for one in margins[place : place + self.batch] if one is not None]
            for place in range(0, self.size, self.batch)
        ]
        least = min(map(len, sides))
        won, *lost = [least * sum(side) / len(side) if least else 0.0 for side in sides]
        return won - sum(lost) if least else None


class Results:
    """The results of the steps drawn. Only those of steps are computed anew whose rows are other objects than at the
    last call."""

    def __init__(self, form: StepForm, rows: Callable[[], Rows]) -> None:
        """``rows`` gives the pairs drawn so far."""
        self._form, self._read = form, rows
        self._rows: Rows = ()
        self._found: list[float | None] = []

    def __call__(self) -> Sequence[float | None]:
        """Returns what ``StepForm.results`` returns."""
        rows, size = self._read(), self._form.size
        if len(rows) < len(self._rows):
            self._rows, self._found = (), []
        steps = -(-len(rows) // size)
        changed = {place // size for place in differing(self._rows, rows, operator.is_not)}
        changed.update(range(len(self._rows) // size, steps))
        self._found += [None] * (steps - len(self._found))
        for step in changed:
            self._found[step] = self._form.result(rows[step * size : (step + 1) * size])
        self._rows = rows
        return self._found


@dataclass(frozen=True, slots=True)
class StepPlan(Plan):
    """An event of SPSA. The options of a step's players are made when its pairs are, and stay in them."""

    spsa: Spsa
    trail: Trail
    results: Callable[[], Sequence[float | None]]
    """Gives the results of the steps so far."""

    def jobs(self, round_: int, meetings: Sequence[Meeting], opening: int) -> list[Job]:
        """Returns the pairs of a step. See ``Plan``."""
        known = self.results()[: max(0, round_ - BEHIND)]
        plus, minus = self.spsa.sides(round_ + 1, self.trail.after(known)[-1])
        tried: Mapping[str, Mapping[str, int | float]] = {PLUS: plus, MINUS: minus}
        found = []
        for job in Plan.jobs(self, round_, meetings, opening):
            one, two = (
                msgspec.structs.replace(player, options={**player.options, **tried.get(player.name, {})})
                for player in job.players
            )
            found.append(msgspec.structs.replace(job, players=(one, two)))
        return found


class StepMethod:
    """Tuning by SPSA. See ``Method``."""

    def __init__(self, wanted: Tuning) -> None:
        """Reads the options of a tuning's file.

        Raises:
            PlayoutError: one line about the field that SPSA cannot use.
        """
        if wanted.arms:
            raise PlayoutError("arms: they are for the method halving")
        if not wanted.options:
            raise PlayoutError("options: none that could be tuned")
        form = StepForm(0, wanted.batch or 1, wanted.opponent is not None)
        self._form = form = replace(form, steps=wanted.pairs // form.size)
        if not form.steps:
            raise PlayoutError(f"pairs: {wanted.pairs} are fewer than one step has, {form.size}")
        self._spsa = Spsa(tuple(_range(name, tuned) for name, tuned in wanted.options.items()), form.steps, wanted.seed)
        self.pairs = form.steps * form.size
        self.start: Mapping[str, OptionValue] = {one.name: one.value(one.start) for one in self._spsa.ranges}
        # Both ends of each range, so that the trial of the engines shows whether they accept them.
        highest = {one.name: one.value(one.high) for one in self._spsa.ranges}
        lowest = {one.name: one.value(one.low) for one in self._spsa.ranges}
        engines = {
            PLUS: msgspec.structs.replace(wanted.engine, options={**wanted.engine.options, **highest}),
            MINUS: msgspec.structs.replace(wanted.engine, options={**wanted.engine.options, **lowest}),
        }
        if wanted.opponent is not None:
            engines[OPPONENT] = wanted.opponent
        self.engines: Mapping[str, Engine] = engines

    def plan(self, event: Plan, rows: Callable[[], Rows]) -> Plan:
        given: dict[str, Any] = {one.name: getattr(event, one.name) for one in fields(event)}
        return StepPlan(
            **{**given, "form": self._form},
            spsa=self._spsa,
            trail=Trail(self._spsa),
            results=Results(self._form, rows),
        )

    def state(self, rows: Rows) -> str:
        results = self._form.results(rows)
        values = [
            f"{one.name} {theta:.4g}"
            for one, theta in zip(self._spsa.ranges, Trail(self._spsa).after(results)[-1], strict=True)
        ]
        done = sum(result is not None for result in results)
        return f"step {done} of {self._spsa.steps}: {', '.join(values)}"

    def table(self, rows: Rows) -> Sequence[Sequence[str]]:
        thetas = Trail(self._spsa).after(self._form.results(rows))
        found = self.found(rows)
        return [
            ("option", "start", "last", "mean of the last half", "tuned"),
            *(
                (one.name, f"{one.start:g}", f"{last:.4g}", f"{mean:.4g}", f"{found[one.name]}")
                for one, last, mean in zip(self._spsa.ranges, thetas[-1], last_half(thetas), strict=True)
            ),
        ]

    def records(self, rows: Rows) -> Sequence[Sequence[str]]:
        results = self._form.results(rows)
        thetas = Trail(self._spsa).after(results)
        return [
            ("step", "option", "theta", "result"),
            *(
                (f"{step}", one.name, f"{value!r}", "" if result is None else f"{result:g}")
                for step, (theta, result) in enumerate(zip(thetas[1:], results, strict=True), 1)
                for one, value in zip(self._spsa.ranges, theta, strict=True)
            ),
        ]

    def plot(self, rows: Rows) -> str:
        thetas = Trail(self._spsa).after(self._form.results(rows))
        names = [one.name for one in self._spsa.ranges]
        return trails(names, [list(values) for values in zip(*thetas, strict=True)], last_half(thetas))

    def found(self, rows: Rows) -> Mapping[str, OptionValue]:
        means = last_half(Trail(self._spsa).after(self._form.results(rows)))
        return {one.name: one.value(mean) for one, mean in zip(self._spsa.ranges, means, strict=True)}


def _range(name: str, tuned: Tuned) -> Range:
    if tuned.values:
        raise PlayoutError(f"options.{name}: values are for the method halving; spsa needs start, min and max")
    assert tuned.start is not None and tuned.min is not None and tuned.max is not None
    return Range(
        name,
        tuned.start,
        tuned.min,
        tuned.max,
        (tuned.max - tuned.min) / STEPS if tuned.step is None else tuned.step,
        RATE if tuned.rate is None else tuned.rate,
        tuned.kind == "int",
    )
