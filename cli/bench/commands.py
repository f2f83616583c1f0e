"""The commands of ``playout bench``."""

from __future__ import annotations

from typing import Annotated

import typer

from playout.cli.bench import epd, speed


def group() -> typer.Typer:
    """Returns the application of these commands; without one of them, speed is measured."""
    app = typer.Typer(help="Measures the engine.", rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_speed)
    app.command("epd")(epd.command)
    return app


def _speed(
    context: typer.Context,
    game: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this game; repeatable.")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU-seconds for each number.")] = 0.5,
) -> None:
    """Measures playouts, simulations and memory of each game on one thread; ends with OpenBench's count of nodes.
    ``bench epd`` plays the positions of a test suite instead.
    """
    if context.invoked_subcommand is None:
        speed.show(tuple(game or ()), seconds)
