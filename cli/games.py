"""``playout games``: the games that are installed and their parameters."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from rich.table import Table

from playout.cli.console import console
from playout.games import catalogue
from playout.games.errors import PlayoutError


def command() -> None:
    """Lists the games and their parameters."""
    table = Table("game", "parameters", "what it is", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name in catalogue.names():
        try:
            game = catalogue.game_class(name)
        except (PlayoutError, ImportError, AttributeError, SyntaxError) as error:
            table.add_row(name, "", f"cannot be loaded: {type(error).__name__}: {error}")
            continue
        parameters = ", ".join(map(_parameter, catalogue.parameters(game)))
        table.add_row(name, parameters, _first_sentence(game))
    console().print(table)
    console().print(
        "\nParameters follow the name, by position or by name: go:9,komi=5.5, go:13x9. Your own game: my.py:ClassName."
    )


def _first_sentence(game: type[Any]) -> str:
    text = " ".join((inspect.getdoc(game) or "").replace("``", "").split())
    sentence, stop, _ = text.partition(". ")
    return sentence + stop.strip()


def _parameter(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING:
        return field.name
    default = str(field.default).lower() if isinstance(field.default, bool) else field.default
    return f"{field.name}={default}"
