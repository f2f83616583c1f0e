"""Books that the search asks at each node that it makes, in whatever order of moves it comes there.

A searcher of a kernel gets the keys of all positions of the books, and asks for the moves of those positions only. A
book that neither makes the kernel's keys nor those of a shared format is asked at the root alone. A game in Python asks
the books about each position.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from playout.books.base.book import Book, BookMove, KeyedBook, SharedKeyBook
from playout.engine.known.session_books import Books
from playout.engine.search.searcher import KnownMove, Searcher
from playout.engine.terms.kernel import kernel_of
from playout.engine.terms.task import SearchTask
from playout.games.game import Game

MOST_KEYS = 4_000_000
"""Greatest number of positions of a book that the search is told of: they take about 15 bytes each."""
MOST_COUNT = 100
"""Bound of the observations that a book move stands for: what others played proves nothing."""
LOST_GAMES = 5
"""Number of games, all lost, from which on a move of weight 0 counts as known to lose."""

_Question = Callable[[int, str], Sequence[BookMove]]
"""Asks a book for its moves, by key and text of the position."""


class AskedBooks:
    """Lends a session's books to its searcher, and answers its questions.

    Thread contract: one thread at a time, except for the questions, which come from any thread.
    """

    def __init__(self) -> None:
        self._lent: tuple[Searcher, int] | None = None

    def lend(self, searcher: Searcher, task: SearchTask, books: Books) -> None:
        """Hands the books to the searcher, if they have changed, with the depth to which ``task`` has them asked.

        An analysis asks no books. ``books`` have been prepared for ``task``.
        """
        if self._lent != (searcher, books.version):
            self._lent = searcher, books.version
            searcher.set_books(*_questions(books, task.game))
        depth = task.options.integer("BookDepth")
        searcher.set_book_plies(0 if task.analysis else max(0, depth - task.ply) if depth else None)

    def forget(self) -> None:
        """Notes that the next searcher has no books."""
        self._lent = None


def _questions(
    books: Books, game: Game[Any, Any]
) -> tuple[Callable[..., Sequence[KnownMove]] | None, array[int], array[int]]:
    """Returns what ``Searcher.set_books`` takes."""
    keys, shared = array("Q"), array("Q")
    if not books.opened:
        return None, keys, shared
    if kernel_of(game) is None:
        return lambda state: _known(books.lookup(state)), keys, shared
    questions: dict[Book, _Question] = {}
    for book in books.opened:
        if isinstance(book, KeyedBook) and _add(keys, book.keys(), book, books):
            questions[book] = _by_key(book)
        elif isinstance(book, SharedKeyBook) and _add(shared, book.shared_keys(), book, books):
            questions[book] = _by_text(book, game)
    if not questions:
        return None, keys, shared

    def ask(key: int, text: str) -> Sequence[KnownMove]:
        return _known(books.first(lambda book: questions[book](key, text) if book in questions else ()))

    return ask, keys, shared


def _add(keys: array[int], more: Iterable[int], book: Book, books: Books) -> bool:
    """Adds a book's keys. Returns False, with a remark, if they are too many."""
    found = more if isinstance(more, array) else array("Q", islice(more, MOST_KEYS + 1))
    if len(found) <= MOST_KEYS:
        keys.extend(found)
        return True
    books.remark(f"book {book.name} has more than {MOST_KEYS} positions: it is asked at the root alone")
    return False


def _by_key(book: KeyedBook) -> _Question:
    return lambda key, _: book.at(key)


def _by_text(book: Book, game: Any) -> _Question:
    return lambda _, text: book.lookup(game.state_from_text(text))


def _known(answer: tuple[Book, Sequence[BookMove]] | None) -> Sequence[KnownMove]:
    """Returns the moves that the search is told of: those that a book plays, and those that it knows to lose."""
    moves = answer[1] if answer is not None else ()
    return [_known_move(move) for move in moves if move.weight > 0 or _lost(move)]


def _known_move(move: BookMove) -> KnownMove:
    """Returns the move with the value that a search found or, without one, with the results of the move's games."""
    count = move.wins + move.draws + move.losses
    if move.value is not None:
        return move.action, move.weight, MOST_COUNT, move.value, _lost(move)
    value = (move.wins - move.losses) / count if count else 0.0
    return move.action, move.weight, min(count, MOST_COUNT), value, _lost(move)


def _lost(move: BookMove) -> bool:
    """Whether the book knows that the move loses: its weight is 0, and it lost all of at least ``LOST_GAMES`` games or
    has the value of a loss."""
    always = move.losses >= LOST_GAMES and not (move.wins or move.draws)
    return move.weight <= 0 and (always if move.value is None else move.value <= -1)
