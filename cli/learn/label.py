"""``playout learn label``: games whose choices are those of another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="chess")],
    records: Annotated[list[Path], typer.Argument(metavar="RECORDS", help="Files of records.")],
    out: Annotated[Path, typer.Option(metavar="RECORDS", help="The file; one that has games goes on with the next.")],
    engine: Annotated[str, typer.Option(metavar="COMMAND", help="A UCI engine, such as stockfish.")],
    nodes: Annotated[int, typer.Option(min=1, help="Of its search of a position.")] = 1000,
    share: Annotated[float, typer.Option(min=0.0, max=1.0, help="Part of the positions that it is asked about.")] = 1.0,
    seed: Annotated[int, typer.Option(min=0, help="Chooses these positions.")] = 1,
) -> None:
    """Copies games, with the moves that a UCI engine would play at their positions as the choices to learn from."""
    from playout.cli.progress import Bar
    from playout.engine.learning.data.labels import Labelling, label
    from playout.engine.learning.training.workshop import workshop_of
    from playout.games import catalogue

    check_output("--out", out)
    made = catalogue.load(game)
    with Bar() as bar:
        count = label(workshop_of(made), made, records, out, Labelling(engine, nodes, share, seed), bar)
    console().print(f"{out}: {count} positions labelled", soft_wrap=True)
