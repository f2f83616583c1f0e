"""``playout experiment``: claims of the theory, tested with the engine."""

from __future__ import annotations

import csv as csv_files
import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import rich.table
import typer

from playout.cli.console import console
from playout.cli.output import check_matplotlib, check_output
from playout.cli.progress import Bar
from playout.engine.experiments import table as experiments
from playout.engine.experiments.base.experiment import ExperimentResult, ResultTable, watched
from playout.games.errors import PlayoutError
from playout.games.support.whole_file import replacing, write_whole

PLOT_FORMATS = (".png", ".svg")
BETWEEN = 0.1
"""Seconds between two numbers on the terminal."""


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The experiment; without it, all are listed.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Lists the experiments.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A small run that takes a few seconds.")] = False,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same table, except for times.")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also writes the tables here.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draws the figure: .png or .svg.")] = None,
    simulations: Annotated[int | None, typer.Option(min=10, help="Of a search.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Repetitions, each with its own seed.")] = None,
    game: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this game; repeatable.")] = None,
    policy: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this policy; repeatable.")] = None,
    technique: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this technique; repeatable.")
    ] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Number of games of a match, or of random trees.")] = None,
    nodes: Annotated[
        int | None, typer.Option(min=1, help="Simulations a move, if both sides have the same number.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0.001, help="Seconds for a move or a measurement.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.")] = None,
) -> None:
    """Reproduces a result of the theory as a table and a plot; see docs/theory.md."""
    if name is None or listed:
        _list()
        return
    experiment = experiments.load(name)
    for option, path in ("--csv", csv), ("--plot", plot):
        check_output(option, path)
    if plot is not None and plot.suffix not in PLOT_FORMATS:
        raise PlayoutError(f"--plot {plot}: the name ends in {' or '.join(PLOT_FORMATS)}")
    given: dict[str, Any] = {
        "seed": seed,
        "simulations": simulations,
        "runs": runs,
        "game": game,
        "policy": policy,
        "technique": technique,
        "games": games,
        "nodes": nodes,
        "seconds": seconds,
        "workers": workers,
    }
    given = {parameter: value for parameter, value in given.items() if value is not None}
    # A long experiment appends its rows as they come, and resumes at the end of the file.
    writes_itself = "csv" in experiment.parameters
    if writes_itself and csv is not None:
        given["csv"] = csv
    if plot is not None:
        check_matplotlib("--plot", plot)
    with Bar(still=True) as bar, watched(_Steps(bar)):
        if bar.shown and "say" in experiment.parameters:
            given["say"] = bar.note
        result = experiment.run(quick=quick, **given)
    for table in result.tables():
        _print(table)
    for note in result.notes():
        console().print(note)
    if csv is not None and not writes_itself:
        _write(csv, result.records())
    if plot is not None:
        _draw(plot, result)


class _Steps:
    """Shows the steps of an experiment, some ten times a second."""

    def __init__(self, bar: Bar) -> None:
        self._bar, self._part, self._due = bar, "", 0.0

    def __call__(self, part: str, done: int, total: int) -> None:
        if not done or part != self._part:
            self._part = part
            self._bar.begin(part, total)
        elif time.monotonic() >= self._due:
            self._bar.advance(done)
            self._due = time.monotonic() + BETWEEN


def _list() -> None:
    table = rich.table.Table("experiment", "what it shows", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name in experiments.MODULES:
        table.add_row(name, experiments.load(name).summary)
    console().print(table)
    console().print("\nplayout experiment NAME --quick for a small run; --csv FILE and --plot FILE keep what it finds.")


def _print(table: ResultTable) -> None:
    console().print(table.title, style="bold")
    shown = rich.table.Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for place, column in enumerate(table.columns):
        numbers = any(isinstance(row[place], int | float) for row in table.rows)
        shown.add_column(column.name, justify="right" if numbers else "left")
    for row in table.rows:
        shown.add_row(*(column.text(cell) for column, cell in zip(table.columns, row, strict=True)))
    console().print(shown)
    console().print()


def _write(path: Path, tables: Sequence[ResultTable]) -> None:
    """Writes the tables in sequence, each after a line with its title and followed by an empty line."""
    text = io.StringIO()
    writer = csv_files.writer(text, lineterminator="\n")
    for place, table in enumerate(tables):
        if place:
            text.write("\n")
        if len(tables) > 1:
            writer.writerow([f"# {table.title}"])
        writer.writerow([column.name for column in table.columns])
        writer.writerows(table.rows)
    try:
        write_whole(path, text.getvalue().encode())
    except OSError as error:
        raise PlayoutError(f"--csv {path}: {error.strerror}") from error


def _draw(path: Path, result: ExperimentResult) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    # The same data gives the same file: no date, no random identifiers.
    with matplotlib.rc_context({"svg.hashsalt": "playout", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 5), layout="constrained")
        result.plot(figure)
        try:
            with replacing(path) as beside:
                metadata = {"Date": None} if path.suffix == ".svg" else None
                figure.savefig(beside, format=path.suffix[1:], metadata=metadata)
        except OSError as error:
            raise PlayoutError(f"--plot {path}: {error.strerror}") from error
    console().print(f"plot: {path}")
