"""The engine with its book of connect four against exact play: counts the moves that change the exact result.

    python benches/books/connect_four_book.py --games 4 --seconds 1

The opponent plays a move that the solver calls best (the longest resistance, the quickest win), drawn at random among
several; when it begins, it draws its first move from all, because the best one wins. The solver checks each move of the
engine: a move is wrong if it turns a win into another result, or a draw into a loss.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import Any

from playout import Engine
from playout.books.formats import open_book
from playout.books.shipped import shipped_files
from playout.engine.exact.solving import MoveValue, SolverMemory, solve
from playout.games import catalogue
from playout.games.game import action_to_text, text_to_action


class Oracle:
    """Exact values: those of the shipped book, which the solver found, and beyond it the solver's, with one table for
    all positions.
    """

    def __init__(self, game: Any, hash_mib: int) -> None:
        self._memory, self._hash_mib = SolverMemory(game), hash_mib
        (path,) = shipped_files(game)
        self._book = open_book(path, game)
        self._known: dict[tuple[str, ...], tuple[MoveValue, ...]] = {}

    def moves(self, words: tuple[str, ...]) -> tuple[MoveValue, ...]:
        """Returns each legal move with its value, best first."""
        if words not in self._known:
            game, memory = self._memory.game, self._memory
            state = game.initial_state()
            for word in words:
                state = game.next_state(state, text_to_action(game, state, word))
            known = [
                MoveValue(action_to_text(game, state, move.action), move.value, move.value, move.depth or None)
                for move in self._book.lookup(state)
                if move.value is not None
            ]
            if len(known) == len(game.legal_actions(state)):
                self._known[words] = tuple(sorted(known, key=_rank, reverse=True))
                return self._known[words]
            found = solve(game, None, words, all_moves=True, lengths=False, hash_mib=self._hash_mib, memory=memory)
            self._known[words] = found.moves
        return self._known[words]


def _rank(move: MoveValue) -> tuple[float, int]:
    """Sort key: the winner hurries, the loser delays."""
    plies = move.plies or 0
    return move.lower, -plies if move.lower > 0 else plies


def play(own: Engine, oracle: Oracle, engine: int, seconds: float, rng: random.Random) -> list[str]:
    """One game with the engine as player ``engine``; what it did wrong."""
    game = own.game
    own.new_game()
    state, words, wrong, sources = game.initial_state(), list[str](), list[str](), list[str]()
    while game.returns(state) is None:
        if not words and engine == 1:
            word = action_to_text(game, state, rng.choice(list(game.legal_actions(state))))
        elif game.current_player(state) == engine:
            own.set_position(None, words)
            thought = own.think(seconds=seconds)
            word = str(thought.move)
            sources.append("b" if thought.reason == "book" else "s")
            values = oracle.moves(tuple(words))
            value = next(move.value for move in values if move.move == word)
            if value != values[0].value:
                wrong.append(f"{' '.join(words)}: {word} is worth {value:+g}, {values[0].move} {values[0].value:+g}")
        else:
            values = oracle.moves(tuple(words))
            best = [move.move for move in values if (move.value, move.plies) == (values[0].value, values[0].plies)]
            word = rng.choice(best)
        words.append(word)
        state = game.next_state(state, text_to_action(game, state, word))
    result = game.returns(state)[engine]
    sys.stdout.write(
        f"engine {'first' if engine == 0 else 'second'}: {''.join(words)} result {result:+g}, "
        f"{sources.count('b')} book moves, {len(wrong)} wrong\n"
    )
    sys.stdout.flush()
    return wrong


def main() -> None:
    """Plays the games that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--player", type=int, choices=(0, 1), default=0, help="which one the engine is")
    parser.add_argument("--seconds", type=float, default=1.0, help="a move")
    parser.add_argument("--book", default="shipped", metavar="FILE")
    parser.add_argument("--hash", type=int, default=2048, help="MiB for the solver")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    game = catalogue.load("connect_four")
    oracle, rng = Oracle(game, words.hash), random.Random(words.seed)
    wrong = []
    with Engine(game, book_file=words.book) as own:
        for _ in range(words.games):
            wrong += play(own, oracle, words.player, words.seconds, rng)
    sys.stdout.write(f"{len(wrong)} moves were wrong\n" + "".join(f"  {line}\n" for line in wrong))


if __name__ == "__main__":
    main()
