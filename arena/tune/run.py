"""A tuning as a whole: its file, its store and its coordinator, and the match that verifies its result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from playout.arena.coordinator import Coordinator
from playout.arena.file.plan import Plan, plans_of
from playout.arena.file.source import FieldError, Place
from playout.arena.file.types import SPRT_GAMES, Bounds, Engine, Event, Tournament
from playout.arena.store.begun import take_up
from playout.arena.store.store import MEMORY
from playout.arena.terms.job import OptionValue
from playout.arena.tune.halving import HalvingMethod
from playout.arena.tune.kept import EVENT, TuningStore
from playout.arena.tune.method import OPPONENT, Method, Rows
from playout.arena.tune.steps import StepMethod
from playout.arena.tune.types import Tuning
from playout.games.errors import PlayoutError


class Tuner:
    """A tuning that is being played, or has been. A context manager: leaving it closes the store."""

    def __init__(
        self,
        tuning: Tuning,
        folder: Path,
        state: Path | None,
        check: Callable[[Sequence[Plan]], None] = lambda _: None,
    ) -> None:
        """Opens the tuning, or takes it up where ``state`` has it.

        Args:
            tuning: the file's content.
            folder: the folder from which its paths are seen.
            state: file of the store; None keeps the tuning in memory.
            check: called with the event before there is a state, which would refuse a file with a mistake put right.

        Raises:
            PlayoutError: if the tuning cannot be played, or ``state`` has another one.
        """
        self.tuning = tuning
        self.method, event = planned(tuning, folder)
        if state is None or not state.exists():
            check([event])
        self.store = TuningStore(MEMORY if state is None else state)
        try:
            take_up(self.store, "tuning", tuning, _lasting, "concurrency")
            self.plan = self.method.plan(event, self.rows)
            self.coordinator = Coordinator(self.store, [self.plan], time.monotonic)
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    @property
    def total(self) -> int:
        """Number of games in all."""
        return self.method.pairs * self.plan.games

    def rows(self) -> Rows:
        """Returns the pairs drawn so far."""
        return self.store.rows()

    def verification(self) -> dict[str, Any]:
        """Returns a tournament's file, as plain data, that tests the options found against those at the start.

        It has other openings and dice than the tuning, if they are random.
        """
        tuning = self.tuning
        tuned, before = self.method.found(self.rows()), self.method.start
        engines = {"tuned": _with(tuning.engine, tuned), "start": _with(tuning.engine, before)}
        event = msgspec.structs.replace(_event(tuning), event="", form="sprt", games=SPRT_GAMES)
        return {
            "name": f"{tuning.name}, verified",
            "seed": tuning.seed + 1,
            "engines": {name: _plain(engine) for name, engine in engines.items()},
            **_plain(event),
        }


def planned(tuning: Tuning, folder: Path) -> tuple[Method, Plan]:
    """Returns the method of a tuning and the event with all its engines, whose options are such as they must accept.

    Raises:
        PlayoutError: one line about the field that cannot be.
    """
    method = _method(tuning)
    engines = dict(method.engines)
    made = Tournament(name=tuning.name, seed=tuning.seed, engines=engines, events=(_event(tuning),))
    try:
        [event] = plans_of(made, folder)
    except FieldError as error:
        if tuning.source is None:
            raise
        raise tuning.source.told(FieldError(_place(tuning, error.place), error.said)) from error
    return method, event


def _place(tuning: Tuning, place: Place) -> Place:
    """Returns the place in a tuning of a place in the event that is made of it, or in an engine."""
    if place[0] != "engines":
        return place
    return ("opponent" if place[1] == OPPONENT and tuning.opponent is not None else "engine", *place[2:])


def _method(tuning: Tuning) -> Method:
    for name in tuning.options:
        for own in tuning.engine.options:
            if own.lower() == name.lower():
                raise PlayoutError(f"options.{name}: engine.options has it too")
    return StepMethod(tuning) if tuning.method == "spsa" else HalvingMethod(tuning)


def _event(tuning: Tuning) -> Event:
    bounds = {name: getattr(tuning, name) for name in Bounds.__struct_fields__}
    return Event(event=EVENT, game=tuning.game, openings=tuning.openings, adjudication=tuning.adjudication, **bounds)


def _with(engine: Engine, options: Mapping[str, OptionValue]) -> Engine:
    return msgspec.structs.replace(engine, options={**engine.options, **options})


def _lasting(tuning: Tuning) -> Any:
    """Returns what must not change between two starts, as plain data."""
    plain = msgspec.to_builtins(tuning)
    plain.pop("concurrency")
    return plain


def _plain(value: Any) -> Any:
    """Returns a part of a file as plain data, without the fields that have their defaults."""
    if isinstance(value, msgspec.Struct):
        blank = {
            one.name: one.default_factory() if callable(one.default_factory) else one.default
            for one in msgspec.structs.fields(value)
        }
        return {name: _plain(getattr(value, name)) for name, usual in blank.items() if getattr(value, name) != usual}
    return [*map(_plain, value)] if isinstance(value, tuple) else value
