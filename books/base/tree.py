"""Walking through a book from a position, move by move."""

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
    """Every position that the book knows and that its moves reach from ``start`` (by default the game's), with a
    shortest line to it: breadth first, better moves first, each position once. Dice fall in every way.

    Where the book is silent the walk goes on with ``replies(state)``.
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
