"""Matches between two search configurations: games from random openings, each opening with both colours."""

from __future__ import annotations

import dataclasses
import multiprocessing
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from playout.engine.experiments.base.experiment import search_seed
from playout.engine.options.config import SearchConfig, kernel_of, preset
from playout.engine.search.searcher import Searcher
from playout.engine.statistics.elo import elo
from playout.engine.statistics.samples import mean_and_error, wilson
from playout.games import catalogue
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, HasChance, action_to_text, text_to_action

HASH_MIB = 64


@dataclass(frozen=True, slots=True)
class Pace:
    """Budget of a move: simulations, seconds, or both; the search ends with the first that is used up."""

    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games from one opening; the first side begins the first game."""

    game: str
    first: SearchConfig
    second: SearchConfig
    opening: tuple[str, ...]
    pace: Pace
    seed: int


@dataclass(frozen=True, slots=True)
class Score:
    """The first side's score: the mean over games won (1), drawn (1/2) and lost (0)."""

    pairs: tuple[float, ...]
    """Mean score of each pair of games with a common opening."""

    @property
    def games(self) -> int:
        return 2 * len(self.pairs)

    @property
    def mean(self) -> float:
        return mean_and_error(self.pairs)[0]

    @property
    def error(self) -> float:
        """Standard error of the mean, computed from pairs, because games of one opening are not independent."""
        return mean_and_error(self.pairs)[1]

    @property
    def elo(self) -> tuple[float, float, float]:
        """Elo difference and its 95 % interval (Wilson); infinite if a side won every game."""
        mean, error = mean_and_error(self.pairs)
        least, most = wilson(mean, error, len(self.pairs))
        return elo(mean), elo(least), elo(most)


def configuration(game: Game[Any, Any], settings: Sequence[str]) -> SearchConfig:
    """Returns the game's preset with ``settings``, each NAME=VALUE for a field of ``SearchConfig``.

    Raises:
        GameError: if there is no such field, or the value is not of its type.
    """
    base = dataclasses.replace(preset(kernel_of(game)).search, hash_mib=HASH_MIB)
    values: dict[str, Any] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in {field.name for field in dataclasses.fields(SearchConfig)}:
            raise GameError(f"no search setting {name!r}")
        kind = type(getattr(base, name))
        try:
            values[name] = {"true": True, "false": False}[text] if kind is bool else kind(text)
        except (KeyError, ValueError) as error:
            raise GameError(f"{name} is no {kind.__name__}: {text!r}") from error
    return dataclasses.replace(base, **values)


def pairs(
    name: str,
    sides: tuple[SearchConfig, SearchConfig],
    *,
    games: int,
    pace: Pace,
    plies: int,
    seed: int,
) -> list[Pair]:
    """Returns the pairs of a match of ``games`` games of the game called ``name``, from random openings of ``plies``
    plies.
    """
    game, rng = catalogue.load(name), random.Random(seed)
    return [
        Pair(name, *sides, tuple(random_opening(game, plies, rng)), pace, search_seed(seed * 10_000 + number))
        for number in range(games // 2)
    ]


def play_all(to_play: Sequence[Pair], workers: int = 1) -> Iterator[float]:
    """Yields the scores of the pairs in order, each as soon as it is known; the games run in ``workers`` processes."""
    if workers == 1:
        yield from map(play_pair, to_play)
        return
    # A forked copy of a process with threads may deadlock.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(play_pair, to_play)


def play_pair(pair: Pair) -> float:
    """Returns the first side's mean score of the two games."""
    game = catalogue.load(pair.game)
    one = play(game, (pair.first, pair.second), pair.opening, pair.pace, pair.seed)
    other = play(game, (pair.second, pair.first), pair.opening, pair.pace, pair.seed)
    return (2 + one - other) / 4


def play(
    game: Game[Any, Any],
    sides: tuple[SearchConfig, SearchConfig],
    opening: Sequence[str],
    pace: Pace,
    seed: int,
) -> float:
    """Plays one game after ``opening``; ``sides`` are player 0 and player 1. Returns player 0's result in [-1, 1]."""
    rng = random.Random(seed)
    searchers = [Searcher(game, dataclasses.replace(side, seed=seed)) for side in sides]
    state, moves = game.initial_state(), list(opening)
    for text in opening:
        state = game.next_state(state, text_to_action(game, state, text))
    while True:
        state = _rolled(game, state, moves, rng)
        returns = game.returns(state)
        if returns is not None:
            return float(returns[0])
        searcher = searchers[game.current_player(state)]
        searcher.set_position(None, moves)
        searcher.prepare()
        if pace.seconds is not None:
            searcher.set_deadline(None, pace.seconds)
        result = searcher.run(nodes=pace.nodes, interval=3600.0)
        if result.move is None:
            raise GameError(f"{game.name}: no move after {' '.join(moves)}: {result.fault or result.reason}")
        moves.append(result.move)
        state = game.next_state(state, text_to_action(game, state, result.move))


def random_opening(game: Game[Any, Any], plies: int, rng: random.Random) -> list[str]:
    """Returns the moves of a random opening that does not end the game."""
    while True:
        state, moves = game.initial_state(), list[str]()
        for _ in range(plies):
            state = _rolled(game, state, moves, rng)
            actions = game.legal_actions(state)
            if not actions:
                break
            action = rng.choice(list(actions))
            moves.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
        if game.returns(state) is None:
            return moves


def _rolled(game: Game[Any, Any], state: Any, moves: list[str], rng: random.Random) -> Any:
    """Returns ``state`` after rolling the dice, if it is a chance node."""
    while game.returns(state) is None and game.current_player(state) == CHANCE:
        assert isinstance(game, HasChance)
        outcomes = game.chance_outcomes(state)
        outcome = rng.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0]
        moves.append(action_to_text(game, state, outcome))
        state = game.next_state(state, outcome)
    return state
