"""Arguments of the commands that must start quickly and therefore do not use typer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from playout.games.errors import PlayoutError
from playout.games.nearest import nearest


class Parser(argparse.ArgumentParser):
    """Reports a wrong argument in one line, as all other input errors."""

    def error(self, message: str) -> NoReturn:
        flags = [flag for action in self._actions for flag in action.option_strings]
        kind, _, words = message.partition(": ")
        near = nearest(words.split()[0].partition("=")[0], flags) if kind == "unrecognized arguments" else ""
        raise PlayoutError(f"{self.prog.split()[-1]}: {message}{near}")


def add_log_file(parser: argparse.ArgumentParser) -> None:
    """Adds the argument that names a log file."""
    parser.add_argument(
        "--log-file", metavar="FILE", type=Path, help="appends the log, and each line read or written, with its time"
    )


SHOWN = {"common": "false", "all": "true"}
"""Words of ``--options``, with the value of ShowAllOptions that each stands for."""


def add_engine_arguments(parser: argparse.ArgumentParser, usual_game: str) -> None:
    """Adds the arguments that select the game and the options of an engine."""
    parser.add_argument("--game", metavar="NAME", help=f"hex:11, my.py:Mnk, ...; {usual_game} if not given")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="sets an engine option")
    parser.add_argument("--config", metavar="FILE", type=Path, help="a YAML file with a game and options")
    parser.add_argument(
        "--options",
        choices=list(SHOWN),
        help="options that interfaces are told of: common, those that people set, or all; common if not given",
    )


def engine_options(words: argparse.Namespace) -> list[str]:
    """Returns the options, each NAME=VALUE, that the arguments of ``add_engine_arguments`` set."""
    from playout.engine.options.table import SHOW_ALL

    shown = [] if words.options is None else [f"{SHOW_ALL}={SHOWN[words.options]}"]
    return [*shown, *words.option]
