"""``playout play``: a game against the engine in the terminal."""

from __future__ import annotations

import random
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from playout.cli.settings import read_settings


class HumanSide(StrEnum):
    """The side that the user plays."""

    first = "first"
    second = "second"
    both = "both"
    none = "none"


def command(
    game: Annotated[str | None, typer.Option(metavar="NAME", help="hex:5, my.py:Mnk, ...")] = None,
    side: Annotated[HumanSide, typer.Option(help="Whom you play.")] = HumanSide.first,
    seconds: Annotated[float, typer.Option("--time", min=0.01, help="Seconds that the engine thinks per move.")] = 2.0,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    manual_dice: Annotated[bool, typer.Option("--manual-dice", help="You roll the dice and enter them.")] = False,
    level: Annotated[int | None, typer.Option(min=0, max=20, help="Strength of the engine. [default: 20]")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the dice and of the engine.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Sets an engine option.")] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="A YAML file with a game and options.")] = None,
) -> None:
    """Plays a game with you in the terminal."""
    from playout import Engine
    from playout.cli.play.table import PlayTable

    settings = read_settings("connect_four", game, option or [], config)
    with Engine(settings.game) as engine:
        if seed is not None:
            engine.set_option("Seed", str(seed))
        settings.apply(engine)
        if level is not None:
            engine.configure(level=level)
        if position is not None:
            engine.set_position(position)
        humans = {HumanSide.first: (0,), HumanSide.second: (1,), HumanSide.both: (0, 1), HumanSide.none: ()}[side]
        PlayTable(engine, humans, seconds, None if manual_dice else random.Random(seed)).play()
