"""A book below one position, as a tree for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.base.book import Book, BookMove
from playout.books.base.canonical import Places
from playout.games.game import CHANCE, Game, action_to_text, is_over


@dataclass(frozen=True, slots=True)
class Branch:
    """A move or a roll of the dice, with the book's data about it and the branches that follow."""

    text: str
    move: BookMove | None
    """None for dice."""
    share: float
    """Share of the move's weight at its position, in [0, 1]; for dice, the probability of all rolls that lead there."""
    behind: Sequence[Branch] = ()
    more: bool = False
    """Whether the book continues below this branch: past the depth limit, or under another branch that shows the same
    position.
    """


def branches(book: Book, game: Game[Any, Any], state: Any, depth: int, width: int) -> Sequence[Branch]:
    """Returns the tree down to ``depth`` plies, with the ``width`` best moves at each position. A position that two
    lines reach is expanded under the first of them in reading order.
    """
    return _Grower(book, game, width).at(state, depth)


class _Grower:
    def __init__(self, book: Book, game: Game[Any, Any], width: int) -> None:
        self._book = book
        self._game: Any = game
        self._width = width
        self._places = Places(game)
        self._shown: set[int] = set()

    def at(self, state: Any, depth: int) -> Sequence[Branch]:
        self._shown.add(self._places.of(state).key)
        game = self._game
        if is_over(game, state):
            return ()
        if game.current_player(state) == CHANCE:
            rolls: dict[int, tuple[Any, float]] = {}
            for roll, probability in sorted(game.chance_outcomes(state), key=repr, reverse=True):
                after = game.next_state(state, roll)
                if self._knows(after):
                    key = self._places.of(after).key
                    first, share = rolls.get(key, (roll, 0.0))
                    rolls[key] = (first, share + probability)
            return [self._branch(state, roll, None, share, depth) for roll, share in rolls.values()]
        moves = self._book.lookup(state)
        total = sum(move.weight for move in moves)
        shown = moves[: self._width]
        return [self._branch(state, move.action, move, move.weight / total if total else 0.0, depth) for move in shown]

    def _branch(self, state: Any, action: Any, move: BookMove | None, share: float, depth: int) -> Branch:
        text = action_to_text(self._game, state, action)
        after = self._game.next_state(state, action)
        if depth > 1 and self._places.of(after).key not in self._shown:
            return Branch(text, move, share, self.at(after, depth - 1))
        return Branch(text, move, share, more=self._knows(after))

    def _knows(self, state: Any) -> bool:
        """Whether the book has moves at the position or, at a chance node, after one of the rolls."""
        game = self._game
        if is_over(game, state):
            return False
        if game.current_player(state) == CHANCE:
            return any(self._book.lookup(game.next_state(state, roll)) for roll in game.legal_actions(state))
        return bool(self._book.lookup(state))
