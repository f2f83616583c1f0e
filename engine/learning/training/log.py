"""The log of a run: a line for each generation, as CSV and as a plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from playout.games.support.whole_file import replacing, write_whole

FIRST_PLAYERS = {"plain": "the plain search", "nets": "nets drawn at random"}


@dataclass(slots=True)
class Row:
    """A generation. Losses are mean cross-entropies in nats."""

    generation: int
    games: int
    """Games of self-play so far."""
    rows: int
    """Positions of this generation that are learned from."""
    seconds: float
    """Time of all generations so far."""
    games_a_second: float
    outcome: float
    policy: float
    held_out_outcome: float
    held_out_policy: float
    gate_score: float
    """Mean score of the new net against the best one before, in [0, 1]."""
    gate_error: float
    gate_pairs: int
    best: int
    """Generation of the best net from here on; 0 is who played the first generation."""
    elo: float
    """Elo of the best net, where generation 0 with as many simulations has 0."""


def write_log(path: Path, rows: Sequence[Row]) -> None:
    """Replaces the CSV file of a run."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in asdict(row).items()}
        )
    write_whole(path, text.getvalue().encode())


def draw(path: Path, game: str, first: str, rows: Sequence[Row]) -> None:
    """Draws Elo and losses over the games played, into a file that is replaced whole.

    Raises:
        ImportError: without matplotlib.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6), layout="constrained")
    strength, losses = figure.subplots(2, 1, sharex=True)
    games = [row.games for row in rows]
    strength.step([0, *games], [0.0, *(row.elo for row in rows)], where="post")
    strength.set_ylabel(f"Elo of the best net over {FIRST_PLAYERS[first]}")
    strength.set_title(f"{game}: {rows[-1].seconds / 60:.1f} minutes")
    for name, label in (
        ("held_out_outcome", "outcome, held out"),
        ("outcome", "outcome"),
        ("held_out_policy", "policy, held out"),
        ("policy", "policy"),
    ):
        losses.plot(games, [getattr(row, name) for row in rows], label=label)
    losses.set_xlabel("games of self-play")
    losses.set_ylabel("cross-entropy in nats")
    losses.legend()
    for axes in (strength, losses):
        axes.grid(visible=True, alpha=0.3)
    with replacing(path) as beside:
        figure.savefig(beside, format=path.suffix.removeprefix("."))
