"""Arguments of the commands that must be quick to start, and so do without typer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from playout.games.errors import PlayoutError


class Parser(argparse.ArgumentParser):
    """Reports a wrong argument in one line, like every other wrong input."""

    def error(self, message: str) -> NoReturn:
        raise PlayoutError(f"{self.prog.split()[-1]}: {message}")


def add_engine_arguments(parser: argparse.ArgumentParser, usual_game: str) -> None:
    """What says which game an engine plays, and how."""
    parser.add_argument("--game", metavar="NAME", help=f"hex:11, my.py:Mnk, ...; {usual_game} if not given")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="sets an engine option")
    parser.add_argument("--config", metavar="FILE", type=Path, help="a YAML file with a game and options")
