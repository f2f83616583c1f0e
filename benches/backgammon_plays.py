"""The plays of the nets of backgammon, without look-ahead or by search, against gnubg-nn (pip install gnubg-nn).

    python benches/backgammon_plays.py --games 3000 --against pubeval
    python benches/backgammon_plays.py --games 3000 --against gnubg
    python benches/backgammon_plays.py --positions 300
    python benches/backgammon_plays.py --games 3000 --against gnubg EvalFile=my.safetensors
    python benches/backgammon_plays.py --positions 300 --nodes 10000

A play is that of the greatest prior, or with --nodes that of a search of that many simulations.

Games are for money without the cube, in pairs with the same dice and the sides exchanged, against pubeval or the nets
of gnubg without look-ahead: points a game with their standard error over pairs. With --positions: the mean loss of the
plays, in points, by what gnubg's nets say of the positions after them with 2 plies of look-ahead. It is measured
against the best of our play and the plays that these nets like without look-ahead, at positions of games against them.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any

import gnubg_nn

import playout
from playout.games.backgammon import Backgammon, State
from playout.games.errors import PlayoutError

GAME = Backgammon()
Choose = Callable[[State], int]
MARGIN = 0.16
"""Plays that are worse than the best by more, without look-ahead, are no candidates for the best play with it."""
MOST = 6
"""Candidates at most."""


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


def board(state: State) -> list[list[int]]:
    """The checkers of the side that is not on roll and of the one that is, as gnubg-nn has them."""
    return [list(state.checkers[1 - state.player][1:]), list(state.checkers[state.player][1:])]


def after(sides: list[list[int]], hops: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The checkers of the mover and of the other after hops between points from 0 on, 24 for the bar, -1 for off."""
    other, own = list(sides[0]), list(sides[1])
    for source, target in hops:
        own[source] -= 1
        if target >= 0:
            own[target] += 1
            if other[23 - target]:
                other[23 - target] -= 1
                other[24] += 1
    return tuple(own), tuple(other)


def action_to(state: State, wanted: tuple[tuple[int, ...], tuple[int, ...]]) -> int:
    """The legal play that leads to these checkers."""
    for action in GAME.legal_actions(state):
        checkers = GAME.next_state(state, action).checkers
        if (checkers[state.player][1:], checkers[1 - state.player][1:]) == wanted:
            return action
    raise AssertionError(f"{GAME.state_to_text(state)}: no play leads to {wanted}")


def pubeval(state: State) -> int:
    """Tesauro's public evaluation."""
    sides = board(state)
    assert state.dice is not None
    points = gnubg_nn.pub_best_move(sides, *state.dice)
    return action_to(state, after(sides, list(zip(points[0::2], points[1::2], strict=True))))


def gnubg(state: State) -> int:
    """GNU Backgammon's nets without look-ahead."""
    sides = board(state)
    assert state.dice is not None
    hops = gnubg_nn.best_move(sides, *state.dice)
    return action_to(state, after(sides, [(source - 1, target - 1) for source, target in hops]))


def engine(options: Sequence[str], nodes: int = 1) -> Choose:
    """The engine by a search of ``nodes`` simulations; one goes to the play of the greatest prior."""
    own = playout.Engine(GAME)
    for option in ("OwnBook=false", "TreePolicy=puct", "LeafEvaluation=static", *options):
        own.set_option(*option.split("=", 1))

    def choose(state: State) -> int:
        own.set_position(GAME.state_to_text(state))
        move = own.think(nodes=nodes).move
        assert move is not None
        return GAME.text_to_action(state, move)

    return choose


def worth(state: State, action: int, plies: int) -> float:
    """The points that the mover expects after a play."""
    then = GAME.next_state(state, action)
    if (returns := GAME.returns(then)) is not None:
        return returns[state.player] * GAME.points_scale
    win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg_nn.probabilities(board(then), plies)
    return -float(2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon)


def loss(state: State, choose: Choose) -> float:
    """Returns what our play loses by gnubg's nets with 2 plies of look-ahead."""
    ours = choose(state)
    shallow = {action: worth(state, action, 0) for action in GAME.legal_actions(state)}
    best = max(shallow.values())
    candidates = sorted(shallow, key=lambda action: -shallow[action])[:MOST]
    candidates = [one for one in candidates if shallow[one] > best - MARGIN]
    if candidates == [ours]:
        return 0.0
    return max(worth(state, one, 2) for one in {ours, *candidates}) - worth(state, ours, 2)


def main() -> None:
    """Prints one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("options", nargs="*", metavar="NAME=VALUE", help="engine options")
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--against", choices=("pubeval", "gnubg"), default="gnubg")
    parser.add_argument("--positions", type=int, default=0)
    parser.add_argument("--nodes", type=int, default=1, help="simulations of our searches")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        quick, choose = engine(given.options), engine(given.options, given.nodes)
    except PlayoutError as error:
        parser.error(str(error))
    rng = random.Random(given.seed)
    if given.positions:
        found = list[State]()
        number = 0
        while len(found) < 8 * given.positions:
            play((quick, gnubg) if number % 2 else (gnubg, quick), given.seed + number, found.append)
            number += 1
        losses = [loss(state, choose) for state in rng.sample(found, given.positions)]
        sys.stdout.write(
            f"loss of a play by gnubg-nn at 2 plies: {statistics.mean(losses):.4f} +- {error_of(losses):.4f} points, "
            f"{sum(one == 0 for one in losses) / len(losses):.1%} without loss, {len(losses)} positions\n"
        )
    if given.games:
        other: Any = {"pubeval": pubeval, "gnubg": gnubg}[given.against]
        pairs, wins = [], 0
        for pair in range(given.games // 2):
            seed = given.seed + pair
            points = play((choose, other), seed), -play((other, choose), seed)
            pairs.append(sum(points) / 2)
            wins += sum(one > 0 for one in points)
        sys.stdout.write(
            f"against {given.against}: {statistics.mean(pairs):+.3f} +- {error_of(pairs):.3f} points a game, "
            f"{wins / (2 * len(pairs)):.1%} won, {2 * len(pairs)} games\n"
        )


def error_of(numbers: Sequence[float]) -> float:
    """The standard error of the mean; NaN of a single number."""
    return math.nan if len(numbers) < 2 else statistics.stdev(numbers) / math.sqrt(len(numbers))


if __name__ == "__main__":
    main()
