"""The formats of books, by the ends of their files' names. A new format is a module here and a line in the table."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from playout.books.book import Book, BookMove
from playout.games.errors import BookError
from playout.games.game import Game


@dataclass(frozen=True, slots=True)
class Entry:
    """A position with its moves, as one format hands it to another."""

    state: Any
    moves: Sequence[BookMove]
    line: tuple[Any, ...] | None = None
    """The actions from the game's start to the position, where the source knows them."""


class Format(Protocol):
    """What a module of a format offers. Errors are ``BookError`` with the file and the place in it."""

    def open_book(self, path: Path, game: Game[Any, Any]) -> Book:
        """The book in the file."""

    def entries(self, path: Path, game: Game[Any, Any]) -> Iterable[Entry]:
        """Every position of the book, its moves checked to be legal. Positions that the file keeps only as keys are
        found by walking from the game's start."""

    def write_book(self, path: Path, game: Game[Any, Any], entries: Iterable[Entry]) -> None:
        """Writes a book. The file is whole at every moment."""


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """A line of the table."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    writes: bool = True


SYZYGY = FormatInfo("syzygy", (), "playout.books.syzygy", writes=False)
"""A directory is one of Syzygy tables, whatever its name."""

FORMATS = (
    FormatInfo("yaml", (".yaml", ".yml"), "playout.books.text"),
    FormatInfo("store", (".book",), "playout.books.store"),
    FormatInfo("polyglot", (".bin",), "playout.books.polyglot"),
    FormatInfo("pgn", (".pgn",), "playout.books.pgn", writes=False),
    FormatInfo("sgf", (".sgf",), "playout.books.sgf", writes=False),
    FormatInfo("bearoff", (".bearoff",), "playout.books.bearoff", writes=False),
    SYZYGY,
)


def format_of(path: Path) -> FormatInfo:
    """The format that a file's name tells, or its being a directory.

    Raises:
        BookError: if no format has such names.
    """
    if path.is_dir():
        return SYZYGY
    for info in FORMATS:
        if path.name.lower().endswith(info.suffixes):
            return info
    known = ", ".join(suffix for info in FORMATS for suffix in info.suffixes)
    raise BookError(f"{path}: no book format has such a name; allowed: {known}")


def format_module(info: FormatInfo) -> Format:
    """The format's module, imported when it is first needed."""
    return cast(Format, importlib.import_module(info.module))


def open_book(path: Path, game: Game[Any, Any]) -> Book:
    """Opens a book of any format for ``game``.

    Raises:
        BookError: one line that names the file and, if there is one, the place in it.
    """
    return format_module(format_of(path)).open_book(path, game)
