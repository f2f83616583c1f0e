"""Time to solve random positions of connect four: python benches/exact/solve.py --plies 12 14 16 --count 50"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from playout.engine.exact.solving import solve
from playout.games.connect_four import ConnectFour


def random_moves(plies: int, rng: random.Random) -> list[str]:
    """Returns uniformly random moves of a game that has not ended after ``plies`` plies."""
    game = ConnectFour()
    while True:
        state, moves = game.initial_state(), []
        while len(moves) < plies and game.returns(state) is None:
            action = rng.choice(list(game.legal_actions(state)))
            moves.append(game.action_to_text(state, action))
            state = game.next_state(state, action)
        if len(moves) == plies and game.returns(state) is None:
            return moves


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plies", type=int, nargs="+", default=[12, 14, 16])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--hash", type=int, default=64, help="MiB")
    arguments = parser.parse_args()
    for plies in arguments.plies:
        rng = random.Random(plies)
        seconds, nodes = [], []
        for _ in range(arguments.count):
            moves = random_moves(plies, rng)
            begun = time.process_time()
            found = solve(ConnectFour(), moves=moves, hash_mib=arguments.hash)
            seconds.append(time.process_time() - begun)
            nodes.append(found.nodes)
        print(  # noqa: T201
            f"ply {plies}: mean {statistics.mean(seconds):.3f} CPU-s, median {statistics.median(seconds):.3f}, "
            f"max {max(seconds):.3f}; {statistics.mean(nodes):,.0f} positions, at most {max(nodes):,}",
            flush=True,
        )


if __name__ == "__main__":
    main()
