"""``playout learn patterns``: strengths of the features of moves from files of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.cli.output import check_output


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="go, hex")],
    records: Annotated[list[Path], typer.Argument(metavar="RECORDS", help="Files of records.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The strengths: NAME.safetensors.")],
    least: Annotated[int, typer.Option(min=1, help="Moves with a feature from which on it counts.")] = 50,
    positions: Annotated[int, typer.Option(min=1, help="Most positions to learn from.")] = 50_000,
    sweeps: Annotated[int, typer.Option(min=1, help="Times that each group of features is fitted.")] = 30,
) -> None:
    """Fits the strengths of shapes, tactics and places to the moves that were chosen, by minorization-maximization. A
    twentieth of the games is held out; what they say of it is printed.
    """
    from playout.cli.progress import Bar
    from playout.engine.learning.training.workshop import one_line, provenance, workshop_of
    from playout.games import catalogue

    check_output("--out", out)
    workshop = workshop_of(catalogue.load(game))
    data = ", ".join(path.name for path in records)
    with Bar() as bar:
        bar.begin("sweeps", sweeps)
        with one_line():
            games, features, (_, held_out, by_hand), damage = workshop.fit(
                records,
                out,
                provenance(arguments.command_line(), data, "none"),
                least=least,
                positions=positions,
                sweeps=sweeps,
                on_sweep=lambda sweep, likelihood: bar.advance(sweep, f"log-likelihood {likelihood:.4f}"),
            )
        for line in damage:
            bar.note(line)
    console().print(f"{out}: {games} games, {features} features; held out: {held_out[0]} positions", soft_wrap=True)
    for name, (_, likelihood, first, first_five) in (("learned", held_out), ("the game's own", by_hand)):
        console().print(
            f"{name:14}: log-likelihood {likelihood:.4f} nats, first choice {first:.1%}, among five {first_five:.1%}"
        )
