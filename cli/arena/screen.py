"""Games at work on the terminal: a bar, a picture above it, a line for whatever goes wrong, and what signals do."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from playout.arena.local import LocalRun
from playout.arena.terms.job import Played

if TYPE_CHECKING:
    from playout.arena.remote.coordinating import RemoteRun

REFRESH = 2.0
"""Refreshes of the terminal a second."""


SHARE = 20
"""The picture above the bar takes at most one part in this number of the time: that of 100,000 games takes a second."""

logger = logging.getLogger(__name__)


class Screen:
    """Shows how many games of a run are over. Not for several runs."""

    def __init__(self, played: int, total: int | None, above: Callable[[], list[RenderableType]]) -> None:
        """``played`` games of ``total`` (None: unknown) are over already; ``above`` gives what stands above the bar."""
        self._above, self._games = above, played
        self._picture: list[RenderableType] = []
        self._shown, self._due = -1, 0.0
        self._stopped = False
        self._console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=self._console
        )
        self._task = self._bar.add_task("", total=total, completed=played)

    def run(self, run: LocalRun | RemoteRun, tick: Callable[[], None] = lambda: None) -> None:
        """Shows ``run`` until it is over; ``tick`` is called now and then. The first SIGINT or SIGTERM stops it after
        the games under way, the second does what the system does.
        """

        def stop(*_: object) -> None:
            # The lock of the terminal, or of the coordinator, may be held by this very thread.
            self._stopped = True
            run.stop()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

        def both() -> None:
            self._tick()
            tick()

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            with Live(
                get_renderable=lambda: Group(*self._picture, self._bar),
                console=self._console,
                refresh_per_second=REFRESH,
                transient=True,
                auto_refresh=self._console.is_terminal,
            ):
                run.run(both)
        finally:
            self._tick()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _tick(self) -> None:
        """Does what is due: on the thread of the run, which waits for no other one here."""
        if self._stopped:
            self._stopped = False
            self.say("stopping after the games under way; Ctrl-C again ends them")
        begin = time.monotonic()
        if self._console.is_terminal and self._games != self._shown and begin >= self._due:
            self._shown, self._picture = self._games, self._above()
            self._due = begin + SHARE * (time.monotonic() - begin)

    def ended(self, played: Played) -> None:
        """Counts a game; prints a line if it says something about an engine or could not be played."""
        logger.info("%s: %s: %s, result %s", played.id, " - ".join(played.names), played.end, played.result)
        if played.result is not None:
            self._games += 1
            self._bar.update(self._task, completed=self._games)
        if played.end.is_fault or played.result is None:
            self.say(f"{played.id}: {' - '.join(played.names)}: {played.end}: {played.detail}")
        for remark in played.remarks[:1]:
            self.say(f"{played.id}: {remark}")

    def say(self, line: str) -> None:
        """Prints a line above everything."""
        logger.info("%s", line)
        self._console.print(line, soft_wrap=True, markup=False, highlight=False)
