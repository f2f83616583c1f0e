"""``playout learn generate``: games of self-play into a file of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.cli.learn.players import Ray, players
from playout.cli.output import check_output


def command(
    game: arguments.Game,
    records: Annotated[Path, typer.Argument(metavar="RECORDS", help="The file; games are added to one that is there.")],
    weights: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Nets that play; without them the game's plain search.")
    ] = None,
    games: arguments.Games = None,
    simulations: arguments.Simulations = None,
    openings: arguments.Openings = None,
    seed: arguments.Seed = None,
    threads: arguments.Threads = None,
    ray: Ray = None,
) -> None:
    """Plays games against itself until the file has as many, with what the searches found at each position."""
    given = arguments.given(locals())
    from playout.cli.progress import Bar
    from playout.engine.learning.training.settings import Settings
    from playout.engine.learning.training.workshop import workshop_of
    from playout.games import catalogue

    check_output("RECORDS", records)
    made, settings = catalogue.load(game), Settings(**given)
    with players(ray, game) as generate, Bar() as bar:
        count = generate(workshop_of(made), made, settings, records, weights, settings.seed, bar)
    console().print(f"{records}: {count} games", soft_wrap=True)
