"""A tournament at work on the terminal, here or at workers, with its standings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from playout.arena.coordinator import GIVEN_UP
from playout.arena.cup import Cup
from playout.arena.local import LocalRun
from playout.arena.terms.job import Played
from playout.cli.arena.screen import Screen
from playout.cli.arena.table import print_mishaps, standings_table, summary
from playout.cli.console import console
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.cli.arena.broker import Meeting


class Running:
    """Shows a cup while it is played, and prints its standings at the end."""

    def __init__(self, cup: Cup) -> None:
        self._cup = cup
        total = sum(plan.total or 0 for plan in cup.plans)
        played = sum(cup.recorded(plan.name) for plan in cup.plans)
        self._screen = Screen(
            played, total or None, lambda: [standings_table(plan.name, cup.standings(plan)) for plan in cup.plans]
        )

    def play(self, desks: int, *, affinity: bool) -> None:
        """Plays here until the tournament is over, or the user stops it.

        Raises:
            PlayoutError: as ``LocalRun`` does.
        """
        run = LocalRun(self._cup.coordinator, desks, self._ended, self._screen.say, affinity=affinity)
        self._screen.run(run, self._cup.show_live)

    def serve(self, place: Meeting) -> None:
        """Lets workers play that meet this coordinator at a broker, until it is over or the user stops it.

        Raises:
            PlayoutError: if the broker cannot be reached, or cannot run here.
        """
        from playout.arena.remote.coordinating import RemoteRun

        self._screen.say(
            f"workers: playout arena work --broker {place.broker}{' --key-file FILE' if place.key else ''}"
        )
        run = RemoteRun(
            self._cup.coordinator, place.broker, own=place.own, key=place.key, tls=place.tls, ended=self._ended
        )
        self._screen.run(run, self._cup.show_live)

    def print(self) -> None:
        """Prints the standings of each event, and what went wrong."""
        out = console()
        for plan in self._cup.plans:
            table = self._cup.standings(plan)
            out.print(standings_table(f"{plan.name}: {plan.game}", table))
            for line in summary(plan, table):
                out.print(line, soft_wrap=True)
            if self._cup.coordinator.decisions.get(plan.name) == GIVEN_UP:
                out.print(GIVEN_UP)
        print_mishaps(out, self._cup.store)

    @property
    def status(self) -> int:
        """Exit status: 0 if the tournament is over, 1 if an event was given up, 130 if it was stopped."""
        sys.stdout.flush()
        coordinator = self._cup.coordinator
        if not coordinator.finished:
            return 130
        return 1 if coordinator.given_up else 0

    def _ended(self, played: Played) -> None:
        self._screen.ended(played)
        try:
            self._cup.write(played)
        except PlayoutError as error:
            self._screen.say(str(error))
