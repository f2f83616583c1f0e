"""The engine against GNU Backgammon, for money without the cube: points for each game with their standard error.

    python benches/gnubg.py --games 100 --nodes 1000 --plies 0 TreePolicy=puct

Each pair of games has the same dice, with the sides exchanged. GNU Backgammon runs in its own process (``apt-get
install gnubg``), looks ``--plies`` ahead, and is queried over its socket.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Callable, Sequence

import playout
from playout.games.backgammon import Backgammon, State
from playout.games.errors import PlayoutError
from playout.protocols.backgammon.gnubg_client import GnubgProcess

GAME = Backgammon()
Choose = Callable[[State], int]


def play(players: Sequence[Choose], seed: int, seen: Callable[[State], None] = lambda _: None) -> float:
    """Plays one game with dice from ``seed``; returns player 0's points. ``seen`` gets the positions with a choice."""
    dice, state = random.Random(seed), GAME.initial_state()
    while (returns := GAME.returns(state)) is None:
        if state.dice is None:
            outcomes, weights = zip(*GAME.chance_outcomes(state), strict=True)
            state = GAME.next_state(state, dice.choices(outcomes, weights)[0])
        else:
            legal = GAME.legal_actions(state)
            if len(legal) > 1:
                seen(state)
            action = legal[0] if len(legal) == 1 else players[state.player](state)
            state = GAME.next_state(state, action)
    return returns[0] * GAME.points_scale


def main() -> None:
    """Plays the match that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("options", nargs="*", metavar="NAME=VALUE", help="engine options")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=1000, help="simulations a move")
    parser.add_argument("--plies", type=int, default=0, help="how far GNU Backgammon looks ahead, from 0")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    own = playout.Engine(GAME)

    def engine(state: State) -> int:
        own.set_position(GAME.state_to_text(state))
        result = own.think(nodes=words.nodes)
        assert result.move is not None
        return GAME.text_to_action(state, result.move)

    try:
        for option in words.options:
            own.set_option(*option.split("=", 1))
        with GnubgProcess(words.plies) as process, process.connect() as gnubg:

            def other(state: State) -> int:
                return gnubg.choose(GAME, state)

            points = []
            for pair in range(words.games // 2):
                seed = words.seed + pair
                points += [play((engine, other), seed), -play((other, engine), seed)]
    except PlayoutError as error:
        parser.error(str(error))
    finally:
        own.close()
    mean = sum(points) / len(points)
    error = math.sqrt(sum((point - mean) ** 2 for point in points) / (len(points) - 1) / len(points))
    wins = sum(point > 0 for point in points) / len(points)
    sys.stdout.write(
        f"playout at {words.nodes} simulations against GNU Backgammon at {words.plies} ply: "
        f"{mean:+.3f} +- {error:.3f} points a game, {wins:.1%} won, {len(points)} games\n"
    )


if __name__ == "__main__":
    main()
