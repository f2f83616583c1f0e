"""``playout options``: the engine's options, as a table or as docs/options.md."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from playout.cli.console import console
from playout.engine.options.document import document, rows
from playout.engine.options.table import COMMON
from playout.games.errors import BadOption
from playout.games.nearest import nearest


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Options by their names or parts of them.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All options, not only those that people set.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Writes docs/options.md.")] = False,
) -> None:
    """Lists the engine's options: those that people set, or with --all the techniques of the search too."""
    if markdown:
        typer.echo(document(), nl=False)
        return
    known = [row[0] for row in rows()]
    wanted = [one for name in names or () for one in _found(name, known)] or (known if every else list(COMMON))
    table = Table("option", "type", "default", "values", "meaning", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for row in rows(wanted):
        table.add_row(*row)
    console().print(table)
    if not names and not every:
        console().print(f"\n{len(known) - len(wanted)} more: playout options --all; some by name: playout options rave")


def _found(name: str, known: list[str]) -> list[str]:
    """Returns the options whose names have ``name`` in them.

    Raises:
        BadOption: if there is none; it names the nearest one.
    """
    found = [one for one in known if name.lower() in one.lower()]
    if not found:
        raise BadOption(f"no option {name!r}{nearest(name, known)}")
    return found
