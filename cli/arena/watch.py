"""``playout watch``: the standings of a tournament while it is played."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from playout.cli.arena.run import File, State, state_of
from playout.cli.console import console

if TYPE_CHECKING:
    from playout.arena.cup import Cup
    from playout.arena.terms.live import InProgress

MOST = 20
"""Games in progress that are named."""


def command(
    file: File,
    state: State = None,
    every: Annotated[float, typer.Option(min=0.5, metavar="SECONDS", help="Between two looks.")] = 5.0,
) -> int:
    """Shows the standings of a tournament until it is over. In a pipe it shows them once."""
    from playout.arena.store.live_file import read_live
    from playout.cli.arena.report import opened

    kept, out = state or state_of(file), console()

    def look() -> tuple[Group, bool]:
        with opened(file, kept) as cup:
            return Group(*_shown(cup, read_live(kept))), cup.coordinator.finished

    picture, finished = look()
    if not out.is_terminal or finished:
        out.print(picture)
        return 0
    with Live(picture, console=out, auto_refresh=False) as live:
        live.refresh()
        while not finished:
            time.sleep(every)
            picture, finished = look()
            live.update(picture, refresh=True)
    return 0


def _shown(cup: Cup, live: Sequence[InProgress]) -> list[RenderableType]:
    """Returns the standings of each event, with its number of games and what was decided, and the games in progress."""
    from playout.cli.arena.table import standings_table, summary

    found: list[RenderableType] = []
    for plan in cup.plans:
        standings = cup.standings(plan)
        of = "" if plan.total is None else f" of {plan.total}"
        title = f"{plan.name}: {plan.game}, {cup.recorded(plan.name)}{of} games"
        found.append(standings_table(title, standings))
        found += [Text(line) for line in summary(plan, standings)]
    found += [Text(str(one), style="dim") for one in live[:MOST]]
    if len(live) > MOST:
        found.append(Text(f"and {len(live) - MOST} more games in progress", style="dim"))
    found.append(Text("finished" if cup.coordinator.finished else "under way", style="dim"))
    return found
