"""``playout learn correction``: a net that corrects the evaluation of chess in its look-ahead."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.engine.terms.shipped_nets import WEIGHTS
from playout.games.errors import PlayoutError


def command(
    positions: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Lines FEN;BY HAND;SEARCHED;RESULT: see Learning in the documentation."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The nets of --nets with the new correction.")],
    nets: Annotated[
        Path, typer.Option(metavar="FILE", help="Nets of chess. [default: those that ship]", show_default=False)
    ] = WEIGHTS / "chess.safetensors",
    width: Annotated[int, typer.Option(min=1, max=256, help="Sums of the first layer for each side.")] = 192,
    stages: Annotated[
        int, typer.Option(min=1, max=32, help="Stages of the game, by the number of men, with weights of their own.")
    ] = 8,
    epochs: Annotated[int, typer.Option(min=1, help="Times that each position is learned from.")] = 3,
    batch: Annotated[int, typer.Option(min=1, help="Positions of a step.")] = 2048,
    rate: Annotated[float, typer.Option(min=0.0, help="The greatest learning rate.")] = 3e-3,
    origin: Annotated[
        str, typer.Option(metavar="TEXT", help="Where the positions and their scores come from; the weights say it.")
    ] = "self-play, judged by alpha-beta",
    seed: arguments.Seed = None,
) -> None:
    """Teaches with PyTorch a small net that corrects the static evaluation in the look-ahead of chess, from positions
    that a search has judged. Needs the extra ``learn``.
    """
    try:
        from playout.engine.learning.deep import correction
    except ImportError as error:
        raise PlayoutError(f"learn correction needs PyTorch: pip install 'playout[learn]' ({error})") from error
    from playout.engine.learning.training.workshop import provenance

    read = correction.read(positions)
    console().print(f"{len(read):,} positions")
    settings = correction.Settings(width, stages, epochs, batch, rate, seed=1 if seed is None else seed)

    def report(epoch: correction.Epoch) -> None:
        console().print(f"epoch {epoch.number}: error {epoch.learned:.4f}, held out {epoch.held_out:.4f}")

    weights = correction.learn(read, settings, report)
    data = f"{len(read)} positions: {origin}"
    correction.join(nets, weights, out, provenance(arguments.command_line(), data, "none"))
    console().print(f"{out}: nets with a correction of width {width} and {stages} stages")
