"""``playout learn deep``: nets with towers of convolutions, by PyTorch and Gumbel self-play."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.engine.learning.deep.tower import Sizes


def command(
    game: arguments.Game,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where all is kept; a run that is there goes on.")],
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="The game with other parameters that its nets see, as go:9,komi=6.5."),
    ] = None,
    tower: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BLOCKS,CHANNELS",
            help="Convolutions; given again, for another net that learns from the same games. The first one plays. "
            "[default: 6,64]",
        ),
    ] = None,
    any_size: Annotated[bool, typer.Option("--any-size", help="The nets are for boards of any size.")] = False,
    start: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Nets whose layers those of the same sides begin with.")
    ] = None,
    player: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Nets that play the games, in place of the first ones that learn."),
    ] = None,
    records: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Records to learn from before self-play begins.")
    ] = None,
    steps: Annotated[int, typer.Option(min=0, help="Steps by these records.")] = 0,
    minutes: Annotated[float, typer.Option(min=0.0, help="Of self-play.")] = 10.0,
    at_once: Annotated[
        int | None, typer.Option(min=1, help="Games in each set; a thread has two sets. [default: 256]")
    ] = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="Of a search that is learned from. [default: 40]")
    ] = None,
    cheap_simulations: Annotated[int | None, typer.Option(min=1, help="Of the others. [default: 12]")] = None,
    random_plies: Annotated[int | None, typer.Option(min=0, help="Most that begin a game. [default: 3]")] = None,
    window: Annotated[int | None, typer.Option(min=1, help="Positions learned from. [default: 2000000]")] = None,
    reuse: Annotated[
        float | None, typer.Option(min=0.01, help="Times that a new position is learned from. [default: 8]")
    ] = None,
    batch: Annotated[int | None, typer.Option(min=1, help="Positions of a step. [default: 2048]")] = None,
    rate: arguments.Rate = None,
    result_share: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Of the game's result in a value to learn; else the search's. [default: 0.6]"
        ),
    ] = None,
    seed: arguments.Seed = None,
    threads: arguments.Threads = None,
    keep: Annotated[bool | None, typer.Option("--keep", help="Keeps the games, in FOLDER/records.")] = None,
) -> None:
    """Teaches nets with PyTorch while they play many games at once (Gumbel self-play), on an accelerator where there
    is one. Needs the extra ``learn``. Writes net-1.safetensors and so on, and what is needed to go on.
    """
    values = locals()
    try:
        from playout.engine.learning.deep.run import Progress, Run, Settings
    except ImportError as error:
        raise PlayoutError(f"learn deep needs PyTorch: pip install 'playout[learn]' ({error})") from error
    from playout.cli.progress import Bar
    from playout.games import catalogue

    given = {name: values[name] for name in Settings.__dataclass_fields__ if values.get(name) is not None}
    if at_once is not None:
        given["games"] = at_once
    if tower or any_size:
        towers = map(_sizes, tower) if tower else Settings().sizes
        given["sizes"] = tuple(replace(sizes, features=0) if any_size else sizes for sizes in towers)
    games = [catalogue.load(name) for name in (game, *(also or ()))]
    run = Run(games, out, Settings(**given), arguments.command_line())
    with Bar() as bar:
        if records:
            bar.note(f"{run.read(records):,} rows of records")
            bar.begin("learning from records", steps)
            loss = run.teach(steps, bar.advance)
            bar.note(f"outcome {loss.outcome:.3f}, policy {loss.policy:.3f} after {steps:,} steps")
            run.save()

        def report(now: Progress) -> None:
            played = f"{now.judged:,} judgements, {now.games:,} games, {now.rows:,} rows, {now.steps:,} steps"
            loss = f"outcome {now.loss.outcome:.3f}, policy {now.loss.policy:.3f}"
            if not math.isnan(now.loss.owners):
                loss += f", owners {now.loss.owners:.3f}"
            bar.note(f"{now.seconds:.0f} s: {played}, {loss}")
            run.save()

        if minutes > 0:
            bar.begin(f"self-play and training on {run.device}")
            try:
                run.play(60 * minutes, report)
            finally:
                run.save()
    console().print(f"{out}: {run.games:,} games of self-play")


def _sizes(text: str) -> Sizes:
    from playout.engine.learning.deep.tower import Sizes
    from playout.engine.learning.training.settings import check_tower

    try:
        blocks, channels = map(int, text.split(","))
    except ValueError:
        raise PlayoutError(f"--tower {text!r}: expected BLOCKS,CHANNELS") from None
    check_tower((blocks, channels))
    return Sizes(blocks, channels)
