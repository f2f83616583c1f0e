"""``playout learn gate``: whether one net is stronger than another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments


def command(
    game: arguments.Game,
    weights: Annotated[Path, typer.Argument(metavar="WEIGHTS", help="The nets in question.")],
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The other nets; without them the game's plain search.")
    ] = None,
    simulations: arguments.Simulations = None,
    gate_pairs: Annotated[int | None, typer.Option("--pairs", min=1, help="Most pairs. [default: 100]")] = None,
    gate_elo: arguments.GateElo = None,
    whole: Annotated[bool, typer.Option("--all", help="Plays all pairs, without a test.")] = False,
    opening_plies: arguments.OpeningPlies = None,
    seed: arguments.Seed = None,
    threads: arguments.Threads = None,
) -> int:
    """Plays pairs of games at equal simulations, each pair from a random opening with both colours. Status 1: the nets
    have not won."""
    given = arguments.given(locals())
    from playout.cli.progress import Bar
    from playout.engine.learning.training import stages
    from playout.engine.learning.training.gate import described, gate_test
    from playout.engine.learning.training.settings import Settings
    from playout.engine.learning.training.workshop import open_workshop
    from playout.engine.statistics.sprt import Verdict
    from playout.games import catalogue

    made, settings = catalogue.load(game), Settings(**given)
    with Bar() as bar:
        counts = stages.match(
            open_workshop(made),
            made,
            settings,
            (weights, against),
            settings.seed,
            bar,
            pairs=settings.gate_pairs,
            elo=None if whole else settings.gate_elo,
        )
    verdict = gate_test(settings.gate_elo).verdict(counts)
    word = {Verdict.H1: "stronger", Verdict.H0: "not stronger", None: "open"}[verdict]
    low, high = settings.gate_elo
    tested = "" if whole else f"; SPRT {low:g} to {high:g} Elo: {word}"
    console().print(f"{described(counts)}{tested}", soft_wrap=True)
    return 0 if whole or verdict is Verdict.H1 else 1
