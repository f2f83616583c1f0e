"""``playout learn import``: games that were played elsewhere into a file of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="chess, go:19,komi=6.5, hex:11, connect_four, ...")],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILES", help="Games: PGN of chess, SGF of Go and Hex, .games.")
    ],
    out: Annotated[Path, typer.Option(metavar="RECORDS", help="The file; games are added to one that is there.")],
) -> None:
    """Adds games that were played elsewhere to a file of records. Games without a result are left out."""
    from playout.cli.progress import Bar
    from playout.engine.learning.data.past import import_games
    from playout.engine.learning.training.workshop import workshop_of
    from playout.games import catalogue

    check_output("--out", out)
    made = catalogue.load(game)
    with Bar() as bar:
        found = import_games(workshop_of(made), made, files, out, bar)
    console().print(
        f"{out}: {found.taken} games added, {found.unknown} without a result, {found.broken} broken", soft_wrap=True
    )
