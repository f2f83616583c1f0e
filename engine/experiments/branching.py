"""Branching and depth: legal actions of a position and plies of a game, by random and by engine play.

The literature gives one number of each for a game: 35 and 80 for chess, 250 and 150 for Go, 4 and 36 for connect four
(Allis, Searching for Solutions in Games and Artificial Intelligence, 1994), about 20 plays of a roll in backgammon
(Tesauro, Temporal Difference Learning and TD-Gammon, 1995), 96 and 50 for Hex 11x11 (van den Herik, Uiterwijk and van
Rijswijck, Games solved: Now and in the future, 2002: a game of 50 plies leaves (121 + 72) / 2 moves a ply). They are
means over the games of good players, and change with the players: a random player's games are longer.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playout.engine.experiments.base.experiment import Cell, Column, ExperimentResult, ResultTable, counted, search_seed
from playout.engine.experiments.base.kernel_games import engine_action, start
from playout.engine.experiments.base.plain import plain
from playout.engine.options.search_config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.backgammon import ROLLS, Backgammon, State
from playout.games.errors import GameError
from playout.games.game import CHANCE
from playout.games.nearest import suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK: Mapping[str, Any] = {
    "games": 2,
    "nodes": 20,
    "game": ("tic_tac_toe", "connect_four", "hex:11", "go:9", "chess", "backgammon"),
}
GAME = Backgammon()
LOST = -0.9
"""Value below which the engine resigns."""
LONGEST = 2000
"""Plies after which a game is given up, which only rules without an end would need."""

RollRow = tuple[str, float, float, float]


@dataclass(frozen=True, slots=True)
class Subject:
    """A game, the engine's configuration in it, and what the literature says."""

    engine: SearchConfig
    branching: str
    depth: str
    resigns: bool = False
    """Whether the engine gives up a lost game, as good players do."""


def _priors(**settings: Any) -> SearchConfig:
    return plain(solver=True, tree_policy="puct", **settings)


SUBJECTS: Mapping[str, Subject] = {
    "tic_tac_toe": Subject(plain(solver=True), "4", "9"),
    "connect_four": Subject(plain(solver=True), "4", "36"),
    "hex:11": Subject(_priors(exploration=2.5, playout_policy="knowledge"), "96", "50"),
    "go:9": Subject(_priors(exploration=0.5, playout_policy="knowledge"), "", "", resigns=True),
    "go:19": Subject(_priors(exploration=0.5, playout_policy="knowledge"), "250", "150", resigns=True),
    "chess": Subject(
        _priors(exploration=2.0, prior_temperature=2.0, leaf_evaluation="static"), "35", "80", resigns=True
    ),
    "backgammon": Subject(_priors(leaf_evaluation="static"), "20", "50-60"),
}
"""Good play needs more than plain search: its priors and evaluations are chosen here, not by the presets."""


@dataclass(frozen=True, slots=True)
class Games:
    """Means over some games."""

    games: int
    actions: float
    """Legal actions at a player's turn."""
    most: int
    """The greatest number of them."""
    plies: float
    """Turns of a game. Rolls of dice are not counted."""


@dataclass(frozen=True, slots=True)
class Branching(ExperimentResult):
    """The games, and the plays of backgammon's rolls."""

    played: tuple[tuple[str, int, Games, Games], ...]
    """Game; actions of the first position, in backgammon the mean over rolls; by random play; by the engine."""
    rolls: tuple[RollRow, ...]
    """Roll; its plays from the first position; means over positions of random and of engine games."""

    def tables(self) -> Sequence[ResultTable]:
        rows: list[tuple[Cell, ...]] = []
        for name, first, chance, engine in self.played:
            one = SUBJECTS[name]
            means = (mean for games in (chance, engine) for mean in (games.actions, games.most, games.plies))
            rows.append((name, first, *means, one.branching, one.depth))
        columns = (
            Column("game"),
            Column("first"),
            *(
                column
                for who in ("random", "engine")
                for column in (Column(who, ".1f"), Column("most"), Column("plies", ".1f"))
            ),
            Column("literature"),
            Column("plies"),
        )
        games = f"{self.played[0][2].games} games" if self.played else "games"
        tables = [
            ResultTable(f"Legal actions of a position and plies of a game, {games} of each kind", columns, tuple(rows))
        ]
        if self.rolls:
            names = "roll", "first position", "random games", "engine's games"
            forms = "", ".3g", ".1f", ".1f"
            tables.append(
                ResultTable(
                    "Backgammon: plays of each roll, different positions after it counted once",
                    tuple(Column(name, form) for name, form in zip(names, forms, strict=True)),
                    self.rolls,
                )
            )
        return tables

    def notes(self) -> Sequence[str]:
        return (
            "first: actions of the first position, in backgammon the mean over the rolls. random, engine, "
            "literature: mean actions of a position. most: the most at one turn.",
            "Plies are turns of players; rolls of dice are none. literature: see the section's sources.",
        )

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        for place, label in enumerate(("random play", "the engine")):
            lines = [(row[2], row[3])[place] for row in self.played]
            axes.plot([one.plies for one in lines], [one.actions for one in lines], "o", label=label)
        for name, _, chance, engine in self.played:
            axes.plot([chance.plies, engine.plies], [chance.actions, engine.actions], color="grey", linewidth=0.7)
            axes.annotate(name, (engine.plies, engine.actions), xytext=(4, 4), textcoords="offset points")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("plies of a game")
        axes.set_ylabel("actions of a position")
        axes.legend()


def run(*, seed: int = 0, game: Sequence[str] = tuple(SUBJECTS), games: int = 10, nodes: int = 200) -> Branching:
    """Runs the experiment. ``games`` is the number of games of each kind; ``nodes`` is the engine's number of
    simulations a move.

    Raises:
        GameError: for a game that is not in this experiment.
    """
    for name in game:
        if name not in SUBJECTS:
            raise GameError(f"no game {name!r} in this experiment{suggestion(name, SUBJECTS)}")
    played: list[tuple[str, int, Games, Games]] = []
    rolls = list[RollRow]()
    for name in game:
        records = [
            [_play(name, simulations, seed * 1000 + number) for number in counted(f"{name}, {who}", range(games))]
            for who, simulations in (("random play", 0), ("the engine", nodes))
        ]
        first = records[0][0].first
        if records[0][0].rolls:
            opening = {roll: len(GAME.legal_actions(GAME.next_state(_on_roll(), roll))) for roll in ROLLS}
            first = round(math.fsum(_weight(roll) * plays for roll, plays in opening.items()))
            rolls = [_roll_row(roll, opening, records) for roll in ROLLS]
            rolls.append(_mean_row(rolls))
        at_random, by_engine = map(_summary, records)
        played.append((name, first, at_random, by_engine))
    return Branching(tuple(played), tuple(rolls))


@dataclass(slots=True)
class _Record:
    """A game."""

    first: int
    """Actions of the first position."""
    actions: list[int]
    """Legal actions at each turn of a player."""
    rolls: dict[int, list[int]]
    """Plays of each roll at each turn, in games with dice."""


def _play(name: str, simulations: int, seed: int) -> _Record:
    """Plays a game: at random without ``simulations``, else by the engine."""
    game, rng = catalogue.load(name), random.Random(seed)
    position = start(name)
    record, moves = _Record(len(position.actions()), [], {}), list[str]()
    searcher = Searcher(game, replace(SUBJECTS[name].engine, seed=search_seed(seed)))
    while position.result() is None and len(record.actions) < LONGEST:
        actions = position.actions()
        if position.player() == CHANCE:
            if moves:
                for roll in actions:
                    rolled = position.copy()
                    rolled.play(roll)
                    record.rolls.setdefault(roll, []).append(len(rolled.actions()))
            action = rng.choices(actions, [position.probability(one) for one in actions])[0]
        else:
            record.actions.append(len(actions))
            if simulations:
                action, value = engine_action(searcher, position, moves, simulations)
                if SUBJECTS[name].resigns and value < LOST:
                    break
            else:
                action = rng.choice(actions)
        moves.append(position.action_text(action))
        position.play(action)
    return record


def _summary(records: Sequence[_Record]) -> Games:
    counts = [count for record in records for count in record.actions]
    return Games(len(records), sum(counts) / len(counts), max(counts), len(counts) / len(records))


def _on_roll() -> State:
    """Returns the first position with player 0 about to roll."""
    return replace(GAME.initial_state(), player=0)


def _weight(roll: int) -> float:
    return 1 / 36 if roll % 11 == 0 else 2 / 36


def _roll_row(roll: int, opening: Mapping[int, int], records: Sequence[Sequence[_Record]]) -> RollRow:
    seen = [[count for record in games for count in record.rolls[roll]] for games in records]
    random_mean, engine_mean = (sum(counts) / len(counts) for counts in seen)
    return f"{roll // 10}-{roll % 10}", opening[roll], random_mean, engine_mean


def _mean_row(rows: Sequence[RollRow]) -> RollRow:
    """Returns the mean over the rolls by their probabilities."""
    means = [
        math.fsum(_weight(roll) * float(row[place]) for roll, row in zip(ROLLS, rows, strict=True))
        for place in (1, 2, 3)
    ]
    return "mean", round(means[0], 1), means[1], means[2]
