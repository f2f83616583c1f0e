"""``playout learn GAME``: generate, train, gate, repeat."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.console import console
from playout.cli.learn import arguments
from playout.cli.learn.players import Ray, players

if TYPE_CHECKING:
    from playout.engine.learning.training.log import Row
    from playout.engine.learning.training.run import State


def command(
    game: arguments.Game,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where all is kept; a run that is there goes on.")],
    generations: Annotated[int | None, typer.Option(min=1, help="Ends when there are as many.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.0, help="Ends with the generation under way then.")] = None,
    hidden: arguments.Hidden = None,
    tower: arguments.Tower = None,
    simulations: arguments.Simulations = None,
    games: arguments.Games = None,
    openings: arguments.Openings = None,
    window: arguments.Window = None,
    reuse: arguments.Reuse = None,
    batch: arguments.Batch = None,
    rate: arguments.Rate = None,
    last_rate: arguments.LastRate = None,
    result_share: arguments.ResultShare = None,
    every_value: arguments.EveryValue = None,
    only: arguments.Only = None,
    gate_pairs: arguments.GatePairs = None,
    gate_elo: arguments.GateElo = None,
    rating_pairs: arguments.RatingPairs = None,
    opening_plies: arguments.OpeningPlies = None,
    first: Annotated[
        str | None,
        typer.Option(
            metavar="WHO", help="Plays the first generation: plain, the game's plain search, or nets drawn at random."
        ),
    ] = None,
    seed: arguments.Seed = None,
    threads: arguments.Threads = None,
    ray: Ray = None,
) -> None:
    """Plays games against itself, learns from them, and plays on with the new net once it has won a match against the
    one before. Runs until it is interrupted (Ctrl-C) or reaches a bound; the same command then goes on. A folder that
    has a run keeps its settings.
    """
    given = arguments.given(locals())
    from playout.cli.progress import Bar
    from playout.engine.learning.training.log import FIRST_PLAYERS, draw
    from playout.engine.learning.training.run import Run, begun, learn
    from playout.engine.learning.training.settings import Settings
    from playout.engine.terms.kernel import kernel_of
    from playout.games import catalogue

    made = catalogue.load(game)
    state = begun(out)
    if state is None:
        settings = Settings(**{"first": "plain" if kernel_of(made) else "nets", **given})
    else:
        settings = arguments.changed(state.settings, given)
    with players(ray, game) as generate, Bar() as bar:
        run = Run(made, out, settings, arguments.command_line(), bar, generate)
        bar.title = f"generation {run.state.generation + 1}: "

        def on_row(state: State, row: Row) -> None:
            bar.title = f"generation {row.generation + 1}: "
            bar.note(_line(row))
            try:
                draw(out / "plot.png", state.game, state.settings.first, state.rows)
            except ImportError:
                if row.generation == 1:
                    bar.note("no plot: pip install 'playout[plots]'")

        learn(run, generations=generations, minutes=minutes, on_row=on_row)
    best = out / "best.safetensors"
    over = FIRST_PLAYERS[run.state.settings.first]
    if run.state.best:
        console().print(f"{best}: generation {run.state.best}, {run.state.elo:+.0f} Elo over {over}", soft_wrap=True)
        shown = shlex.quote(f"EvalFile={best}")
        console().print(f"playout play --game {shlex.quote(game)} --option {shown}", soft_wrap=True)
    else:
        console().print(f"no net has won a match against {over} yet; the same command goes on")


def _line(row: Row) -> str:
    verdict = "new best" if row.best == row.generation else "not better"
    return (
        f"{row.generation}: {row.games} games, {row.games_a_second:.3g} a second; loss {row.held_out_outcome:.3f} "
        f"{row.held_out_policy:.3f}; gate {100 * row.gate_score:.0f} % of {row.gate_pairs} pairs, {verdict}; "
        f"{row.elo:+.0f} Elo after {row.seconds / 60:.1f} minutes"
    )
