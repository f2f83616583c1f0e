"""The books that come with the package and the games they serve. docs/books.md says how they were made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from playout.books.base.book import Book, BookMove, KeyedBook
from playout.books.base.canonical import book_name
from playout.books.formats import open_book
from playout.games.game import Game

WORD = "shipped"
"""The name that stands for the shipped books in place of a file."""
FOLDER = Path(__file__).with_name("data")


class ShippedBook(NamedTuple):
    """A file of the package."""

    file: str
    game: str
    """The game's name in a store's header."""
    any_parameters: bool = False
    """Whether it serves the game with any parameters."""

    @property
    def path(self) -> Path:
        return FOLDER / self.file


SHIPPED = (
    ShippedBook("tic_tac_toe.book", "tic_tac_toe"),
    ShippedBook("connect_four.book", "connect_four"),
    ShippedBook("hex11.book", "hex:11"),
    ShippedBook("go9.book", "go:9"),
    ShippedBook("chess.book", "chess"),
    ShippedBook("backgammon.book", "backgammon"),
    ShippedBook("backgammon.bearoff", "backgammon", any_parameters=True),
)
"""The shipped books, in the order in which they are asked."""


def shipped_files(game: Game[Any, Any]) -> list[Path]:
    """Returns the files for ``game``, whether or not they exist; none for most games, and none for a user's game that
    has the name of a built-in one.
    """
    kernel = getattr(type(game), "kernel", None)
    name = book_name(game)
    return [
        book.path
        for book in SHIPPED
        if book.game.partition(":")[0] == kernel and (book.any_parameters or book.game == name)
    ]


class LazyBook:
    """A read-only book that is opened on its first lookup, so that an engine that only starts pays nothing for it."""

    def __init__(self, path: Path, game: Game[Any, Any]) -> None:
        self._path, self._game = path, game
        self._book: Book | None = None

    @property
    def name(self) -> str:
        return self._path.name

    def lookup(self, state: Any) -> Sequence[BookMove]:
        """Returns the moves as every book does.

        Raises:
            BookError: if the file cannot be used.
        """
        return self._opened().lookup(state)

    def keys(self) -> Iterable[int]:
        """Returns the keys of the book's positions, if it has them; see ``KeyedBook``.

        Raises:
            BookError: as ``lookup``.
        """
        book = self._opened()
        return book.keys() if isinstance(book, KeyedBook) else ()

    def at(self, key: int) -> Sequence[BookMove]:
        """Returns the moves of the position with this key; see ``KeyedBook``.

        Raises:
            BookError: as ``lookup``.
        """
        book = self._opened()
        return book.at(key) if isinstance(book, KeyedBook) else ()

    def _opened(self) -> Book:
        if self._book is None:
            self._book = open_book(self._path, self._game)
        return self._book

    def close(self) -> None:
        """Closes the file; the next lookup opens it again."""
        if self._book is not None:
            self._book.close()
            self._book = None
