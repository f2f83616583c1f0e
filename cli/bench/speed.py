"""``playout bench``: speed of the kernels and of the search, on one thread, per second of processor time.

Without a game's name the output ends with the line that OpenBench reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.table import Table

from playout.cli.console import console
from playout.cli.openbench import POSITIONS, report
from playout.cli.progress import Bar
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, action_to_text

GAMES = ("tic_tac_toe", "connect_four", "hex:11", "go:9", "go:19", "chess", "backgammon")
HASH_MIB = 1024
"""Enough for every game here; a graph at its limit would measure the reclaiming of nodes."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Measurements of one game."""

    playouts: float | None
    """Uniformly random games per CPU-second; None for a game without a kernel."""
    simulations: float
    """Simulations of the search per CPU-second, starting from an empty graph."""
    memory: float
    """Bytes of the graph per simulation."""


def show(only: Sequence[str], seconds: float) -> None:
    """Prints the speed of each game, or of those named in ``only``, measured for ``seconds`` CPU-seconds a number."""
    from playout.games import catalogue

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("game")
    for title in ("playouts/s", "simulations/s", "bytes/simulation"):
        table.add_column(title, justify="right")
    games = {name: catalogue.load(name) for name in only or GAMES}
    with Bar(still=True) as bar:
        bar.begin("games", len(games))
        for number, (name, made) in enumerate(games.items()):
            bar.advance(number, name)
            speed = measure(made, seconds)
            playouts = "" if speed.playouts is None else f"{speed.playouts:,.0f}"
            table.add_row(name, playouts, f"{speed.simulations:,.0f}", f"{speed.memory:,.0f}")
        if not only:
            bar.begin("positions of OpenBench", len(POSITIONS))
            nodes = report(bar.advance)
    console().print(table)
    console().print("\nper CPU-second, one thread, from the initial position; solver off")
    if not only:
        console().print(nodes)


def measure(game: Game[Any, Any], seconds: float) -> Speed:
    """Measures ``game`` from its initial position, for about ``seconds`` CPU-seconds for each number."""
    from playout.engine.options.config import kernel_of, options_for, search_config
    from playout.engine.search.searcher import Searcher
    from playout.engine.search.weights import set_weights, weight_files

    kernel = kernel_of(game)
    options = options_for(game, {})
    config = search_config(game, options)
    # Without this, a proof would end the search of a small game before it is measured.
    searcher = Searcher(game, replace(config, threads=1, hash_mib=HASH_MIB, solver=False))
    set_weights(searcher, weight_files(game, options))
    searcher.set_position(None, _first_roll(game))
    searcher.prepare()
    searcher.set_deadline(None, seconds)
    begun = time.process_time()
    result = searcher.run(interval=3600.0)
    spent = time.process_time() - begun
    if result.fault is not None:
        raise GameError(f"{game.name}: {result.fault.strip().splitlines()[-1]}")
    simulations = result.info.simulations
    playouts = None if kernel is None else _playouts(kernel, game, seconds)
    return Speed(playouts, simulations / spent, searcher.used / max(1, simulations))


def _first_roll(game: Game[Any, Any]) -> list[str]:
    state = game.initial_state()
    rolls = []
    while game.current_player(state) == CHANCE:
        roll = game.legal_actions(state)[0]
        rolls.append(action_to_text(game, state, roll))
        state = game.next_state(state, roll)
    return rolls


def _playouts(kernel: str, game: Game[Any, Any], seconds: float) -> float:
    from playout.engine import _core
    from playout.engine.terms.kernel import kernel_params

    position = _core.Position(kernel, kernel_params(game))
    return rate(position.playouts, seconds)


def rate(work: Callable[[int, int], object], seconds: float) -> float:
    """Returns executions per CPU-second. ``work(count, seed)`` executes ``count`` times; the count grows until it takes
    ``seconds``.
    """
    count, done, spent = 1, 0, 0.0
    while spent < seconds:
        begun = time.process_time()
        work(count, done)
        spent += time.process_time() - begun
        done += count
        if spent < seconds / 4:
            count *= 2
    return done / spent
