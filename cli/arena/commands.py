"""``playout arena``: tournaments from a file."""

from __future__ import annotations

import typer

from playout.cli.arena import check, rate, report, run, work


def group() -> typer.Typer:
    """Returns the subcommands for the application."""
    made = typer.Typer(help="Tournaments between engines: playout arena run cup.yaml plays the cup of that file.")
    made.command("run")(run.command)
    made.command("work")(work.command)
    made.command("check")(check.command)
    made.command("report")(report.command)
    made.command("rate")(rate.command)
    return made
