"""``playout arena report``: the report of a tournament that is being played, or was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.arena.run import File, State, state_of
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena.cup import Cup


def command(
    file: File,
    out: Annotated[Path, typer.Argument(metavar="REPORT.html")],
    state: State = None,
) -> int:
    """Writes a report of a tournament that is not being played now: one HTML file."""
    from playout.arena.cup import Cup
    from playout.arena.file.reader import read
    from playout.cli.output import check_output

    check_output("REPORT.html", out)
    where = state or state_of(file)
    if not where.exists():
        raise PlayoutError(f"{where}: no such file; arena run makes it")
    with Cup(read(file), file.absolute().parent, where) as cup:
        write_page(cup, out)
    return 0


def write_page(cup: Cup, path: Path) -> None:
    """Writes the report of a cup.

    Raises:
        PlayoutError: if the file cannot be written.
    """
    from playout.arena.report.page import page
    from playout.games.support.whole_file import save_text

    decided = [f"{name}: {said}" for name, said in cup.coordinator.decisions.items()]
    state = "; ".join(["finished" if cup.coordinator.finished else "under way", *decided])
    events = ((plan.name, plan.game, cup.standings(plan), cup.store.games(plan.name)) for plan in cup.plans)
    save_text(path, "".join(page(cup.tournament.name, events, cup.store.mishaps(), state)))
