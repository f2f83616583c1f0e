"""The effort of exact solving by the number of empty cells, on positions from the engine's own games.

    python benches/exact/effort.py hex:7 --games 10 --nodes 300 --seconds 10

Plays games of N simulations a move from random openings, and solves the positions of each from its end towards its
beginning until one takes longer than ``--seconds``. Prints, for each number of legal moves, the quartiles of the nodes,
the share solved and the nodes a second; then the fit of nodes = a * b^moves to the third quartiles. The models in the
games' ``exact_effort`` are such fits.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
from collections import defaultdict
from typing import Any

from playout import CHANCE, Engine, Position
from playout.engine.exact.solving import solve
from playout.engine.experiments.base.match import random_opening
from playout.games import catalogue
from playout.games.errors import PlayoutError

LEAST = 100
"""Least third quartile of nodes that counts in the fit."""


def moves_of_game(game: Any, engine: Engine, opening: list[str], nodes: int, rng: random.Random) -> list[str]:
    """The moves of a game that the engine plays against itself after ``opening``."""
    engine.new_game()
    position = Position(game, moves=opening)
    while (player := position.player) is not None:
        if player == CHANCE:
            text = position.roll(rng)
        else:
            engine.set_position(None, position.moves)
            text = str(engine.think(nodes=nodes).move)
        position = position.play(text)
    return list(position.moves)


def main() -> None:
    """Plays and solves as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=300, help="simulations a move")
    parser.add_argument("--plies", type=int, default=4, help="random plies of the opening")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of a solution")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    game: Any = catalogue.load(words.game)
    rng = random.Random(words.seed)
    engine = Engine(game, hash=64, own_book=False, seed=words.seed)
    found: dict[int, list[tuple[int, float, bool]]] = defaultdict(list)
    for _ in range(words.games):
        moves = moves_of_game(game, engine, list(random_opening(game, words.plies, rng)), words.nodes, rng)
        for ply in reversed(range(words.plies, len(moves))):
            state = Position(game, moves=moves[:ply]).state
            try:
                solution = solve(game, None, moves[:ply], method=words.method, seconds=words.seconds)
            except PlayoutError as error:
                sys.stdout.write(f"ply {ply}: {error}\n")
                break
            known = solution.value is not None
            found[len(game.legal_actions(state))].append((solution.nodes, solution.seconds, known))
            if not known:
                break
    fit: list[tuple[int, float]] = []
    sys.stdout.write("moves positions solved   lower quartile   median   upper quartile   nodes/s\n")
    for count, rows in sorted(found.items()):
        # What was not solved takes more than it took.
        sizes = sorted(float(nodes) if known else math.inf for nodes, _, known in rows)
        low, middle, high = statistics.quantiles(sizes, n=4, method="inclusive") if len(sizes) > 1 else sizes * 3
        seconds = sum(time for _, time, _ in rows)
        speed = sum(nodes for nodes, _, _ in rows) / seconds if seconds else 0.0
        share = sum(known for _, _, known in rows) / len(rows)
        sys.stdout.write(f"{count:5} {len(rows):9} {share:6.0%} {low:16.0f} {middle:8.0f} {high:16.0f} {speed:9.0f}\n")
        if LEAST <= high < math.inf and len(rows) > 2:
            fit.append((count, math.log(high)))
    if len(fit) > 1:
        slope, cut = statistics.linear_regression(*zip(*fit, strict=True))
        sys.stdout.write(f"nodes = {math.exp(cut):.3g} * {math.exp(slope):.3f}^moves\n")


if __name__ == "__main__":
    main()
