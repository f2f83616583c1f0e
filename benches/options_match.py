"""A match between two sets of options of one game, in complete sessions: with books, macros and tables.

    python benches/options_match.py hex:5 --first Macros=true --second Macros=false --games 100 --nodes 300 --plies 1

Both play both sides of each random opening, without books unless OwnBook=true is given. Prints the first one's score
with its standard error, and the difference in Elo points with its 95 % interval.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from typing import Any

from playout import CHANCE, Engine, Position
from playout.engine.experiments.base.match import Score, random_opening
from playout.games import catalogue
from playout.games.errors import GameError, PlayoutError


def engine(game: Any, options: Sequence[str]) -> Engine:
    """An engine with its options."""
    made = Engine(game, hash=64, own_book=False)
    for option in options:
        name, _, value = option.partition("=")
        made.set_option(name, value)
    return made


def move(side: Engine, position: Position, bounds: dict[str, Any]) -> str:
    """The move of ``side`` at ``position``."""
    side.set_position(None, position.moves)
    result = side.think(**bounds)
    for remark in result.remarks:
        sys.stderr.write(remark + "\n")
    if result.move is None:
        raise GameError(f"no move after {' '.join(position.moves)}: {result.reason}")
    return result.move


def play(game: Any, sides: Sequence[Engine], opening: Sequence[str], bounds: dict[str, Any], seed: int) -> float:
    """One game after ``opening``; player 0's result."""
    dice, position = random.Random(seed), Position(game, moves=opening)
    for side in sides:
        side.new_game()
        side.configure(seed=seed)
    while (player := position.player) is not None:
        text = position.roll(dice) if player == CHANCE else move(sides[player], position, bounds)
        position = position.play(text)
    assert position.result is not None
    return position.result[0]


def main() -> None:
    """Plays the match that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--first", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--nodes", type=int, help="simulations a move")
    parser.add_argument("--seconds", type=float, help="seconds a move")
    parser.add_argument("--plies", type=int, default=2, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    if not words.nodes and not words.seconds:
        parser.error("--nodes or --seconds")
    bounds = {"nodes": words.nodes, "seconds": words.seconds}
    try:
        game: Any = catalogue.load(words.game)
        first, second = engine(game, words.first), engine(game, words.second)
    except PlayoutError as error:
        parser.error(str(error))
    rng, scores = random.Random(words.seed), list[float]()
    for number in range(words.games // 2):
        opening, seed = random_opening(game, words.plies, rng), words.seed * 10_000 + number
        one = play(game, (first, second), opening, bounds, seed)
        other = play(game, (second, first), opening, bounds, seed)
        scores.append((2 + one - other) / 4)
    score = Score(tuple(scores))
    difference, least, most = score.elo
    sys.stdout.write(
        f"{game.name}: first {score.mean:.1%} +- {score.error:.1%} of {score.games} games, "
        f"Elo {difference:+.0f} [{least:+.0f}, {most:+.0f}]\n"
    )


if __name__ == "__main__":
    main()
