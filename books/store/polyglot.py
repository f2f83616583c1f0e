"""Polyglot books (``.bin``) for chess: entries of 16 bytes, sorted by the Zobrist key of the position.

An entry is key (8 bytes), move (2), weight (2) and learn (4), each big-endian. python-chess reads them, from a copy in
memory, or from a memory map if the file is large. Format: http://hgm.nubati.net/book_format.html
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import chess
from chess import polyglot

from playout.books.base.book import BookMove
from playout.books.base.book_file import replace_book
from playout.books.base.entry import BookEntry
from playout.books.base.memory import best_first, gather
from playout.books.base.plain_file import file_size, read_at_rest
from playout.books.base.tree import walk
from playout.games.errors import BookError, IllegalMove
from playout.games.game import Game
from playout.games.nearest import unusable

ENTRY = struct.Struct(">QHHI")
MOST_WEIGHT = 2**16 - 1
MOST_LEARN = 2**32 - 1

COPIED = 2**26
"""Maximum size in bytes of a file that is copied. A mapped file that is truncated during a lookup ends the process
(SIGBUS).
"""
WHOLLY_CHECKED = 2**16
"""Maximum number of entries whose order is checked completely on opening; a larger file is sampled."""
SAMPLE = 2**10
MOST_PROBLEMS = 1000
"""Number of entries after which a check stops."""


class PolyglotBook:
    """A Polyglot book. Its moves are those that python-chess's reader finds, including moves of weight 0."""

    def __init__(self, path: Path, game: Game[Any, Any]) -> None:
        self._name = path.name
        self._game: Any = _chess(path, game)
        self._size = file_size(path)
        if self._size % ENTRY.size:
            raise BookError(f"{path}: {self._size} bytes, no multiple of {ENTRY.size}: cut off, or no Polyglot book")
        if not self._size:
            raise BookError(f"{path}: empty, not a book")
        try:
            self.reader, status = read_at_rest(path, partial(_reader, path))
        except OSError as error:
            raise BookError(unusable(path, error)) from error
        self._path = path
        self._inode, self._modified = status.st_ino, status.st_mtime_ns
        self._open = True

    @property
    def name(self) -> str:
        return self._name

    def board(self, state: Any) -> chess.Board:
        """Returns the position for python-chess's reader, with castling rights in the game's notation."""
        board: chess.Board = state.board.copy(stack=False)
        board.chess960 = self._game.chess960
        return board

    def lookup(self, state: Any) -> Sequence[BookMove]:
        if not self._open or self.reader.mmap.size() != self._size or self._game.returns(state) is not None:
            return ()
        moves: dict[int, BookMove] = {}
        for entry in self.reader.find_all(self.board(state), minimum_weight=0):
            try:
                action = self._game.text_to_action(state, _uci(entry))
            except IllegalMove:
                # python-chess accepts promotions that are never legal.
                continue
            moves.setdefault(action, BookMove(action, float(entry.weight), learn=entry.learn))
        # Errors from a file that another program is overwriting mean nothing.
        return () if self._is_written_over() else best_first(moves.values())

    def _is_written_over(self) -> bool:
        """Whether the mapped file has changed in place. A new file under the same name does not affect the map."""
        if isinstance(self.reader, _Copy):
            return False
        try:
            status = self._path.stat()
        except OSError:
            return False
        return status.st_ino == self._inode and (status.st_size, status.st_mtime_ns) != (self._size, self._modified)

    def shared_keys(self) -> Iterator[int]:
        """Yields the keys; see ``SharedKeyBook``."""
        last = None
        for number in range(len(self.reader) if self._open else 0):
            key = int(ENTRY.unpack_from(self.reader.mmap, number * ENTRY.size)[0])
            if key != last:
                yield key
            last = key

    def replies(self, state: Any) -> Iterator[int]:
        """Yields the moves after which the book knows the position. A book for one side has no moves for the other."""
        board = state.board.copy(stack=False)
        for move in list(board.legal_moves):
            board.push(move)
            key = polyglot.zobrist_hash(board)
            board.pop()
            place = self.reader.bisect_key_left(key)
            if place < len(self.reader) and self.reader[place].key == key:
                yield self._game.text_to_action(state, move.uci())

    def close(self) -> None:
        self._open = False
        self.reader.close()


class _Bytes(bytes):
    """The operations that python-chess's reader needs of a mapping."""

    def size(self) -> int:
        return len(self)

    def close(self) -> None:
        pass


class _Copy(polyglot.MemoryMappedReader):
    """A reader of bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.mmap = _Bytes(data)  # type: ignore[assignment]


def _reader(path: Path) -> tuple[polyglot.MemoryMappedReader, os.stat_result]:
    with path.open("rb") as file:  # python-chess treats a file that it cannot map as an empty book.
        status = path.stat()
        if status.st_size <= COPIED:
            data = file.read(COPIED)
            if data and len(data) % ENTRY.size == 0:
                return _Copy(data), status
            raise BookError(f"{path}: another program has cut it off")
    return polyglot.open_reader(path), status


def open_book(path: Path, game: Game[Any, Any]) -> PolyglotBook:
    """Opens the book in the file. Moves are checked when their position is looked up; illegal moves are left out.

    Raises:
        BookError: one line with the file and, for entries that cannot be right, the first of them.
    """
    _chess(path, game)
    return read_at_rest(path, partial(_checked, path, game))


def _checked(path: Path, game: Game[Any, Any]) -> PolyglotBook:
    book = PolyglotBook(path, game)
    size = len(book.reader)
    last = -1
    for number in range(0, size, 1 if size <= WHOLLY_CHECKED else size // SAMPLE):
        try:
            entry = ENTRY.unpack_from(book.reader.mmap, number * ENTRY.size)
        except struct.error as error:
            book.close()
            raise BookError(f"{path}, entry {number}: another program has cut it off") from error
        if entry[0] < last or not any(entry):
            book.close()
            what = "keys are not sorted" if any(entry) else "nothing but zeros"
            raise BookError(f"{path}, entry {number}: {what}: damaged, or no Polyglot book")
        last = entry[0]
    return book


def entries(path: Path, game: Game[Any, Any]) -> Iterable[BookEntry]:
    """Yields the positions reached from the start of the game by the book's moves and, where it has none, by any one
    move. Other positions cannot be found, since the file has only their keys.
    """
    book = open_book(path, game)
    return walk(book, game, replies=book.replies)


def problems(path: Path, game: Game[Any, Any]) -> list[str]:
    """Lists what is wrong with the file: its size, its order, illegal moves in reachable positions."""
    try:
        book = PolyglotBook(path, game)
    except BookError as error:
        return [str(error)]
    found = []
    last = -1
    for number in range(len(book.reader)):
        entry = ENTRY.unpack_from(book.reader.mmap, number * ENTRY.size)
        key = int(entry[0])
        if not any(entry):
            found.append(f"{path}, entry {number}: nothing but zeros")
        elif key < last:
            found.append(f"{path}, entry {number}: key {key:016x} after {last:016x}: not sorted, so not found")
        if len(found) == MOST_PROBLEMS:
            return [*found, f"{path}: the check stops here; there may be more"]
        last = key
    for known in walk(book, game, replies=book.replies):
        legal = {_raw(action) for action in game.legal_actions(known.state)}
        # Some programs write castling as the king's two squares; python-chess reads both.
        standard = book.board(known.state)
        legal |= {_raw(move.from_square | move.to_square << 6) for move in standard.generate_castling_moves()}
        key = polyglot.zobrist_hash(known.state.board)
        number = book.reader.bisect_key_left(key)
        while number < len(book.reader) and book.reader[number].key == key:
            if book.reader[number].raw_move not in legal:
                text = _uci(book.reader[number])
                found.append(f"{path}, entry {number}: illegal move {text!r} at {known.state.position}")
            number += 1
    book.close()
    return found


def game_name(path: Path) -> str:  # noqa: ARG001
    """Returns the name of chess, whatever the file."""
    return "chess"


def write_book(path: Path, game: Game[Any, Any], entries: Iterable[BookEntry]) -> None:
    """Writes key, move, weight and learn of each move. If the weights of a position exceed 16 bits or are not integers,
    they are scaled so that the greatest is 65535; a positive weight stays at least 1. Counts and comments are left out.
    """
    _chess(path, game)
    rows = []
    for entry in gather(game, entries).values():
        key = polyglot.zobrist_hash(entry.state.board)
        for move, weight in zip(entry.moves, _weights([move.weight for move in entry.moves]), strict=True):
            rows.append((key, -weight, _raw(move.action), min(max(move.learn, 0), MOST_LEARN)))
    replace_book(path, b"".join(ENTRY.pack(key, raw, -weight, learn) for key, weight, raw, learn in sorted(rows)))


def _chess(path: Path, game: Game[Any, Any]) -> Game[Any, Any]:
    if getattr(game, "kernel", None) != "chess":
        raise BookError(f"{path}: a Polyglot book, which is of chess, not of {game.name}")
    return game


def _uci(entry: polyglot.Entry) -> str:
    """Returns the move in UCI notation, or its number if it is not a move."""
    try:
        return entry.move.uci()
    except IndexError:
        return f"{entry.raw_move:#06x}"


def _weights(weights: Sequence[float]) -> list[int]:
    most = max(weights)
    if most <= MOST_WEIGHT and all(weight.is_integer() for weight in weights):
        return [int(weight) for weight in weights]
    return [max(1, round(weight / most * MOST_WEIGHT)) if weight > 0 else 0 for weight in weights]


def _raw(action: int) -> int:
    """Returns the move in Polyglot's encoding. Castling is king takes rook, as in the action."""
    start, end, promotion = action & 63, action >> 6 & 63, action >> 12
    return end | start << 6 | (promotion - 1 if promotion else 0) << 12
