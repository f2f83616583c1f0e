"""The typer application of the commands for people."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Annotated

import typer

from playout.cli.console import console
from playout.games.nearest import nearest
from playout.protocols.base.version import VERSION
from playout.protocols.registry import PROTOCOLS

ELSEWHERE = {
    "serve": "Serves engines to clients on the network.",
    "connect": "Uses an engine on another machine.",
    "completion": "Makes a shell complete words: completion bash, zsh or fish.",
    "genfens": "Chess openings for OpenBench: genfens N seed S book FILE.",
}
"""Commands that ``main`` dispatches before typer is imported, as it does protocols. Here they stand for the list."""
MODULES = {
    "play": "play.command",
    "web": "web.command",
    "demo": "demo.command",
    "games": "games",
    "options": "options",
    "protocols": "protocols",
    "solve": "solve",
    "perft": "perft",
    "match": "arena.match",
    "enter": "arena.enter",
    "tune": "arena.tune",
    "watch": "arena.watch",
    "bench": "bench.commands",
    "check": "check",
    "experiment": "experiment",
    "book": "book.commands",
    "learn": "learn.commands",
    "arena": "arena.commands",
    "engine": "arena.engine",
}
"""The modules of all other commands, of which only the one that is called is imported. A module has a function
``command``, or ``group`` for a command with commands of its own."""
_VALUE = re.compile(r"^Invalid value for '(.*?)': (?:Value error, )?")
"""The text that typer puts before the reason why a value is wrong."""
_QUOTED = "'([^']+)'"
_CHOICE = re.compile(rf"{_QUOTED} is not one of (.+)")


def run_app(arguments: Sequence[str]) -> int:
    """Runs one command for people and returns the exit status. A wrong argument gets one line on standard error.

    Raises:
        KeyboardInterrupt: if the user broke off at a prompt.
    """
    app = make_app(arguments[0] if arguments else "")
    try:
        status = app(list(arguments) or ["--help"], prog_name="playout", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        said = _suggested(_VALUE.sub(_named, " ".join(explain().split())))
        typer.echo(f"playout: {said} (playout --help lists the commands)", err=True)
        return 2
    return status if isinstance(status, int) else 0


def _named(wrong: re.Match[str]) -> str:
    """Returns the names of the argument whose value is wrong, without typer's quotes between them."""
    return wrong[1].replace("' / '", ", ") + ": "


def _suggested(said: str) -> str:
    """Returns typer's message, with the nearest word if it lists the allowed ones and none of them was given."""
    found = _CHOICE.search(said)
    return said if found is None else f"{said.rstrip('.')}{nearest(found[1], re.findall(_QUOTED, found[2]))}"


def make_app(only: str = "") -> typer.Typer:
    """Returns the application with all commands, or with the one that is called ``only`` if there is one."""
    app = typer.Typer(
        help="A Monte Carlo tree search engine for many games.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets in help texts mark what may be left out
    )
    app.callback()(_common)
    for name in [only] if only in MODULES else [*PROTOCOLS, *ELSEWHERE, *MODULES]:
        if name in PROTOCOLS:
            app.command(name, help=PROTOCOLS[name].help, add_help_option=False)(_elsewhere)
        elif name in ELSEWHERE:
            app.command(name, help=ELSEWHERE[name], add_help_option=False)(_elsewhere)
        else:
            module = importlib.import_module(f"playout.cli.{MODULES[name]}")
            if hasattr(module, "group"):
                app.add_typer(module.group(), name=name)
            else:
                app.command(name)(module.command)
    return app


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
