"""The contract of an experiment: a module whose function ``run`` returns tables and one figure.

The first line of the module's docstring is the experiment's summary. The command line may set the parameters of
``run``, which are keyword-only and have defaults; ``QUICK`` has the values for a run of a few seconds. The same seed
gives the same result, except for measured times and what depends on them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float | None
"""None is printed as an empty cell."""
Say = Callable[[str], None]
"""Receives one line about the progress of a long experiment."""

Tell = Callable[[str, int, int], None]
"""Receives the name of a part of an experiment, and how many of how many steps of it are done."""
T = TypeVar("T")
_tell: ContextVar[Tell | None] = ContextVar("tell", default=None)

SEEDS = 2**31
"""Number of the seeds that a search takes."""


def search_seed(number: int) -> int:
    """Returns the seed of the search with this number, which may be any."""
    return number % SEEDS


def silent(line: str) -> None:
    """Ignores progress."""


@contextmanager
def watched(tell: Tell) -> Iterator[None]:
    """Tells ``tell`` of the steps of the experiments in the ``with`` block."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


def counted(part: str, steps: Sequence[T]) -> Iterator[T]:
    """Yields the steps of a part of an experiment, and tells whoever watches how many are done."""
    tell = _tell.get()
    for done, step in enumerate(steps):
        if tell is not None:
            tell(part, done, len(steps))
        yield step


@dataclass(frozen=True, slots=True)
class Column:
    """A column and the format of its numbers; texts are written unchanged."""

    name: str
    form: str = ""
    """A format specification, such as ``".2f"``."""
    measured: bool = False
    """Whether the cells depend on the machine or on the moment: times, and what follows from them."""

    def text(self, cell: Cell) -> str:
        """Returns ``cell`` formatted for display."""
        return "" if cell is None else cell if isinstance(cell, str) else format(cell, self.form)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table for display and for CSV files."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def steady(self) -> ResultTable:
        """Returns the table as text cells, without what is measured: the same for the same seed."""
        kept = [place for place, column in enumerate(self.columns) if not column.measured]
        rows = tuple(tuple(self.columns[place].text(row[place]) for place in kept) for row in self.rows)
        return ResultTable(self.title, tuple(Column(self.columns[place].name) for place in kept), rows)


class ExperimentResult(ABC):
    """The findings of an experiment."""

    @abstractmethod
    def tables(self) -> Sequence[ResultTable]:
        """Returns the findings for display."""

    def records(self) -> Sequence[ResultTable]:
        """Returns the findings for a CSV file; the same as ``tables`` unless those are abridged."""
        return self.tables()

    def notes(self) -> Sequence[str]:
        """Returns sentences to print below the tables."""
        return ()

    @abstractmethod
    def plot(self, figure: Figure) -> None:
        """Draws the figure."""
