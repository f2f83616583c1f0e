"""The stages of learning: generate, train, gate."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from playout.engine import _core
from playout.engine.learning.data.joined import folder_of_chunks
from playout.engine.learning.training.gate import gate_test, pair_score
from playout.engine.learning.training.settings import Settings, learned_search, plain_search
from playout.engine.learning.training.watch import Watch
from playout.engine.learning.training.workshop import one_line
from playout.engine.statistics.pairs import Pentanomial
from playout.games.game import Game

STEPS = 50
"""Steps between two words to the watch."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean cross-entropies in nats: of the steps that were taken, then of the games held out."""

    outcome: float
    policy: float
    held_out_outcome: float
    held_out_policy: float


def generate(
    workshop: _core.Learning,
    game: Game[Any, Any],
    settings: Settings,
    records: Path,
    weights: Path | None,
    seed: int,
    watch: Watch,
) -> int:
    """Plays games against itself until the file ``records`` has ``settings.games`` of them. Returns how many it has.

    Without ``weights`` the game's plain search plays.

    Raises:
        PlayoutError: one line that names the file and what is wrong with it.
    """
    config = plain_search(game) if weights is None else learned_search()
    began, first, plies = monotonic(), 0, 0
    watch.begin("games", settings.games)

    def on_game(number: int, length: int) -> None:
        nonlocal first, plies
        first, plies = first or number, plies + length
        rate = (number - first + 1) / max(monotonic() - began, 1e-9)
        watch.advance(number, f"{rate:.3g} games/s, {plies / (number - first + 1):.0f} plies")

    with one_line():
        played = workshop.generate(
            records,
            weights,
            settings.manner(game, config),
            games=settings.games,
            seed=seed,
            threads=settings.threads,
            on_game=on_game,
        )
    if played >= settings.games:
        shutil.rmtree(folder_of_chunks(records), ignore_errors=True)  # a cluster has begun the file
    return played


def read(
    workshop: _core.Learning, files: Sequence[Path], settings: Settings, before: int, watch: Watch
) -> tuple[int, int, int]:
    """Reads files of records, the oldest first, and forgets what leaves the window. ``before`` is the number of rows
    that were read earlier.

    Returns the number of games, of all their rows, and of the rows of the last file.

    Raises:
        PlayoutError: one line that names the file and the record.
    """
    games = rows = last = 0
    watch.begin("files", len(files))
    with one_line():
        for number, file in enumerate(files, 1):
            found, last, damage = workshop.read(file)
            if damage is not None:
                watch.note(damage)
            games, rows = games + found, rows + last
            workshop.forget(max(settings.window, (before + rows) // 2))
            watch.advance(number)
    return games, rows, last


def train(workshop: _core.Learning, settings: Settings, rows: int, seed: int, watch: Watch) -> Losses:
    """Takes as many steps as ``rows`` new rows are worth.

    Raises:
        PlayoutError: if there is nothing to learn from.
    """
    steps = max(1, round(settings.reuse * rows / settings.batch))
    watch.begin("steps", steps)

    def on_step(step: int) -> None:
        if step % STEPS == 0:
            watch.advance(step)

    with one_line():
        loss, held_out = workshop.train(
            steps=steps,
            batch=settings.batch,
            rate=settings.rate,
            last_rate=settings.rate if settings.last_rate is None else settings.last_rate,
            decay=settings.decay,
            seed=seed,
            on_step=on_step,
        )
    return Losses(*loss, *held_out)


def match(
    workshop: _core.Learning,
    game: Game[Any, Any],
    settings: Settings,
    sides: tuple[Path | None, Path | None],
    seed: int,
    watch: Watch,
    *,
    pairs: int,
    elo: tuple[float, float] | None = None,
) -> Pentanomial:
    """Plays pairs of games between two nets, or the plain search in place of None, at equal simulations.

    At most ``pairs``; with the hypotheses ``elo`` until the test has decided. The score is that of the first side.

    Raises:
        PlayoutError: one line that names the file of weights that cannot be used.
    """
    counts, test = Pentanomial(), None if elo is None else gate_test(elo)
    watch.begin("pairs", pairs)

    def side(weights: Path | None) -> tuple[Path | None, Any, int]:
        return weights, plain_search(game) if weights is None else learned_search(), settings.simulations

    def on_pair(one: float, two: float) -> bool:
        nonlocal counts
        counts += Pentanomial.of([pair_score(one, two)])
        watch.advance(counts.number, f"{100 * counts.mean:.1f} %")
        return counts.number < pairs and (test is None or test.verdict(counts) is None)

    with one_line():
        workshop.pairs(
            side(sides[0]),
            side(sides[1]),
            first=0,
            last=pairs,
            opening_plies=settings.opening_plies,
            seed=seed,
            threads=settings.threads,
            on_pair=on_pair,
        )
    return counts
