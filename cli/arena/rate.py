"""``playout arena rate``: ratings from the records of games alone."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.engine.statistics.samples import Estimate


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Games in PGN or SGF.")],
    anchor: Annotated[
        str | None, typer.Option(metavar="NAME=ELO", help="A rating that is known; without it the mean is 0.")
    ] = None,
    model: Annotated[str, typer.Option(help="logistic: a draw is half a win, as in Ordo; davidson.")] = "logistic",
    advantage: Annotated[bool, typer.Option("--advantage", help="Estimates the advantage of the first move.")] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Each two games of the same players with colours exchanged are a pair.")
    ] = False,
) -> int:
    """Rates the players of recorded games: Elo with 95 % intervals."""
    from rich.table import Table

    from playout.arena.report.recorded import pairings, results_of
    from playout.cli.console import console
    from playout.engine.statistics.ratings import Model, rate

    if model not in ("logistic", "davidson"):
        raise PlayoutError(f"--model {model}: logistic or davidson expected")
    kind: Model = "davidson" if model == "davidson" else "logistic"
    results = [result for file in files for result in results_of(file, moves=pairs)]
    if not results:
        raise PlayoutError(f"{', '.join(map(str, files))}: no games with a result")
    rated = rate(pairings(results, pairs=pairs), model=kind, advantage=advantage, anchor=_anchor(anchor))
    table = Table(box=None, pad_edge=False)
    for name in ("", "player", "Elo", "95 %", "games", "points"):
        table.add_column(name, justify="left" if name in ("", "player") else "right", overflow="fold")
    for place, (name, elo) in enumerate(rated.estimates.items(), 1):
        own = [result for result in results if name in result.names]
        points = sum(result.points if result.names[0] == name else 1 - result.points for result in own)
        table.add_row(str(place), name, _number(elo.value), _interval(elo), str(len(own)), f"{points:g}")
    out = console()
    out.print(table)
    if rated.advantage is not None:
        out.print(f"the first move is worth {_number(rated.advantage.value)} Elo ({_interval(rated.advantage)})")
    if len(rated.groups) > 1:
        out.print(f"{len(rated.groups)} groups never met each other: ratings compare inside a group only")
        for group in rated.groups:
            out.print(f"  {', '.join(group)}", soft_wrap=True)
    return 0


def _anchor(text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    name, equals, number = text.rpartition("=")
    try:
        if equals and name:
            return name, float(number)
    except ValueError:
        pass
    raise PlayoutError(f"--anchor {text!r}: NAME=ELO expected")


def _number(value: float) -> str:
    return f"{value:+.1f}" if math.isfinite(value) else "?"


def _interval(one: Estimate) -> str:
    return f"{_number(one.low)} to {_number(one.high)}"
