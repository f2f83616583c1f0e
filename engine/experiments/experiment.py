"""What an experiment is: a module with ``run``, which returns a ``Result`` of tables and one figure.

The module's first line of documentation is its summary. The parameters of ``run`` are what the command line may set,
all by keyword and with a default; ``QUICK`` are the values for a run of a few seconds. The same seed gives the same
result, but for times and what is decided by time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float | None
"""None is printed as an empty cell."""
Say = Callable[[str], None]
"""Takes a line about the progress of a long experiment."""


def silent(line: str) -> None:
    """Says nothing."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column and how its numbers are written; texts are written as they are."""

    name: str
    form: str = ""
    """A format specification: ``".2f"``."""

    def text(self, cell: Cell) -> str:
        """``cell`` for people."""
        return "" if cell is None else cell if isinstance(cell, str) else format(cell, self.form)


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people and for CSV files."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Result(ABC):
    """What an experiment found."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The findings, for people."""

    def records(self) -> Sequence[Table]:
        """The findings for a CSV file; the same tables unless those are abridged."""
        return self.tables()

    def notes(self) -> Sequence[str]:
        """Sentences that belong under the tables."""
        return ()

    @abstractmethod
    def plot(self, figure: Figure) -> None:
        """Draws the findings."""
