"""``playout learn export``: games of records in PGN, SGF or lines of text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game of the records.")],
    records: Annotated[list[Path], typer.Argument(metavar="RECORDS", help="Files of records.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="NAME.pgn for chess, .sgf for Go and Hex, .games for all.")],
) -> None:
    """Writes the games of records for other programs and people to read, with the values that searches found."""
    from playout.cli.progress import Bar
    from playout.engine.learning.data.written import export
    from playout.games import catalogue

    check_output("--out", out)
    made = catalogue.load(game)
    with Bar() as bar:
        count = export(made, records, out, bar)
    console().print(f"{out}: {count} games", soft_wrap=True)
