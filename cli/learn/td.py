"""``playout learn td``: nets that learn from what comes next, by self-play without look-ahead."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.cli.output import check_output
from playout.cli.progress import Bar
from playout.games.errors import BadOption

if TYPE_CHECKING:
    from playout.engine.learning.td import TdProgress


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="backgammon, connect_four, tic_tac_toe")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The nets: NAME.safetensors; FILE.checkpoint goes on.")],
    games: Annotated[int, typer.Option(min=1, help="Games at the end, those of the checkpoint included.")],
    hidden: Annotated[str, typer.Option(metavar="N,N", help="Widths of the layers.")] = "80",
    weights: Annotated[Path | None, typer.Option(metavar="FILE", help="Nets to begin with.")] = None,
    horizon: Annotated[
        str,
        typer.Option(
            metavar="KIND:X",
            help="What is learned: lambda:X, the lambda-return; steps:N, the position N later; ahead:X, at a part X of "
            "the positions, the mean over the dice after the best play; rollouts:X, at a part X, the ends of 36 games "
            "that go on for 7 plays.",
        ),
    ] = "ahead:0.25",
    rate: Annotated[float, typer.Option(min=0.0, help="Learning rate at the start.")] = 1e-3,
    last_rate: Annotated[float, typer.Option(min=0.0, help="Learning rate at the end.")] = 2e-5,
    games_of_round: Annotated[int, typer.Option("--round", min=1, help="Games between two times of learning.")] = 64,
    batch: Annotated[int, typer.Option(min=1, help="Positions of a step.")] = 64,
    passes: Annotated[int, typer.Option(min=1, max=1000, help="Times that a position is learned.")] = 3,
    explore: Annotated[float, typer.Option(min=0.0, max=1.0, help="Part of the moves that are random.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same nets.")] = 1,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Games at once.")] = 1,
) -> None:
    """Plays games against itself and learns from each position what the next ones say. If it is interrupted, the same
    command goes on.
    """
    from playout.engine.learning.td import TdSettings, learn, read_horizon
    from playout.games import catalogue

    check_output("--out", out)
    settings = TdSettings(
        games, read_horizon(horizon), rate, last_rate, games_of_round, batch, passes, explore, seed, threads
    )
    with Bar() as bar:
        bar.begin("games", games)

        def on_progress(progress: TdProgress) -> None:
            bar.advance(
                progress.games,
                f"{progress.games_a_second:,.0f} a second, {progress.positions_a_second:,.0f} positions; "
                f"loss {progress.loss:.4f}",
            )

        done = learn(
            catalogue.load(game),
            out,
            settings,
            hidden=_widths(hidden),
            weights=weights,
            command=arguments.command_line(),
            on_progress=on_progress,
        )
    console().print(f"{out}: {done:,} games", soft_wrap=True)


def _widths(text: str) -> list[int]:
    try:
        widths = [int(word) for word in text.split(",")]
    except ValueError:
        widths = []
    if not widths or min(widths) < 1:
        raise BadOption(f"--hidden {text!r}: expected numbers from 1 up with commas between them")
    return widths
