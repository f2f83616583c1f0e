"""The types of a tuning's file. Their fields are the words of the YAML; ``docs/arena.md`` has them in a table."""

from __future__ import annotations

from typing import Literal

import msgspec

from playout.arena.file.types import Bounds, Engine, FromFile, Openings
from playout.arena.terms.job import Adjudication, Count, OptionValue

MethodName = Literal["spsa", "halving"]
STEPS = 20
"""Steps in which an option's bounds are divided if the file names no step, as fishtest's form proposes."""
RATE = 0.002
"""Default of an option's ``rate``, that of OpenBench and fishtest. It suits tens of thousands of pairs."""


class Tuned(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option that is tuned: a range for SPSA, or values for halving.

    Raises:
        ValueError: one line if it is neither, or its numbers do not fit each other. In a file that is a
            ``msgspec.ValidationError`` with the place.
    """

    start: float | None = None
    min: float | None = None
    max: float | None = None
    step: float | None = None
    """Distance of the values that are tried from the one reached, in the option's own units, at the last step (c_end);
    by default a twentieth of the range."""
    rate: float | None = None
    """Share of that distance by which a game won moves the value at the last step (r_end); 0.002 by default."""
    kind: Literal["float", "int"] = "float"
    values: tuple[OptionValue, ...] = ()
    """Values of the grid that halving tries."""

    def __post_init__(self) -> None:
        numbers = (self.start, self.min, self.max)
        if self.values:
            if any(one is not None for one in (*numbers, self.step, self.rate)):
                raise ValueError("either values, or start, min and max")
            return
        if self.start is None or self.min is None or self.max is None:
            raise ValueError("start, min and max expected, or values")
        if not self.min < self.max:
            raise ValueError(f"min is {self.min:g}: allowed is less than max, {self.max:g}")
        if not self.min <= self.start <= self.max:
            raise ValueError(f"start is {self.start:g}: allowed is {self.min:g} to {self.max:g}")
        if self.kind == "int" and any(one != int(one) for one in (self.start, self.min, self.max)):
            raise ValueError("start, min and max of an int are whole numbers")
        for name, value in (("step", self.step), ("rate", self.rate)):
            if value is not None and value <= 0:
                raise ValueError(f"{name} is {value:g}: allowed is more than 0")


class Tuning(FromFile, Bounds, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tuning."""

    name: str = "tuning"
    seed: int = 1
    concurrency: Count = 1
    """Pairs of games that are played at a time."""
    engine: Engine = Engine()
    """The engine whose options are tuned; without a command it is playout itself."""
    opponent: Engine | None = None
    """The engine against which it plays. Without one SPSA plays both sides of a step against each other, and halving
    plays against ``engine`` as it stands in the file."""
    game: str
    openings: Openings = Openings()
    adjudication: Adjudication = Adjudication()
    method: MethodName = "spsa"
    pairs: Count
    """Pairs of games in all, at most."""
    batch: Count | None = None
    """Pairs of a step of SPSA for each engine that is tried; 1 by default."""
    options: dict[str, Tuned] = msgspec.field(default_factory=dict)
    arms: tuple[dict[str, OptionValue], ...] = ()
    """Settings of options that halving tries, instead of a grid of ``values``."""
