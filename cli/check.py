"""``playout check``: checks that a game keeps its contract."""

from __future__ import annotations

from typing import Annotated

import typer

from playout.cli.console import console


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="hex:5, my.py:Mnk, ...")],
    games: Annotated[int, typer.Option(min=1, help="Random games to play.")] = 20,
    seed: Annotated[int, typer.Option(help="The same seed plays the same games.")] = 0,
) -> int:
    """Checks a game: purity, results, keys, symmetries, texts. Exit status 1 if it finds a problem."""
    from playout.games import catalogue
    from playout.games.check.checker import check

    made = catalogue.load(game)
    problems = check(made, games=games, seed=seed)
    for problem in problems:
        console().print(str(problem), soft_wrap=True)
    if problems:
        console().print(f"\n{made.name}: {len(problems)} problem{'s' * (len(problems) > 1)}")
        return 1
    console().print(f"{made.name}: no problem found in {games} random games (seed {seed})")
    return 0
