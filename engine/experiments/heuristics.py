"""The strength of each technique, on against off, at equal playouts and at equal time.

Both sides are the plain search: UCB1, uniformly random playouts, untried moves in random order, and an exploration
constant tuned for it (``EXPLORATION``). One side has one technique in addition. A technique that guides the search
costs time at every node, so it is measured twice: at equal simulations for each move, which shows the worth of a
playout, and at equal time, which shows the gain after its cost.
"""

from __future__ import annotations

import csv as csv_files
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.engine.experiments.base.experiment import Cell, Column, ExperimentResult, ResultTable, Say, counted, silent
from playout.engine.experiments.base.match import Pace, Score, pairs, play_all
from playout.engine.experiments.base.plain import PLAIN, plain
from playout.engine.options.config import SearchConfig
from playout.engine.terms.kernel import kernel_of
from playout.games import catalogue
from playout.games.errors import GameError
from playout.games.nearest import suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK: Mapping[str, Any] = {"games": 4, "nodes": 60, "seconds": 0.005, "game": ("hex:5",)}
GAMES = ("hex:9", "connect_four", "go:9")
OPENING_PLIES = 2
TECHNIQUES: Mapping[str, Mapping[str, Any]] = {
    "progressive-bias": {"progressive_bias": 1.0},
    "value-initialisation": {"value_initialisation": 10.0},
    "preferential-expansion": {"expansion_order": "preference", "expansion_epsilon": 0.5},
    "boltzmann": {"playout_policy": "boltzmann", "playout_temperature": 1.0},
    "early-termination": {"playout_cutoff": 10},  # except for the games of CUTOFF
    "rave": {"rave": True},
}
"""The settings that turn each technique on."""
EXPLORATION: Mapping[str, float] = {"hex": 0.7, "connect_four": 1.0, "go": 0.35}
"""C of plain UCB1 by kernel, tuned by matches where docs/strength.md lists one."""
CUTOFF: Mapping[str, int] = {"hex": 20, "connect_four": 8, "go": 40}
"""Plies after which early termination ends a playout, by kernel: about a quarter of the rest of a game."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match, and the score of the side with the technique."""

    game: str
    technique: str
    pace: str
    """Budget for each move: ``60 playouts`` or ``0.1 s``."""
    games: int
    seed: int
    score: float
    error: float
    """Standard error of the score."""
    elo: float
    elo_least: float
    elo_most: float
    """95 % interval."""

    @property
    def match(self) -> tuple[str, str, str, int, int]:
        """The identity of the match: its parameters without the result."""
        return self.game, self.technique, self.pace, self.games, self.seed

    @property
    def is_timed(self) -> bool:
        """Whether the budget of a move is a time."""
        return self.pace.endswith(" s")

    def text(self) -> str:
        """Returns the progress line printed when the match has ended."""
        return (
            f"{self.game} {self.technique}, {self.pace} a move: {self.score:.1%} +- {self.error:.1%} of {self.games} "
            f"games, Elo {self.elo:+.0f} [{self.elo_least:+.0f}, {self.elo_most:+.0f}]"
        )


FIELDS = {field.name: {"int": int, "float": float}.get(str(field.type), str) for field in dataclasses.fields(MatchRow)}


def _table(lines: Sequence[MatchRow], timed: bool) -> ResultTable:
    columns = (
        Column("game"),
        Column("technique"),
        Column("a move"),
        Column("games"),
        Column("score", ".1%", timed),
        Column("+-", ".1%", timed),
        Column("Elo", "+.0f", timed),
        Column("from", "+.0f", timed),
        Column("to", "+.0f", timed),
    )
    rows: list[tuple[Cell, ...]] = [
        (one.game, one.technique, one.pace, one.games, one.score, one.error, one.elo, one.elo_least, one.elo_most)
        for one in lines
    ]
    budget = "time" if timed else "simulations"
    return ResultTable(
        f"Score of the side with the technique against the plain search, at equal {budget}", columns, tuple(rows)
    )


@dataclass(frozen=True, slots=True)
class Heuristics(ExperimentResult):
    """The matches in the order in which they were played."""

    lines: tuple[MatchRow, ...]

    def tables(self) -> Sequence[ResultTable]:
        by_pace = {pace: [one for one in self.lines if one.is_timed == pace] for pace in (False, True)}
        return [_table(lines, timed) for timed, lines in by_pace.items() if lines]

    def notes(self) -> Sequence[str]:
        return ("+-: standard error, by pairs of games from one opening. Elo: with its 95 % interval.",)

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        lines = self.lines[::-1]
        # 2.0 standard errors to each side, close to the interval of the Elo difference.
        errors = [196 * one.error for one in lines]
        axes.errorbar([100 * one.score for one in lines], range(len(lines)), xerr=errors, marker="o", linestyle="")
        axes.axvline(50, color="black", linestyle=":")
        axes.set_yticks(range(len(lines)), [f"{one.game} {one.technique}, {one.pace}" for one in lines], fontsize=7)
        axes.set_xlabel("score with the technique, %, with the 95 % interval")


def run(
    *,
    seed: int = 0,
    game: Sequence[str] = GAMES,
    technique: Sequence[str] = tuple(TECHNIQUES),
    games: int = 200,
    nodes: int = 1000,
    seconds: float = 0.1,
    workers: int = 1,
    csv: Path | None = None,
    say: Say = silent,
) -> Heuristics:
    """Runs the matches. ``games`` is the number of games of each match; ``nodes`` and ``seconds`` are budgets for each
    move; ``workers`` is the number of processes.

    With ``csv`` each line is appended to that file, and a match that the file already has is not played again.

    Raises:
        GameError: for an unknown technique or game, or a file with other content.
    """
    for name in technique:
        if name not in TECHNIQUES:
            raise GameError(f"no technique {name!r}{suggestion(name, TECHNIQUES)}")
    known = {line.match: line for line in _read(csv)} if csv is not None else {}
    lines = []
    for name in game:
        for one in technique:
            for pace, words in (Pace(nodes=nodes), f"{nodes} playouts"), (Pace(seconds=seconds), f"{seconds:g} s"):
                line = known.get((name, one, words, games // 2 * 2, seed))
                if line is None:
                    score = _match(name, one, pace, games, seed, workers, f"{name} {one}, {words}")
                    line = MatchRow(name, one, words, score.games, seed, score.mean, score.error, *score.elo)
                    if csv is not None:
                        _append(csv, line)
                say(line.text())
                lines.append(line)
    return Heuristics(tuple(lines))


def sides(name: str, technique: str) -> tuple[SearchConfig, SearchConfig]:
    """Returns the configuration with the technique and the plain one."""
    kernel = kernel_of(catalogue.load(name))
    off = plain(solver=True, exploration=EXPLORATION.get(kernel or "", PLAIN.exploration))
    return dataclasses.replace(off, **settings(name, technique)), off


def settings(name: str, technique: str) -> Mapping[str, Any]:
    """Returns the settings that turn the technique on in the game called ``name``."""
    values = dict(TECHNIQUES[technique])
    if "playout_cutoff" in values:
        values["playout_cutoff"] = CUTOFF.get(name.partition(":")[0], values["playout_cutoff"])
    return values


def _match(name: str, technique: str, pace: Pace, games: int, seed: int, workers: int, part: str) -> Score:
    match = pairs(name, sides(name, technique), games=games, pace=pace, plies=OPENING_PLIES, seed=seed)
    return Score(tuple(score for _, score in zip(counted(part, match), play_all(match, workers), strict=True)))


def _read(path: Path) -> list[MatchRow]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv_files.DictReader(file)
        if reader.fieldnames != list(FIELDS):
            raise GameError(f"--csv {path}: not a file of this experiment")
        try:
            return [MatchRow(**{name: FIELDS[name](text) for name, text in row.items()}) for row in reader]
        except (TypeError, ValueError) as error:
            raise GameError(f"--csv {path}: not a file of this experiment: {error}") from error


def _append(path: Path, line: MatchRow) -> None:
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv_files.writer(file, lineterminator="\n")
        if new:
            writer.writerow(FIELDS)
        writer.writerow(dataclasses.astuple(line))
