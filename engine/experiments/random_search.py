"""Random lines: guess until one wins, play it, guess again when the opponent disturbs it.

A player guesses random lines to the end of the game until one wins, and plays its moves as long as the opponent plays
the replies in it. The line is a plan that the opponent helped to make, and nobody asked for its best reply. Against a
random player that is enough, because moves that begin many winning lines are good on average. Against a player who
searches, the line breaks at the first reply in most cases, and the guess that replaced the search is lost: a line is no
tree.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.engine import _core
from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.experiments.base.kernel_games import engine_action, start
from playout.engine.experiments.base.plain import plain
from playout.engine.search.searcher import Searcher
from playout.engine.statistics.samples import mean_and_error
from playout.games import catalogue
from playout.games.errors import GameError
from playout.games.nearest import suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK: Mapping[str, Any] = {"games": 20, "nodes": 50}
GAMES = ("tic_tac_toe", "connect_four", "hex:5")

Player = Callable[[_core.Position, Sequence[int]], int]
"""Returns an action of a position, to which the actions led."""


class LinePlayer:
    """Plays the lines that it guessed."""

    def __init__(self, guesses: int, rng: random.Random) -> None:
        """``guesses`` is the greatest number of lines for each move; the last one is played if none wins."""
        self._guesses, self._rng = guesses, rng
        self._line: list[int] = []
        self._done = 0
        """Plies of the game that have been compared with the line."""
        self.guessed = 0
        """Number of lines guessed."""
        self.kept = list[int]()
        """For each line that was played, the number of the opponent's replies that it foresaw."""

    def __call__(self, position: _core.Position, played: Sequence[int]) -> int:
        """Returns the next action, after the actions ``played`` in this game."""
        if self._line and played[self._done :] == self._line[: len(played) - self._done]:
            self._line = self._line[len(played) - self._done :]
            self.kept[-1] += 1
        else:
            self._line = self._guess(position)
            self.kept.append(0)
        action = self._line.pop(0)
        self._done = len(played) + 1
        return action

    def _guess(self, position: _core.Position) -> list[int]:
        sign = 1.0 if position.player() == 0 else -1.0
        for _ in range(self._guesses):
            self.guessed += 1
            result, line = position.playout(self._rng.getrandbits(32), False)
            if sign * result > 0:
                break
        return [action for action, _ in line]


class RandomPlayer:
    """Plays any legal move."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def __call__(self, position: _core.Position, played: Sequence[int]) -> int:
        return self._rng.choice(position.actions())


class TreePlayer:
    """Plays by the plain search."""

    def __init__(self, name: str, simulations: int, seed: int) -> None:
        self._name, self._simulations = name, simulations
        self._searcher = Searcher(catalogue.load(name), plain(seed=seed, solver=True))

    def __call__(self, position: _core.Position, played: Sequence[int]) -> int:
        before, moves = start(self._name), list[str]()
        for action in played:
            moves.append(before.action_text(action))
            before.play(action)
        return engine_action(self._searcher, position, moves, self._simulations)[0]


@dataclass(frozen=True, slots=True)
class Match:
    """Games of the player who guesses lines, with both colours in turn."""

    game: str
    opponent: str
    score: float
    error: float
    """Standard error of the score."""
    guessed: float
    """Lines guessed for each line that was played."""
    broken: float
    """Share of the disturbed lines that the first reply disturbed."""
    kept: float
    """Mean number of replies that a disturbed line foresaw."""


@dataclass(frozen=True, slots=True)
class RandomSearch(ExperimentResult):
    """The matches."""

    games: int
    nodes: int
    matches: tuple[Match, ...]

    def tables(self) -> Sequence[ResultTable]:
        return (
            ResultTable(
                f"The player who guesses lines, at most {self.nodes} a move: {self.games} games against each opponent",
                (
                    Column("game"),
                    Column("opponent"),
                    Column("score", ".1%"),
                    Column("+-", ".1%"),
                    Column("lines guessed", ".1f"),
                    Column("broken at once", ".1%"),
                    Column("replies foreseen", ".2f"),
                ),
                tuple(
                    (one.game, one.opponent, one.score, one.error, one.guessed, one.broken, one.kept)
                    for one in self.matches
                ),
            ),
        )

    def notes(self) -> Sequence[str]:
        return (
            f"ucb1: the plain search with {self.nodes} simulations a move. lines guessed: until one won, for each line "
            "that was played.",
            "broken at once: of the disturbed lines those whose first reply the opponent did not play. replies "
            "foreseen: by a disturbed line, on average.",
        )

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.bar(
            range(len(self.matches)),
            [100 * one.score for one in self.matches],
            yerr=[196 * one.error for one in self.matches],
        )
        axes.axhline(50, color="black", linestyle=":")
        axes.set_xticks(range(len(self.matches)), [f"{one.game}\n{one.opponent}" for one in self.matches])
        axes.set_ylabel("score of the player who guesses lines, %")


def run(*, seed: int = 0, game: Sequence[str] = GAMES, games: int = 200, nodes: int = 100) -> RandomSearch:
    """Runs the experiment. ``games`` is the number of games against each opponent; ``nodes`` is the greatest number of
    lines guessed for a move, and the number of simulations of the opponent who searches.

    Raises:
        GameError: for a game that is not in this experiment.
    """
    for name in game:
        if name not in GAMES:
            raise GameError(f"no game {name!r} in this experiment{suggestion(name, GAMES)}")
    matches = [_match(name, opponent, games, nodes, seed) for name in game for opponent in ("random", "ucb1")]
    return RandomSearch(games, nodes, tuple(matches))


def _match(name: str, opponent: str, games: int, nodes: int, seed: int) -> Match:
    results, guessed, played, kept = list[float](), 0, 0, list[int]()
    for number in counted(f"{name} against {opponent}", range(games)):
        rng = random.Random(seed * 1_000_003 + number)
        lines = LinePlayer(nodes, rng)
        other: Player = RandomPlayer(rng) if opponent == "random" else TreePlayer(name, nodes, rng.getrandbits(30))
        second = number % 2 == 1
        result = play(start(name), (other, lines) if second else (lines, other))
        results.append((1 - result) / 2 if second else (1 + result) / 2)
        guessed += lines.guessed
        played += len(lines.kept)
        kept += lines.kept[:-1]  # the last line was played to the end of the game
    score, error = mean_and_error(results)
    return Match(name, opponent, score, error, guessed / played, kept.count(0) / len(kept), sum(kept) / len(kept))


def play(position: _core.Position, players: tuple[Player, Player]) -> float:
    """Plays ``position`` to its end, and returns player 0's result."""
    played = list[int]()
    while (result := position.result()) is None:
        action = players[position.player()](position, played)
        played.append(action)
        position.play(action)
    return result
