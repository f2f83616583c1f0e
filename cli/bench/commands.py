"""The commands of ``playout bench``."""

from __future__ import annotations

from typing import Annotated

import typer

from playout.cli.bench import epd, regression, speed


def group() -> typer.Typer:
    """Returns the application of these commands; without one of them, speed is measured."""
    app = typer.Typer(help="Measures the engine.", rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_speed)
    app.command("epd")(epd.command)
    app.command("gtp")(regression.command)
    return app


def _speed(
    context: typer.Context,
    game: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this game; repeatable.")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU-seconds for each number.")] = 0.5,
) -> None:
    """Measures playouts, simulations and memory of each game on one thread; ends with OpenBench's count of nodes.
    ``bench epd`` and ``bench gtp`` play the positions of test suites instead.
    """
    if context.invoked_subcommand is None:
        speed.show(tuple(game or ()), seconds)
