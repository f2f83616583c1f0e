"""``playout options``: the engine's options, as a table or as docs/options.md."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from playout.cli.console import console
from playout.engine.options.document import document, rows


def command(
    markdown: Annotated[bool, typer.Option("--markdown", help="Writes docs/options.md.")] = False,
) -> None:
    """Lists the engine's options."""
    if markdown:
        typer.echo(document(), nl=False)
        return
    table = Table("option", "type", "default", "values", "meaning", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for row in rows():
        table.add_row(*row)
    console().print(table)
