"""``playout protocols``: the commands of each protocol, as a table or in docs/protocols.md."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from playout.cli.console import console
from playout.games.errors import PlayoutError
from playout.games.support.whole_file import write_whole
from playout.protocols import documentation
from playout.protocols.registry import PROTOCOLS, find


def command(
    protocol: Annotated[str | None, typer.Argument(metavar="[PROTOCOL]", help="Only this one.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Regenerates the tables of this document instead.")
    ] = None,
) -> None:
    """Lists the commands that each protocol has."""
    if markdown is not None:
        _fill(markdown)
        return
    for name in [protocol] if protocol is not None else PROTOCOLS:
        entry = find(name)
        commands = documentation.commands_of(name)
        for games, rows in documentation.grouped(commands).items():
            table = Table("command", "what it does", box=None, padding=(0, 2, 0, 0), header_style="bold")
            for row in rows:
                table.add_row(row.usage, row.text.replace("`", ""))
            only = "" if len(games) == len(commands) else f" Only for {', '.join(games)}:"
            console().print(f"\nplayout {name}: {entry.help}{only}")
            console().print(table)


def _fill(path: Path) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise PlayoutError(f"{path}: {error}") from error
    write_whole(path, documentation.filled(text).encode())
