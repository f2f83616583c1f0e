"""A match between two sets of options of one game, in complete sessions: with books, macros and tables.

    python benches/options_match.py hex:5 --first Macros=true --second Macros=false --games 100 --nodes 300 --plies 1

Both play both sides of each random opening, without books unless OwnBook=true is given. Prints the first one's score
with its standard error, and the difference in Elo points with its 95 % interval.
"""

from __future__ import annotations

import argparse
import queue
import random
import sys
from collections.abc import Sequence
from typing import Any

from playout.engine.experiments.match import Score, random_opening
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.errors import GameError, PlayoutError
from playout.games.game import CHANCE, HasChance, action_to_text, text_to_action


class Side:
    """A session with its options."""

    def __init__(self, game: Any, options: Sequence[str]) -> None:
        self._events: queue.SimpleQueue[SearchInfo | SearchResult] = queue.SimpleQueue()
        self.session = Session(game, post=self._events.put)
        for option in ["Hash=64", "OwnBook=false", *options]:
            name, _, value = option.partition("=")
            self.session.set_option(name, value)

    def move(self, moves: Sequence[str], limits: Limits) -> str:
        """Returns the move after ``moves``."""
        self.session.set_position(None, moves)
        self.session.go(limits)
        while not isinstance(event := self._events.get(), SearchResult):
            pass
        self.session.wait()
        for remark in event.remarks:
            sys.stderr.write(remark + "\n")
        if event.move is None:
            raise GameError(f"no move after {' '.join(moves)}: {event.fault or event.reason}")
        return event.move


def play(game: Any, sides: Sequence[Side], opening: Sequence[str], limits: Limits, seed: int) -> float:
    """Plays one game after ``opening``; returns player 0's result."""
    rng = random.Random(seed)
    state, moves = game.initial_state(), list[str]()
    for side in sides:
        side.session.new_game()
        side.session.set_option("Seed", str(seed))
    while game.returns(state) is None:
        if len(moves) < len(opening):
            text = opening[len(moves)]
        elif game.current_player(state) == CHANCE:
            assert isinstance(game, HasChance)
            outcomes = game.chance_outcomes(state)
            roll = rng.choices([outcome for outcome, _ in outcomes], [chance for _, chance in outcomes])[0]
            text = action_to_text(game, state, roll)
        else:
            text = sides[game.current_player(state)].move(moves, limits)
        moves.append(text)
        state = game.next_state(state, text_to_action(game, state, text))
    return float(game.returns(state)[0])


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
    limits = Limits(nodes=words.nodes, movetime=words.seconds)
    try:
        game: Any = catalogue.load(words.game)
        first, second = Side(game, words.first), Side(game, words.second)
    except PlayoutError as error:
        parser.error(str(error))
    rng, scores = random.Random(words.seed), list[float]()
    for number in range(words.games // 2):
        opening, seed = random_opening(game, words.plies, rng), words.seed * 10_000 + number
        one = play(game, (first, second), opening, limits, seed)
        other = play(game, (second, first), opening, limits, seed)
        scores.append((2 + one - other) / 4)
    score = Score(tuple(scores))
    difference, least, most = score.elo
    sys.stdout.write(
        f"{game.name}: first {score.mean:.1%} +- {score.error:.1%} of {score.games} games, "
        f"Elo {difference:+.0f} [{least:+.0f}, {most:+.0f}]\n"
    )


if __name__ == "__main__":
    main()
