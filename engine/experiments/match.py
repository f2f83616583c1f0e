"""Matches between two search configurations: games from random openings, each opening with both colours."""

from __future__ import annotations

import dataclasses
import math
import multiprocessing
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from playout.engine.experiments.samples import mean_and_error
from playout.engine.options.config import SearchConfig, kernel_of, preset
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, HasChance, action_to_text, text_to_action

HASH_MIB = 64
ROUNDING = 1e-9
"""How far from 0 or 1 a computed score that is 0 or 1 may be."""
Z95 = 1.959964
"""Standard errors of a normal distribution to each side that hold 95 % of it."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a move is thought about: simulations or seconds, or both; whichever ends first."""

    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games from one opening; the first side begins the first of them."""

    game: str
    first: SearchConfig
    second: SearchConfig
    opening: tuple[str, ...]
    pace: Pace
    seed: int


@dataclass(frozen=True, slots=True)
class Score:
    """The first side's score, the mean of games won (1), drawn (1/2) and lost (0)."""

    pairs: tuple[float, ...]
    """The mean of each pair of games, which have the opening in common."""

    @property
    def games(self) -> int:
        return 2 * len(self.pairs)

    @property
    def mean(self) -> float:
        return mean_and_error(self.pairs)[0]

    @property
    def error(self) -> float:
        """The standard error of the mean, by pairs: games of one opening are not independent."""
        return mean_and_error(self.pairs)[1]

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference in Elo points and its 95 % interval, Wilson's; infinite where a side won every game."""
        mean, error = mean_and_error(self.pairs)
        # As many independent games as have this error; where all pairs went alike, as many as there are pairs.
        number = mean * (1 - mean) / error**2 if error > 0 else len(self.pairs)
        centre = (mean + Z95**2 / (2 * number)) / (1 + Z95**2 / number)
        half = Z95 * math.sqrt(mean * (1 - mean) / number + (Z95 / (2 * number)) ** 2) / (1 + Z95**2 / number)
        return elo(mean), elo(centre - half), elo(centre + half)


def elo(score: float) -> float:
    """The difference in Elo points at which ``score`` is expected."""
    if not ROUNDING < score < 1 - ROUNDING:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def configuration(game: Game[Any, Any], settings: Sequence[str]) -> SearchConfig:
    """The game's preset with ``settings``, each NAME=VALUE, a field of ``SearchConfig``.

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
    """The pairs of a match of ``games`` games of the game called ``name``, from random openings of ``plies`` plies."""
    game, rng = catalogue.load(name), random.Random(seed)
    return [
        Pair(name, *sides, tuple(random_opening(game, plies, rng)), pace, seed * 10_000 + number)
        for number in range(games // 2)
    ]


def play_all(to_play: Sequence[Pair], workers: int = 1) -> Iterator[float]:
    """The scores of the pairs, in order, each as soon as it can be told; in ``workers`` processes."""
    if workers == 1:
        yield from map(play_pair, to_play)
        return
    # A forked copy of a process that has threads may hang.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(play_pair, to_play)


def play_pair(pair: Pair) -> float:
    """The first side's mean score of the two games."""
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
    """One game after ``opening``, ``sides`` being player 0 and player 1; player 0's result in [-1, 1]."""
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
    """The moves of a random opening that does not end the game."""
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
    """``state`` after the dice have been rolled, if they are to be."""
    while game.returns(state) is None and game.current_player(state) == CHANCE:
        assert isinstance(game, HasChance)
        outcomes = game.chance_outcomes(state)
        outcome = rng.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0]
        moves.append(action_to_text(game, state, outcome))
        state = game.next_state(state, outcome)
    return state
