"""The typer application of the commands for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from playout.cli import bench, check, experiment, games, options, perft, play, protocols, solve
from playout.cli.arena import commands as arena
from playout.cli.arena import engine, enter, match, tune
from playout.cli.book import commands
from playout.cli.console import console
from playout.cli.demo import command as demo
from playout.cli.engine_commands import run_engine
from playout.cli.learn import commands as learn
from playout.cli.network import web
from playout.cli.openbench import run_genfens
from playout.protocols.base.version import VERSION
from playout.protocols.registry import PROTOCOLS

_VALUE = re.compile(r"^Invalid value for '(.*?)': (?:Value error, )?")
"""The text that typer puts before the reason why a value is wrong."""


def run_app(arguments: Sequence[str]) -> int:
    """Runs one command for people and returns the exit status. A wrong argument gets one line on standard error.

    Raises:
        KeyboardInterrupt: if the user broke off at a prompt.
    """
    app = make_app()
    try:
        status = app(list(arguments) or ["--help"], prog_name="playout", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        said = _VALUE.sub(r"\1: ", " ".join(explain().split()))
        typer.echo(f"playout: {said} (playout --help lists the commands)", err=True)
        return 2
    return status if isinstance(status, int) else 0


def make_app() -> typer.Typer:
    """Returns the application with all commands."""
    app = typer.Typer(
        help="A Monte Carlo tree search engine for many games.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets in help texts mark what may be left out
    )
    app.callback()(_common)
    for name, entry in PROTOCOLS.items():
        # main() dispatches the engines before it imports typer; these entries only fill the list of commands.
        app.command(name, help=entry.help, add_help_option=False)(_engine(name))
    app.command("serve", help="Serves engines to clients on the network.", add_help_option=False)(_elsewhere)
    app.command("connect", help="Uses an engine on another machine.", add_help_option=False)(_elsewhere)
    app.command("play")(play.command)
    app.command("demo")(demo.command)
    app.command("games")(games.command)
    app.command("options")(options.command)
    app.command("protocols")(protocols.command)
    app.command("solve")(solve.command)
    app.command("perft")(perft.command)
    app.command("match")(match.command)
    app.command("enter")(enter.command)
    app.command("web")(web.command)
    app.command("tune")(tune.command)
    app.command("bench")(bench.command)
    app.command("check")(check.command)
    app.command("experiment")(experiment.command)
    app.command("genfens", help="Chess openings for OpenBench: genfens N seed S book FILE.", add_help_option=False)(
        lambda: run_genfens(["genfens"])
    )
    app.add_typer(commands.group(), name="book")
    app.add_typer(learn.group(), name="learn")
    app.add_typer(arena.group(), name="arena")
    app.add_typer(engine.group(), name="engine")
    return app


def _engine(name: str) -> Callable[[], int]:
    return lambda: run_engine(name, [])


def _elsewhere() -> None:
    raise AssertionError("main() dispatches this command")


def _print_version(wanted: bool) -> None:
    if wanted:
        console().print(f"playout {VERSION}")
        raise typer.Exit


def _common(
    _version: Annotated[
        bool, typer.Option("--version", help="Prints the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass
