"""The contract of a method of tuning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from playout.arena.file.plan import Plan
from playout.arena.file.types import Engine
from playout.arena.store.store import PairRow
from playout.arena.terms.job import OptionValue

OPPONENT = "opponent"
"""Name of the player against whom the tuned engine plays."""
Rows = Sequence[PairRow]
"""The pairs of a tuning as the store has them, in the order in which they were drawn."""


class Method(Protocol):
    """A method of tuning. It keeps no results: all that it says follows from the pairs in the store."""

    engines: Mapping[str, Engine]
    """The engines that take part, by name, each with options that it must accept."""
    pairs: int
    """Number of pairs that are played in all."""
    start: Mapping[str, OptionValue]
    """The options before the tuning."""

    def plan(self, event: Plan, rows: Callable[[], Rows]) -> Plan:
        """Returns the event whose rounds are those of the method. ``event`` has the players of ``engines``."""

    def state(self, rows: Rows) -> str:
        """Returns one line that says how far the tuning is."""

    def table(self, rows: Rows) -> Sequence[Sequence[str]]:
        """Returns the table of the results, with its head."""

    def records(self, rows: Rows) -> Sequence[Sequence[str]]:
        """Returns the record of all steps, with its head."""

    def plot(self, rows: Rows) -> str:
        """Returns a plot, as SVG that is a file of its own."""

    def found(self, rows: Rows) -> Mapping[str, OptionValue]:
        """Returns the options that the results so far speak for."""


def margin(row: PairRow) -> float | None:
    """Returns games won less games lost by the first player of a pair, -2 to 2; None unless both were played."""
    if len(row.results) < 2:
        return None
    return _sign(row.results[0]) - _sign(row.results[1])


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
