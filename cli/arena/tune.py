"""``playout tune``: tunes options of an engine by games."""

from __future__ import annotations

import csv as csv_files
import io
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from playout.arena.terms.job import Played
    from playout.arena.tune.run import Tuner

REFRESH = 2.0
"""Refreshes of the terminal a second."""
LOOK = 2.0
"""Seconds between two looks at the values: they are computed from all results."""


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
) -> int:
    """Tunes options of an engine by games, or goes on where it was. Status 130: it was stopped."""
    from playout.arena.trial import check_engines
    from playout.arena.tune.reader import read
    from playout.arena.tune.run import Tuner

    for option, path in (("--state", state), ("--csv", csv), ("--plot", plot)):
        check_output(option, path)
    if plot is not None and plot.suffix != ".svg":
        raise PlayoutError(f"--plot {plot}: the name ends in .svg")
    tuning, folder, where = read(file), file.absolute().parent, state or file.with_suffix(".tune")
    fresh = not where.exists()
    with Tuner(tuning, folder, where, check_engines) as tuner:
        if not tuner.coordinator.finished:
            if not fresh:
                check_engines([tuner.plan])
            Playing(tuner).run(concurrency or tuning.concurrency)
        rows = tuner.rows()
        _print(tuner)
        if csv is not None:
            text = io.StringIO()
            csv_files.writer(text, lineterminator="\n").writerows(tuner.method.records(rows))
            _write(csv, text.getvalue())
        if plot is not None:
            _write(plot, tuner.method.plot(rows))
        return 0 if tuner.coordinator.finished else 130


class Playing:
    """Shows a tuning while it is played: a bar, a line with the values, and a line for whatever goes wrong."""

    def __init__(self, tuner: Tuner) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._tuner = tuner
        self._screen = Console(stderr=True)
        self._bar = Progress(
            TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=self._screen
        )
        self._games = sum(len(row.results) for row in tuner.rows())
        self._task = self._bar.add_task("", total=tuner.total, completed=self._games)
        self._line, self._looked = "", -LOOK

    def run(self, desks: int) -> None:
        """Plays until the tuning is over, or the user stops it."""
        from rich.live import Live

        from playout.arena.local import LocalRun

        run = LocalRun(self._tuner.coordinator, desks, self._ended, self._said)

        def stop(*_: object) -> None:
            self._said("stopping after the games under way; Ctrl-C again ends them")
            run.stop()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            with Live(
                get_renderable=self._shown,
                console=self._screen,
                refresh_per_second=REFRESH,
                transient=True,
                auto_refresh=self._screen.is_terminal,
            ):
                run.run()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _ended(self, played: Played) -> None:
        if played.result is not None:
            self._games += 1
            self._bar.update(self._task, completed=self._games)
        if played.end.is_fault or played.result is None:
            self._said(f"{played.id}: {' - '.join(played.names)}: {played.end}: {played.detail}")

    def _said(self, line: str) -> None:
        self._screen.print(line, soft_wrap=True, markup=False, highlight=False)

    def _shown(self) -> RenderableType:
        from rich.console import Group

        now = time.monotonic()
        if now - self._looked >= LOOK:
            self._line, self._looked = self._tuner.method.state(self._tuner.rows()), now
        return Group(self._line, self._bar)


def _print(tuner: Tuner) -> None:
    """Prints the results, what went wrong, and the match that verifies them."""
    import yaml
    from rich.table import Table

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
    mishaps = tuner.store.mishaps()
    for kind, game, said in mishaps[-5:]:
        out.print(f"{kind}: {game}: {said}", soft_wrap=True)
    if len(mishaps) > 5:
        out.print(f"and {len(mishaps) - 5} mishaps before")
    if tuner.coordinator.finished:
        text = yaml.safe_dump(tuner.verification(), sort_keys=False, allow_unicode=True)
        out.print("\n# The match that verifies it, beside the tuning's file: playout arena run verify.yaml")
        out.print(text, end="", soft_wrap=True)


def _write(path: Path, text: str) -> None:
    from playout.games.support.whole_file import write_whole

    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise PlayoutError(f"{path}: {error.strerror or error}") from error
