"""Nets that learn a game by playing it against themselves without look-ahead (``td.rs``)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.books.shipped import shipped_files
from playout.engine import _core
from playout.engine.learning.training.workshop import one_line, provenance
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.games.errors import BadOption, GameError
from playout.games.game import Game

SAVED_EVERY = 60.0
"""Seconds between checkpoints."""
STRETCH = 1.0
"""Seconds between reports, about."""
HORIZONS = {"lambda": (0.0, 1.0), "steps": (1, 1000), "ahead": (0.001, 1.0), "rollouts": (0.001, 1.0)}
"""Kinds of targets, with the bounds of the number that goes with each (``Horizon`` in ``target.rs``)."""


@dataclass(frozen=True)
class TdSettings:
    """Settings of a learner."""

    games: int
    horizon: tuple[str, float] = ("ahead", 0.25)
    rate: float = 1e-3
    """The learning rate of the first game; it falls along a cosine."""
    last_rate: float = 2e-5
    round: int = 64
    """Games that are played by the same nets, before they learn from them."""
    batch: int = 64
    """Positions of a step."""
    passes: int = 3
    """Times that the positions of a round are learned."""
    explore: float = 0.0
    """Part of the moves that are random."""
    seed: int = 1
    threads: int = 1


@dataclass(frozen=True)
class TdProgress:
    """Work since the last report."""

    games: int
    """Games so far."""
    games_a_second: float
    positions_a_second: float
    """Positions learned."""
    loss: float
    """Mean cross-entropy of targets and chances, in nats."""
    rate: float


def read_horizon(text: str) -> tuple[str, float]:
    """Returns the horizon that a text such as ``lambda:0.7``, ``steps:3`` or ``ahead:0.25`` stands for.

    Raises:
        BadOption: if it stands for none.
    """
    kind, _, number = text.partition(":")
    try:
        low, high = HORIZONS[kind]
        value = float(number)
    except (KeyError, ValueError):
        raise BadOption(f"horizon {text!r}: expected lambda:X, steps:N, ahead:X or rollouts:X") from None
    if not low <= value <= high:
        raise BadOption(f"horizon {text!r}: the number must be from {low} to {high}")
    return kind, value


def learn(
    game: Game[Any, Any],
    out: Path,
    settings: TdSettings,
    *,
    hidden: Sequence[int] = (80,),
    weights: Path | None = None,
    command: str = "",
    on_progress: Callable[[TdProgress], None] | None = None,
) -> int:
    """Plays and learns until ``settings.games`` games are played, and writes the nets to ``out``; returns the games.

    Begins with the nets of ``weights``, or with random ones with layers of the widths ``hidden``. A checkpoint, ``out``
    with ``.checkpoint`` at the end of its name, is written every minute and at an interruption; where there is one,
    learning goes on from it, exactly. What the shipped bear-off database of backgammon knows is learned as it is.
    Blocks.

    Raises:
        GameError: if nets cannot learn the game so.
        PlayoutError: if a file cannot be read or written, in one line that names it.
    """
    kernel = kernel_of(game)
    if kernel is None:
        raise GameError(f"{game.name}: TD learning knows the games that come with playout")
    checkpoint = out.with_name(f"{out.name}.checkpoint")
    tables = [file for file in shipped_files(game) if file.suffix == ".bearoff"]
    with one_line():
        learner = _core.TdLearner(
            kernel,
            kernel_params(game),
            settings,
            widths=list(hidden),
            weights=weights,
            checkpoint=checkpoint if checkpoint.exists() else None,
            table=tables[0] if tables else None,
        )
        saved = time.monotonic()
        try:
            while learner.state()[0] < settings.games:
                begin = time.monotonic()
                games, positions, loss = learner.run(STRETCH)
                now = time.monotonic()
                if on_progress is not None:
                    done, rate = learner.state()
                    on_progress(TdProgress(done, games / (now - begin), positions / (now - begin), loss, rate))
                if now - saved > SAVED_EVERY:
                    learner.save(checkpoint)
                    saved = now
        finally:
            learner.save(checkpoint)
            said = (
                f"self-play, {learner.state()[0]} games, {':'.join(map(str, settings.horizon))}, seed {settings.seed}"
            )
            learner.write(out, provenance(command, said, "none"))
        return learner.state()[0]
