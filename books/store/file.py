"""The file of a book store: its tables, how it is opened, and what is refused.

One file holds the book of one game. Positions stand in one table by their key, which is SQLite's row number: the
smallest layout that it has, and one search of one tree for an answer. A rollback journal, not a write-ahead log: a log
needs a folder that can be written even to read, and leaves more than one file after a crash.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from playout.books.base.canonical import book_name
from playout.books.base.plain_file import file_size
from playout.books.store.packing import PackedMove
from playout.games.errors import BookError
from playout.games.game import Game

APPLICATION = int.from_bytes(b"plbk", "big")
VERSION = 1
READ_TIMEOUT = 0.25
"""Seconds that a reader waits for another process's commit."""
WRITE_TIMEOUT = 10.0
TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE position (key INTEGER PRIMARY KEY, moves BLOB NOT NULL)",
    # Texts of positions from which others are found, besides the game's start.
    "CREATE TABLE root (key INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    # How far each file that the book is built from has been read, and the hashes of its games.
    "CREATE TABLE input (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE played (hash INTEGER PRIMARY KEY)",
)


class Weighting(Enum):
    """How a move's weight follows from its counts. A weight that was given is added; a given 0 stays 0."""

    given = "given"
    """Not at all: weights as they were given."""
    score = "score"
    """Wins, and half of the draws."""
    count = "count"
    """Games."""
    wins = "wins"
    """Wins."""


@dataclass(slots=True)
class Rules:
    """How a store's counts are read."""

    weighting: Weighting = Weighting.given
    minimum: int = 1
    """Games that a move needs, unless it has a weight of its own."""

    def weight(self, move: PackedMove) -> float | None:
        """The move's weight; None if the book leaves it out."""
        if self.weighting is Weighting.given or move.weight == 0:
            return move.weight or 0.0
        if move.weight is None and move.games < self.minimum:
            return None
        given = move.weight or 0.0
        if self.weighting is Weighting.count:
            return given + move.games
        return given + move.wins + (move.draws / 2 if self.weighting is Weighting.score else 0)


def row_number(key: int) -> int:
    """SQLite's row number for a key: 64 bits with a sign."""
    return key - (1 << 64) if key >> 63 else key


def key_of(row: int) -> int:
    """The inverse of ``row_number``."""
    return row & (1 << 64) - 1


@contextmanager
def errors(path: Path) -> Iterator[None]:
    """Turns what SQLite and the system raise into one line that names the file."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise BookError(f"{path}: {reason(error)}") from error


def reason(error: Exception) -> str:
    """One line for an error of SQLite's."""
    name = _name(error)
    # SQLite's own message may quote damaged text, which Python then cannot decode.
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_IOERR_SHORT_READ")) or isinstance(error, UnicodeDecodeError):
        return "the file is damaged or cut short"
    if name.startswith("SQLITE_NOTADB"):
        return "not a book store"
    if name.startswith("SQLITE_BUSY"):
        return "another process is writing it"
    if name.startswith("SQLITE_READONLY"):
        return "cannot be written, and a write that was cut short may have to be undone first"
    return (getattr(error, "strerror", None) or str(error)).splitlines()[0]


def open_to_read(path: Path, game: Game[Any, Any]) -> tuple[sqlite3.Connection, Rules]:
    """A connection that reads, of any thread.

    Raises:
        BookError: if there is no such file, or it is no store, damaged, of another version or of another game.
    """
    file_size(path)
    with errors(path):
        try:
            return _checked(_connect(path, "ro", READ_TIMEOUT), path, game)
        except sqlite3.OperationalError as error:
            if not was_cut_off(error):
                raise
        # A crash has left its journal: who may write undoes what was half written.
        with _closing(_connect(path, "rw", WRITE_TIMEOUT)) as database:
            database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return _checked(_connect(path, "ro", READ_TIMEOUT), path, game)


def open_to_write(path: Path, game: Game[Any, Any]) -> tuple[sqlite3.Connection, Rules]:
    """A connection that writes; a file that is not there, or empty, becomes a store.

    Raises:
        BookError: as ``open_to_read``, or if the file cannot be written.
    """
    with errors(path):
        database = _connect(path, "rwc", WRITE_TIMEOUT)
        try:
            # Without this a large transaction would lock readers out before its commit.
            database.execute("PRAGMA cache_spill = OFF")
            if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                _create(database, game)
            database.execute("BEGIN IMMEDIATE").execute("ROLLBACK")
        except BaseException:
            database.close()
            raise
        return _checked(database, path, game)


def open_in_memory(path: Path, game: Game[Any, Any]) -> tuple[sqlite3.Connection, Rules]:
    """A store that is no file; ``path`` names it in messages."""
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _create(database, game)
    return _checked(database, path, game)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside ``path`` for a file that takes its place, whole, when the block ends well."""
    with errors(path):
        handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
        os.close(handle)
        try:
            yield Path(name)
            with open(name, "rb+") as file:
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, path.stat().st_mode if path.exists() else 0o666 & ~mask)
            with _nobody_writes(path):
                os.replace(name, path)
        except BaseException:
            for left in (name, f"{name}-journal"):
                Path(left).unlink(missing_ok=True)
            raise


@contextmanager
def _nobody_writes(path: Path) -> Iterator[None]:
    """Keeps writers of a store out, and undoes what a crash left half written: its journal must not meet another file.
    What is no store needs neither."""
    if not path.exists():
        Path(f"{path}-journal").unlink(missing_ok=True)
        yield
        return
    with _closing(_connect(path, "rw", WRITE_TIMEOUT)) as database:
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                raise
            Path(f"{path}-journal").unlink(missing_ok=True)
        yield


def was_cut_off(error: Exception) -> bool:
    """Whether a connection that only reads met a journal: a crash left it, or another file has taken the place of the
    one that is open."""
    return _name(error).startswith("SQLITE_READONLY")


def is_busy(error: Exception) -> bool:
    """Whether another process held the file for longer than one waits."""
    return any(_name(one).startswith("SQLITE_BUSY") for one in (error, error.__cause__) if one is not None)


def _name(error: BaseException) -> str:
    return getattr(error, "sqlite_errorname", None) or ""


def _connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    database = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
    # Damaged texts are no defect of ours.
    database.text_factory = partial(str, encoding="utf-8", errors="replace")
    return database


@contextmanager
def _closing(database: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield database
    finally:
        database.close()


def _create(database: sqlite3.Connection, game: Game[Any, Any]) -> None:
    database.execute("BEGIN IMMEDIATE")
    try:
        if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            for table in TABLES:
                database.execute(table)
            rules = Rules()
            database.executemany(
                "INSERT INTO meta VALUES (?, ?)",
                (("game", book_name(game)), ("weighting", rules.weighting.value), ("minimum", rules.minimum)),
            )
            database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def read_game_name(path: Path) -> str:
    """The name of the game that a store is of.

    Raises:
        BookError: as ``open_to_read`` does, whatever the game.
    """
    file_size(path)
    with errors(path), _closing(_connect(path, "ro", READ_TIMEOUT)) as database:
        return str(_header(database, path).get("game", ""))


def _header(database: sqlite3.Connection, path: Path) -> dict[str, Any]:
    if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise BookError(f"{path}: not a book store")
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise BookError(f"{path}: a store of version {version}; this playout reads version {VERSION}")
    return dict(database.execute("SELECT name, value FROM meta"))


def _checked(database: sqlite3.Connection, path: Path, game: Game[Any, Any]) -> tuple[sqlite3.Connection, Rules]:
    try:
        meta = _header(database, path)
        if meta.get("game") != book_name(game):
            raise BookError(f"{path}: a book of {meta.get('game')}, not of {book_name(game)}")
        try:
            return database, Rules(Weighting(meta["weighting"]), int(meta["minimum"]))
        except (KeyError, ValueError) as error:
            raise BookError(f"{path}: its header is damaged ({error})") from error
    except BaseException:
        database.close()
        raise
