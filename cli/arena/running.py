"""A tournament at work on the terminal: a bar, the standings, and a line for whatever goes wrong."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from playout.arena.cup import Cup
from playout.arena.local import LocalRun
from playout.arena.terms.end import End
from playout.arena.terms.job import Played
from playout.cli.arena.table import standings_table, summary
from playout.cli.console import console
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena.remote.coordinating import RemoteRun
    from playout.cli.arena.broker import Meeting

REFRESH = 2.0
"""Refreshes of the terminal a second."""


class Running:
    """Shows a cup while it is played, and prints its standings at the end."""

    def __init__(self, cup: Cup) -> None:
        self._cup = cup
        self._screen = Console(stderr=True)
        self._bar = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._screen,
        )
        total = sum(plan.total or 0 for plan in cup.plans)
        self._games = sum(self._recorded(plan.name) for plan in cup.plans)
        self._task = self._bar.add_task("", total=total or None, completed=self._games)
        self._ends: Counter[End] = Counter()

    def play(self, desks: int) -> bool:
        """Plays here until the tournament is over, or the user stops it; returns whether it is over."""
        return self._run(LocalRun(self._cup.coordinator, desks, self._ended, self._said))

    def serve(self, place: Meeting) -> bool:
        """Lets workers play that meet this coordinator at a broker; returns whether the tournament is over.

        Raises:
            PlayoutError: if the broker cannot be reached, or cannot run here.
        """
        from playout.arena.remote.coordinating import RemoteRun

        self._said(f"workers: playout arena work --broker {place.broker}{' --key-file FILE' if place.key else ''}")
        run = RemoteRun(
            self._cup.coordinator, place.broker, own=place.own, key=place.key, tls=place.tls, ended=self._ended
        )
        return self._run(run)

    def _run(self, run: LocalRun | RemoteRun) -> bool:
        before = {
            number: signal.signal(number, lambda *_: self._stop(run)) for number in (signal.SIGINT, signal.SIGTERM)
        }
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
        return self._cup.coordinator.finished

    def print(self) -> None:
        """Prints the standings of each event, and what went wrong."""
        out = console()
        for plan in self._cup.plans:
            table = self._cup.standings(plan)
            out.print(standings_table(f"{plan.name}: {plan.game}", table))
            for line in summary(plan, table):
                out.print(line, soft_wrap=True)
        mishaps = self._cup.store.mishaps()
        for kind, game, said in mishaps[-5:]:
            out.print(f"{kind}: {game}: {said}", soft_wrap=True)
        if len(mishaps) > 5:
            out.print(f"and {len(mishaps) - 5} mishaps before")

    def _recorded(self, event: str) -> int:
        return sum(len(pair.results) for pair in self._cup.coordinator.pairs(event))

    def _ended(self, played: Played) -> None:
        if played.result is not None:
            self._games += 1
            self._bar.update(self._task, completed=self._games)
        if played.end.is_fault or played.end is End.VOID:
            self._said(f"{played.id}: {' - '.join(played.names)}: {played.end}: {played.detail}")
        for remark in played.remarks[:1]:
            self._said(f"{played.id}: {remark}")
        try:
            self._cup.write(played)
        except PlayoutError as error:
            self._said(str(error))

    def _said(self, line: str) -> None:
        self._screen.print(line, soft_wrap=True, markup=False, highlight=False)

    def _shown(self) -> RenderableType:
        tables = [standings_table(plan.name, self._cup.standings(plan)) for plan in self._cup.plans]
        return Group(*tables, self._bar)

    def _stop(self, run: LocalRun | RemoteRun) -> None:
        self._said("stopping after the games under way; Ctrl-C again ends them")
        run.stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def status(over: bool) -> int:
    """Returns the exit status of a tournament that is over, or was stopped."""
    sys.stdout.flush()
    return 0 if over else 130
