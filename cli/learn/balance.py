"""``playout learn balance``: strengths of the features of moves by what playouts come to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.cli.output import check_output
from playout.games.errors import PlayoutError

METHODS = ("balance", "gradient")
SHIPPED = "shipped"


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="go, hex")],
    records: Annotated[list[Path], typer.Argument(metavar="RECORDS", help="Files of records of self-play.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The strengths: NAME.safetensors.")],
    start: Annotated[str, typer.Option(metavar="FILE", help="The strengths to begin with.")] = SHIPPED,
    method: Annotated[str, typer.Option(metavar="METHOD", help="balance or gradient.")] = METHODS[0],
    positions: Annotated[int, typer.Option(min=1, help="Most positions to learn from.")] = 2000,
    sweeps: Annotated[int, typer.Option(min=1, help="Times that each position is learned from.")] = 2,
    playouts: Annotated[int, typer.Option(min=1, help="Of a position for its mean, and for the slope.")] = 32,
    rate: Annotated[float, typer.Option(min=0.0, help="Size of the first steps; it falls to 0.")] = 0.5,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same strengths.")] = 1,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Positions at once.")] = 1,
) -> None:
    """Changes the strengths of the features of moves so that playouts by them come to the values of the searches
    (balance: simulation balancing), or win more against themselves (gradient: policy gradient).
    """
    from playout.cli.progress import Bar
    from playout.engine.learning.training.settings import Balance
    from playout.engine.learning.training.workshop import one_line, provenance, workshop_of
    from playout.engine.search.weights import shipped_strengths
    from playout.games import catalogue

    check_output("--out", out)
    if method not in METHODS:
        raise PlayoutError(f"--method {method}: one of {', '.join(METHODS)}")
    played = catalogue.load(game)
    workshop = workshop_of(played)
    begin = shipped_strengths(played) if start == SHIPPED else Path(start)
    if begin is None:
        raise PlayoutError(f"--start {SHIPPED}: no strengths ship for {game}")
    data = f"{start}; " + ", ".join(path.name for path in records)
    settings = Balance(method == "gradient", positions, sweeps, playouts, rate, seed, threads)
    with Bar() as bar:
        bar.begin("positions", positions * sweeps)
        with one_line():
            games, learned, biases, damage = workshop.balance(
                records,
                begin,
                out,
                provenance(arguments.command_line(), data, "none"),
                settings,
                lambda done: bar.advance(done, ""),
            )
        for line in damage:
            bar.note(line)
    held_out = biases[0][0]
    console().print(f"{out}: {games} games, {learned} positions; held out: {held_out} positions", soft_wrap=True)
    for name, (_, root, mean) in zip(("before", "after"), biases, strict=True):
        console().print(f"{name:6}: bias of playouts {root:.4f}, mean {mean:+.4f}")
