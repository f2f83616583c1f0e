"""Continual search: a graph kept from game to game makes the early game better, not the later.

A player keeps its graph from game to game and meets an opponent that begins each game with an empty one. Both search
with the same number of simulations. The early positions come up again and again: the player knows more and more of
them before it begins to search. A later position is met once, and nothing is known of it, however long the player
learns: the number of positions grows with the ply as the number of lines does, while each game visits one of them. The
memory in use grows with every game (the opponent's knowledge is the same in each).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.experiments.base.plain import plain
from playout.engine.search.searcher import Searcher
from playout.engine.statistics.samples import mean_and_error
from playout.games import catalogue
from playout.games.game import action_to_text, is_over

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"games": 40, "nodes": 60, "matches": 3}
GAMES = ("hex:5", "connect_four")
MOVES = 6
"""Number of the player's own moves that the tables show."""
BLOCKS = 4
"""Number of groups into which the games of a match are divided."""


@dataclass(frozen=True, slots=True)
class Played:
    """One game of a match."""

    number: int
    """Number of games that the player played before."""

    score: float
    """The player's: 1 for a win, 1/2 for a draw."""
    known: tuple[int, ...]
    """For each of the player's moves, the simulations of the position that earlier games had made."""
    memory: int
    """Bytes of the player's graph after the game."""


@dataclass(frozen=True, slots=True)
class Continual(ExperimentResult):
    """The games of all matches, by their numbers."""

    nodes: int
    matches: int
    games: tuple[tuple[str, tuple[Played, ...]], ...]

    def tables(self) -> Sequence[ResultTable]:
        return tuple(
            ResultTable(
                f"{name}, {self.matches} matches, {self.nodes:,} simulations a move: simulations of the position that "
                "earlier games had made",
                (
                    Column("games"),
                    Column("score", ".1%"),
                    Column("error", ".1%"),
                    *(Column(f"move {move + 1}", ",.0f") for move in range(MOVES)),
                    Column("memory, KiB", ",.0f"),
                ),
                tuple(self._row(block) for block in _blocks(played)),
            )
            for name, played in self.games
        )

    def records(self) -> Sequence[ResultTable]:
        return tuple(
            ResultTable(
                name,
                (Column("game"), Column("score"), *(Column(f"move {i + 1}") for i in range(MOVES)), Column("bytes")),
                tuple(
                    (one.number + 1, one.score, *(_of(one, move) for move in range(MOVES)), one.memory)
                    for one in played
                ),
            )
            for name, played in self.games
        )

    def notes(self) -> Sequence[str]:
        return (
            "score: against a player whose graph is empty at the start of each game; both begin half of the games.",
        )

    def plot(self, figure: Figure) -> None:
        every = figure.subplots(len(self.games), 3, squeeze=False)
        for (known, score, memory), (name, played) in zip(every, self.games, strict=True):
            blocks = _blocks(played)
            ends = [block[-1].number + 1 for block in blocks]
            for move in range(MOVES):
                known.plot(ends, [_mean_known(block, move) for block in blocks], marker="o", label=f"move {move + 1}")
            known.set_yscale("symlog")
            known.set_title(f"{name}: known simulations")
            known.legend()
            points = [mean_and_error([100 * one.score for one in block]) for block in blocks]
            score.errorbar(ends, [mean for mean, _ in points], [error for _, error in points], marker="o")
            score.set_title("score, %")
            memory.plot(ends, [_memory(block) for block in blocks], marker="o")
            memory.set_title("memory, KiB")
            for axes in (known, score, memory):
                axes.set_xlabel("games played")

    def _row(self, block: Sequence[Played]) -> tuple[Any, ...]:
        score, error = mean_and_error([one.score for one in block])
        known = (_mean_known(block, move) for move in range(MOVES))
        return f"{block[0].number + 1} to {block[-1].number + 1}", score, error, *known, _memory(block)


def run(*, seed: int = 0, games: int = 200, nodes: int = 200, matches: int = 10) -> Continual:
    """Runs the experiment: ``matches`` of ``games`` each, with ``nodes`` simulations a move."""
    found = []
    for name in GAMES:
        played = [
            one for match in counted(name, range(matches)) for one in _match(name, games, nodes, 1000 * seed + match)
        ]
        found.append((name, tuple(sorted(played, key=lambda one: one.number))))
    return Continual(nodes, matches, tuple(found))


def _match(name: str, games: int, nodes: int, seed: int) -> list[Played]:
    game: Any = catalogue.load(name)
    learner, opponent = (Searcher(game, plain(seed=2 * seed + number)) for number in (0, 1))
    rng = random.Random(seed)
    played = []
    for number in range(games):
        opponent.clear()
        learners_turn = number % 2
        state, words, known = game.initial_state(), list[str](), list[int]()
        while not is_over(game, state):
            searcher = learner if game.current_player(state) == learners_turn else opponent
            searcher.set_position(None, words)
            if searcher is learner:
                known.append(searcher.report().visits)
            searcher.prepare()
            move = searcher.run(nodes=nodes, variation=rng.getrandbits(63)).move
            assert move is not None
            action = next(a for a in game.legal_actions(state) if action_to_text(game, state, a) == move)
            words.append(move)
            state = game.next_state(state, action)
        result = game.returns(state)[learners_turn]
        played.append(Played(number, (1 + result) / 2, tuple(known), learner.used))
    return played


def _blocks(played: Sequence[Played]) -> list[Sequence[Played]]:
    """Divides the games of all matches, which are sorted by number, into groups of neighbours."""
    size = max(1, -(-(played[-1].number + 1) // BLOCKS))
    groups = range(-(-(played[-1].number + 1) // size))
    return [[one for one in played if one.number // size == group] for group in groups]


def _memory(block: Sequence[Played]) -> float:
    """Returns the mean of the KiB in use after the last game of a group."""
    last = [one.memory for one in block if one.number == block[-1].number]
    return sum(last) / len(last) / 1024


def _of(one: Played, move: int) -> int | None:
    return one.known[move] if move < len(one.known) else None


def _mean_known(games: Sequence[Played], move: int) -> float:
    counts = [count for one in games if (count := _of(one, move)) is not None]
    return sum(counts) / len(counts) if counts else 0.0
