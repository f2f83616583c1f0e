"""Two search configurations of one game against each other, each with its preset and what differs from it.

    python benches/match.py chess --first exploration=0.05 --second exploration=0.1 --games 40 --nodes 4000 --plies 4

Both play both sides of each random opening. Prints the first one's score with its standard error.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import random
import sys
from typing import Any

from playout.engine.config import SearchConfig, kernel_of, preset
from playout.engine.searcher import Searcher
from playout.games import registry
from playout.games.game import CHANCE, action_to_text, text_to_action


def configuration(game: Any, settings: list[str]) -> SearchConfig:
    """The game's preset with ``settings``, each NAME=VALUE."""
    base = dataclasses.replace(preset(kernel_of(game)).search, hash_mib=64)
    values: dict[str, Any] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        kind = type(getattr(base, name))
        values[name] = text == "true" if kind is bool else kind(text)
    return dataclasses.replace(base, **values)


def roll(game: Any, state: Any, moves: list[str], rng: random.Random) -> Any:
    """``state`` after the dice have been rolled, if they are to be."""
    while game.returns(state) is None and game.current_player(state) == CHANCE:
        outcomes = list(game.chance_outcomes(state))
        outcome = rng.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0]
        moves.append(action_to_text(game, state, outcome))
        state = game.next_state(state, outcome)
    return state


def play(game: Any, sides: list[SearchConfig], opening: list[str], words: argparse.Namespace, seed: int) -> float:
    """One game; returns the first mover's result in [-1, 1]."""
    rng = random.Random(seed)
    searchers = [Searcher(game, dataclasses.replace(side, seed=seed)) for side in sides]
    state, moves = game.initial_state(), list(opening)
    for text in opening:
        state = game.next_state(state, text_to_action(game, state, text))
    while True:
        state = roll(game, state, moves, rng)
        returns = game.returns(state)
        if returns is not None:
            return float(returns[0])
        searcher = searchers[game.current_player(state)]
        searcher.set_position(None, moves)
        searcher.prepare()
        if words.seconds:
            searcher.set_deadline(None, words.seconds)
        move = searcher.run(nodes=words.nodes).move
        assert move is not None
        moves.append(move)
        state = game.next_state(state, text_to_action(game, state, move))


def random_opening(game: Any, plies: int, rng: random.Random) -> list[str]:
    """The moves of a random opening that does not end the game."""
    while True:
        state, moves = game.initial_state(), list[str]()
        for _ in range(plies):
            state = roll(game, state, moves, rng)
            actions = game.legal_actions(state)
            if not actions:
                break
            action = rng.choice(list(actions))
            moves.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
        if game.returns(state) is None:
            return moves


def score_of(scores: list[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    mean = sum(scores) / len(scores)
    return mean, math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores) / max(1, len(scores) - 1))


def main() -> None:
    """Plays the match that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--first", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--nodes", type=int, help="simulations a move")
    parser.add_argument("--seconds", type=float, help="seconds a move")
    parser.add_argument("--plies", type=int, default=2, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    if not words.nodes and not words.seconds:
        parser.error("--nodes or --seconds")
    game = registry.load(words.game)
    first, second = configuration(game, words.first), configuration(game, words.second)
    rng = random.Random(words.seed)
    scores = []
    for number in range(words.games // 2):
        opening = random_opening(game, words.plies, rng)
        seed = words.seed * 10_000 + number
        scores.append((1 + play(game, [first, second], opening, words, seed)) / 2)
        scores.append((1 - play(game, [second, first], opening, words, seed)) / 2)
    mean, error = score_of(scores)
    sys.stdout.write(f"{game.name}: first {mean:.1%} +- {error:.1%} of {len(scores)} games\n")


if __name__ == "__main__":
    main()
