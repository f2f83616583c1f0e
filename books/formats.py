"""The table of book formats, by file extension. To add a format, write a module in ``books/`` and add a line to the
table.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from playout.books.base.book import Book
from playout.books.base.entry import BookEntry
from playout.games.errors import BookError
from playout.games.game import Game, HasStateText, action_to_text
from playout.games.nearest import nearest, unusable


class BookFormat(Protocol):
    """The interface of a module that implements a format. Errors are ``BookError``, with the file and the place in it.

    A module may also define ``game_name(path) -> str``, the game that a file is for, and ``problems(path, game) ->
    list[str]``, which lists everything that is wrong with a file, where ``open_book`` stops at the first mistake or
    skips over some.
    """

    def open_book(self, path: Path, game: Game[Any, Any]) -> Book:
        """Opens the book in the file."""

    def entries(self, path: Path, game: Game[Any, Any]) -> Iterable[BookEntry]:
        """Yields every position of the book; its moves are checked to be legal. If the file identifies positions only
        by key, they are found by a traversal from the game's start.
        """

    def write_book(self, path: Path, game: Game[Any, Any], entries: Iterable[BookEntry]) -> None:
        """Writes a book. The file stays whole at every moment."""


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """A line of the table."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    writes: bool = True
    lists: bool = True
    """Whether its positions can be listed."""


SYZYGY = FormatInfo("syzygy", (), "playout.books.tables.syzygy", writes=False, lists=False)
"""Whether the path is a directory. Directories hold Syzygy tables, whatever their name."""

FORMATS = (
    FormatInfo("yaml", (".yaml", ".yml"), "playout.books.text.yaml_book"),
    FormatInfo("store", (".book",), "playout.books.store.reader"),
    FormatInfo("polyglot", (".bin",), "playout.books.store.polyglot"),
    FormatInfo("pgn", (".pgn",), "playout.books.past.pgn", writes=False),
    FormatInfo("sgf", (".sgf",), "playout.books.past.sgf", writes=False),
    FormatInfo("lines", (".games",), "playout.books.past.lines", writes=False),
    FormatInfo("bearoff", (".bearoff",), "playout.books.tables.bearoff", writes=False, lists=False),
    SYZYGY,
)


def format_of(path: Path) -> FormatInfo:
    """Returns the format of a file by its extension; a directory is one of Syzygy tables.

    Raises:
        BookError: if no format has this extension.
    """
    try:
        if path.is_dir():
            return SYZYGY
    except OSError as error:  # the name is too long, or a folder may not be entered
        raise BookError(unusable(path, error)) from error
    for info in FORMATS:
        if path.name.lower().endswith(info.suffixes):
            return info
    known = [suffix for info in FORMATS for suffix in info.suffixes]
    said = nearest(path.suffix, known) or f"; allowed: {', '.join(known)}"
    raise BookError(f"{path}: no book format has such a name{said}")


def format_module(info: FormatInfo) -> BookFormat:
    """Returns the format's module, imported on first use."""
    return cast(BookFormat, importlib.import_module(info.module))


def open_book(path: Path, game: Game[Any, Any]) -> Book:
    """Opens a book of any format for ``game``.

    Raises:
        BookError: one line with the file and, if there is one, the place in it.
    """
    return format_module(format_of(path)).open_book(path, game)


def open_books(paths: Iterable[Path], game: Game[Any, Any]) -> tuple[list[Book], list[str]]:
    """Returns the books that can be opened, in the order of ``paths``, and one line about each that cannot."""
    books: list[Book] = []
    refused: list[str] = []
    for path in paths:
        try:
            books.append(open_book(path, game))
        except BookError as error:
            refused.append(str(error))
    return books, refused


def book_game(path: Path) -> str | None:
    """Returns the name of the game that a file is for, or None if its format does not record it.

    Raises:
        BookError: if the file's header cannot be read.
    """
    game_name = getattr(format_module(format_of(path)), "game_name", None)
    return None if game_name is None else str(game_name(path))


def entries(path: Path, game: Game[Any, Any]) -> Iterable[BookEntry]:
    """Yields the positions of a book of any format."""
    return format_module(format_of(path)).entries(path, game)


def write_book(path: Path, game: Game[Any, Any], found: Iterable[BookEntry]) -> None:
    """Writes a book in the format of the file's extension.

    Raises:
        BookError: if that format is read-only, or the file cannot be written.
    """
    info = format_of(path)
    if not info.writes:
        raise BookError(f"{path}: books of the format {info.name} are read, not written")
    format_module(info).write_book(path, game, found)


def problems(path: Path, game: Game[Any, Any]) -> list[str]:
    """Lists everything that is wrong with a book, one line each."""
    module = format_module(format_of(path))
    find = getattr(module, "problems", None)
    if find is not None:
        return list(find(path, game))
    found = []
    try:
        for entry in module.entries(path, game):
            legal = game.legal_actions(entry.state)
            where = game.state_to_text(entry.state) if isinstance(game, HasStateText) else repr(entry.state)
            for move in entry.moves:
                if move.action not in legal:
                    found.append(f"{path}: illegal move {move.action!r} at {where}")
                elif not (math.isfinite(move.weight) and move.weight >= 0):
                    text = action_to_text(game, entry.state, move.action)
                    found.append(f"{path}: weight {move.weight} of {text} at {where}")
    except BookError as error:
        found.append(str(error))
    return found
