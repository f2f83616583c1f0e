"""``playout learn train``: nets from files of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.cli.output import check_output


def command(
    game: arguments.Game,
    records: Annotated[list[Path], typer.Argument(metavar="RECORDS", help="Files of records, the oldest first.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The nets: NAME.safetensors.")],
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A checkpoint from which training goes on.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also writes what is needed to go on.")
    ] = None,
    hidden: arguments.Hidden = None,
    tower: arguments.Tower = None,
    reuse: arguments.Reuse = None,
    batch: arguments.Batch = None,
    rate: arguments.Rate = None,
    last_rate: arguments.LastRate = None,
    result_share: arguments.ResultShare = None,
    every_value: arguments.EveryValue = None,
    only: arguments.Only = None,
    origin: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Where the records come from; the weights say it.")
    ] = None,
    seed: arguments.Seed = None,
) -> None:
    """Trains nets on all positions of the files. A twentieth of the games is held out; their loss is printed."""
    given = arguments.given(locals())
    from playout.cli.progress import Bar
    from playout.engine.learning.training import stages
    from playout.engine.learning.training.settings import Settings
    from playout.engine.learning.training.workshop import one_line, open_workshop, provenance
    from playout.games import catalogue

    for option, path in ("--out", out), ("--checkpoint", checkpoint):
        check_output(option, path)
    settings = Settings(window=2**62, **given)
    workshop = open_workshop(catalogue.load(game))
    with Bar() as bar:
        with one_line():
            if resume is None:
                workshop.start(list(settings.hidden), settings.aims(), settings.seed, settings.tower)
            else:
                workshop.resume(resume, settings.aims())
        games, rows, _ = stages.read(workshop, records, settings, 0, bar)
        losses = stages.train(workshop, settings, rows, settings.seed, bar)
        with one_line():
            if checkpoint is not None:
                workshop.save(checkpoint)
            data = f"{games} games of {', '.join(path.name for path in records)}" + (f": {origin}" if origin else "")
            workshop.write(out, provenance(arguments.command_line(), data, "none"))
    held_out = {"values": f"outcome {losses.held_out_outcome:.4f}", "policy": f"policy {losses.held_out_policy:.4f}"}
    said = ", ".join(text for part, text in held_out.items() if settings.only in (None, part))
    console().print(f"{out}: {games} games, {rows} positions; held out: {said} nats", soft_wrap=True)
