"""``playout learn score``: positions whose scores are those of another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output


def command(
    positions: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Lines FEN;BY HAND;SEARCHED;RESULT.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file; one that has lines goes on with the next.")],
    engine: Annotated[str, typer.Option(metavar="COMMAND", help="A UCI engine, such as stockfish.")],
    depth: Annotated[int, typer.Option(min=1, help="Plies of its search of a position.")] = 1,
    scale: Annotated[float, typer.Option(min=1.0, help="Centipawns of a value of tanh(1).")] = 300.0,
    share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Part of the engine's score; the rest is the search's.")
    ] = 1.0,
) -> None:
    """Copies positions of chess, with the scores of a UCI engine in the place of the search's, or mixed with them:
    `learn correction` reads them.
    """
    from playout.cli.progress import Bar
    from playout.engine.learning.data.scores import Scoring, score

    check_output("--out", out)
    with Bar() as bar:
        count = score(positions, out, Scoring(engine, depth, scale, share), bar)
    console().print(f"{out}: {count} positions scored", soft_wrap=True)
