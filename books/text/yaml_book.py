"""The text book: a YAML file for any game, written by hand or by ``write_book``. docs/books.md describes the format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playout.books.base.book_file import replace_book
from playout.books.base.entry import BookEntry
from playout.books.base.memory import MemoryBook
from playout.books.text.reader import Reader
from playout.books.text.reader import game_name as _game_name
from playout.books.text.writer import book_lines
from playout.books.text.yaml_nodes import Source
from playout.games.errors import BookError
from playout.games.game import Game


def open_book(path: Path, game: Game[Any, Any]) -> MemoryBook:
    """Opens the book in the file. All its moves are legal."""
    return MemoryBook(path.name, game, entries(path, game))


def entries(path: Path, game: Game[Any, Any]) -> Iterable[BookEntry]:
    """Yields every position of the file, in its order."""
    reader = Reader(Source(path), game)
    reader.read()
    if reader.problems:
        first, *others = reader.problems
        more = f" (and {len(others)} more; playout book check lists them)" if others else ""
        raise BookError(first + more)
    return reader.entries()


def problems(path: Path, game: Game[Any, Any]) -> list[str]:
    """Lists everything that is wrong with the file, in its order, one line each."""
    try:
        reader = Reader(Source(path), game)
    except BookError as error:
        return [str(error)]
    try:
        reader.read()
    except BookError as error:
        reader.problems.append(str(error))
    return reader.problems


def game_name(path: Path) -> str:
    """Returns the game named in the file."""
    return _game_name(Source(path))


def write_book(path: Path, game: Game[Any, Any], entries: Iterable[BookEntry]) -> None:
    """Writes the lines of the book from the game's start, then the positions that no line reaches."""
    replace_book(path, "".join(f"{line}\n" for line in book_lines(game, entries)).encode())
