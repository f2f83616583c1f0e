"""``playout tune``: tunes options of an engine by games."""

from __future__ import annotations

import csv as csv_files
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.arena.affinity import Affinity
from playout.cli.console import console
from playout.cli.output import LogFile, check_output, start_log
from playout.games.errors import PlayoutError
from playout.games.support.whole_file import save_text

if TYPE_CHECKING:
    from playout.arena.tune.run import Tuner


def command(
    file: Annotated[Path, typer.Argument(metavar="TUNE.yaml", help="The tuning; docs/arena.md has its fields.")],
    state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="State of the tuning. [default: TUNE.tune beside the file]")
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Record of all steps, written at the end.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Plot, .svg, written at the end.")] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", "-c", min=1, help="Pairs at a time. [default: the file's]")
    ] = None,
    affinity: Affinity = False,
    log_file: LogFile = None,
) -> int:
    """Tunes options of an engine by games, or goes on where it was. Status 130: it was stopped."""
    from playout.arena.trial import check_engines
    from playout.arena.tune.reader import read
    from playout.arena.tune.run import Tuner

    for option, path in (("--state", state), ("--csv", csv), ("--plot", plot)):
        check_output(option, path)
    if plot is not None and plot.suffix != ".svg":
        raise PlayoutError(f"--plot {plot}: the name ends in .svg")
    start_log(log_file)
    tuning, folder, where = read(file), file.absolute().parent, state or file.with_suffix(".tune")
    fresh = not where.exists()
    with Tuner(tuning, folder, where, check_engines) as tuner:
        if not tuner.coordinator.finished:
            if not fresh:
                check_engines([tuner.plan])
            _play(tuner, concurrency or tuning.concurrency, affinity)
        rows = tuner.rows()
        _print(tuner)
        if csv is not None:
            text = io.StringIO()
            csv_files.writer(text, lineterminator="\n").writerows(tuner.method.records(rows))
            save_text(csv, text.getvalue())
        if plot is not None:
            save_text(plot, tuner.method.plot(rows))
        return 0 if tuner.coordinator.finished else 130


def _play(tuner: Tuner, desks: int, affinity: bool) -> None:
    """Plays until the tuning is over, or the user stops it; shows a line with the values."""
    from playout.arena.local import LocalRun
    from playout.cli.arena.screen import Screen

    played = sum(len(row.results) for row in tuner.rows())
    screen = Screen(played, tuner.total, lambda: [tuner.method.state(tuner.rows())])
    screen.run(LocalRun(tuner.coordinator, desks, screen.ended, screen.say, affinity=affinity))


def _print(tuner: Tuner) -> None:
    """Prints the results, what went wrong, and the match that verifies them."""
    import yaml
    from rich.table import Table

    from playout.cli.arena.table import print_mishaps

    out, rows = console(), tuner.rows()
    head, *body = tuner.method.table(rows)
    out.print(f"{tuner.tuning.name}: {tuner.method.state(rows)}", soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    for place, name in enumerate(head):
        table.add_column(name, justify="right" if place else "left", overflow="fold")
    for row in body:
        table.add_row(*row)
    out.print(table)
    for said in tuner.coordinator.decisions.values():
        out.print(said)
    print_mishaps(out, tuner.store)
    if tuner.coordinator.finished:
        text = yaml.safe_dump(tuner.verification(), sort_keys=False, allow_unicode=True)
        out.print("\n# The match that verifies it, beside the tuning's file: playout arena run verify.yaml")
        out.print(text, end="", soft_wrap=True)
