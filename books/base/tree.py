"""Traversal of a book from a position, move by move."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from playout.books.base.book import Book
from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.games.game import CHANCE, Game, is_over


def walk(
    book: Book,
    game: Game[Any, Any],
    start: Any | None = None,
    replies: Callable[[Any], Iterable[Any]] | None = None,
) -> Iterator[BookEntry]:
    """Yields every position of the book that its moves reach from ``start`` (the game's start by default), each with a
    shortest line to it: breadth first, better moves first, each position once, through every roll of the dice.

    Where the book has no moves the traversal continues with ``replies(state)``.
    """
    places = Places(game)
    root = game.initial_state() if start is None else start
    queue: deque[tuple[Any, tuple[Any, ...]]] = deque([(root, ())])
    seen: set[int] = set()
    while queue:
        state, line = queue.popleft()
        if is_over(game, state):
            continue
        key = places.of(state).key
        if key in seen:
            continue
        if game.current_player(state) == CHANCE:
            actions = list(game.legal_actions(state))
        else:
            moves = book.lookup(state)
            if moves:
                yield BookEntry(state, moves, line)
            actions = [move.action for move in moves] or list(replies(state) if replies else ())
        seen.add(key)
        queue.extend((game.next_state(state, action), (*line, action)) for action in actions)
