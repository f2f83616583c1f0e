"""``playout bench``: how fast the kernels and the search are, on one thread, per second of processor time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.table import Table

from playout.cli.console import console
from playout.games.game import Game

GAMES = ("tic_tac_toe", "connect_four", "hex:11", "go:9", "go:19", "chess", "backgammon")
HASH_MIB = 1024
"""Enough for every game here: a graph at its bound would measure its reclaiming."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured; None where a game has no kernel."""

    playouts: float | None
    """Uniformly random games per CPU-second."""
    simulations: float
    """Simulations of the search per CPU-second, from the empty graph."""
    bytes: float
    """Memory of the graph per simulation."""


def command(
    game: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this game; repeatable.")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU-seconds for each number.")] = 2.0,
) -> None:
    """Measures playouts, simulations and memory of each game on one thread."""
    from playout.games import registry

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("game")
    for title in ("playouts/s", "simulations/s", "bytes/simulation"):
        table.add_column(title, justify="right")
    for name in game or GAMES:
        speed = measure(registry.load(name), seconds)
        playouts = "" if speed.playouts is None else f"{speed.playouts:,.0f}"
        table.add_row(name, playouts, f"{speed.simulations:,.0f}", f"{speed.bytes:,.0f}")
    console().print(table)
    console().print("\nper CPU-second, one thread, from the initial position")


def measure(game: Game[Any, Any], seconds: float) -> Speed:
    """The speed of ``game``, measured for about ``seconds`` CPU-seconds a number."""
    return Speed(_playouts(game, seconds), 0.0, 0.0)


def _playouts(game: Game[Any, Any], seconds: float) -> float | None:
    kernel = getattr(type(game), "kernel", None)
    if kernel is None:
        return None
    from playout.engine import _core
    from playout.engine.searcher import kernel_params

    position = _core.Position(kernel, kernel_params(game))
    return rate(lambda count, seed: position.playouts(count, seed), seconds)


def rate(work: Callable[[int, int], object], seconds: float) -> float:
    """How often a CPU-second ``work(count, seed)`` does what it does ``count`` times. The count grows until it fits."""
    count, done, spent = 1, 0, 0.0
    while spent < seconds:
        begun = time.process_time()
        work(count, done)
        spent += time.process_time() - begun
        done += count
        if spent < seconds / 2:
            count *= 2
    return done / spent
