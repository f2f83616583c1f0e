"""The file of a book store: its tables, how it is opened, and which files are refused.

One file holds the book of one game. Positions are in one table by their key, which is SQLite's row number: SQLite's
smallest layout, and one tree search for each lookup. The journal is a rollback journal. A write-ahead log would need a
writable folder even for reading, and would leave more than one file after a crash.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from playout.books.base.canonical import book_name
from playout.books.base.plain_file import file_size
from playout.books.store.name_lock import FileId, changing_name, file_id, keeping_name
from playout.books.store.packing import PackedMove
from playout.games.errors import BookError
from playout.games.game import Game
from playout.games.support.whole_file import replacing

T = TypeVar("T")

APPLICATION = int.from_bytes(b"plbk", "big")
VERSION = 1
READ_TIMEOUT = 0.25
"""Seconds that a reader waits for another process's commit."""
WRITE_TIMEOUT = 10.0
TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE position (key INTEGER PRIMARY KEY, moves BLOB NOT NULL)",
    # Texts of positions from which others are found, in addition to the game's start.
    "CREATE TABLE root (key INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    # Progress in each input file, and the hashes of its games.
    "CREATE TABLE input (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE played (hash INTEGER PRIMARY KEY)",
)


class Weighting(Enum):
    """Rule that computes a move's weight from its counts. An explicit weight is added; an explicit 0 stays 0."""

    given = "given"
    """Ignores the counts and uses explicit weights only."""
    score = "score"
    """Counts each win as 1 and each draw as 1/2."""
    count = "count"
    """Games."""
    wins = "wins"
    """Wins."""


@dataclass(slots=True)
class WeightRules:
    """Rules for turning a store's counts into weights."""

    weighting: Weighting = Weighting.given
    minimum: int = 1
    """Minimum number of games for a move without an explicit weight."""

    def weight(self, move: PackedMove) -> float | None:
        """Returns the move's weight, or None if the book leaves the move out."""
        if self.weighting is Weighting.given or move.weight == 0:
            return move.weight or 0.0
        if move.weight is None and move.games < self.minimum:
            return None
        given = move.weight or 0.0
        if self.weighting is Weighting.count:
            return given + move.games
        return given + move.wins + (move.draws / 2 if self.weighting is Weighting.score else 0)


def row_number(key: int) -> int:
    """Converts a key to SQLite's row number, a signed 64-bit integer."""
    return key - (1 << 64) if key >> 63 else key


def key_of(row: int) -> int:
    """The inverse of ``row_number``."""
    return row & (1 << 64) - 1


@contextmanager
def errors(path: Path) -> Iterator[None]:
    """Converts errors of SQLite and the operating system into one line that names the file."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise BookError(f"{path}: {reason(error)}") from error


def reason(error: Exception) -> str:
    """Returns one line for an SQLite error."""
    name = _name(error)
    # SQLite's own message may quote damaged text, which Python cannot decode.
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_IOERR_SHORT_READ")) or isinstance(error, UnicodeDecodeError):
        return "the file is damaged or cut short"
    if name.startswith("SQLITE_NOTADB"):
        return "not a book store"
    if name.startswith("SQLITE_BUSY"):
        return "another process is writing it"
    if name.startswith("SQLITE_READONLY"):
        return "cannot be written; an interrupted write may have to be undone first"
    return (getattr(error, "strerror", None) or str(error)).splitlines()[0]


def steady(path: Path, opened: FileId | None = None) -> AbstractContextManager[None]:
    """Returns a context in which SQLite may look for a journal under the name of a store: ``keeping_name``."""
    return keeping_name(path, WRITE_TIMEOUT, opened)


def open_to_read(
    path: Path, game: Game[Any, Any], ask: Callable[[sqlite3.Connection], T]
) -> tuple[sqlite3.Connection, WeightRules, T]:
    """Opens a read-only connection that any thread may use, and returns what ``ask`` reads by it as well.

    A file that is replaced meanwhile is opened again, until ``WRITE_TIMEOUT`` is over.

    Raises:
        BookError: if there is no such file, or it is not a store, is damaged, or belongs to another version or game.
    """
    file_size(path)
    end = time.monotonic() + WRITE_TIMEOUT
    with errors(path):
        while True:
            database = None
            try:
                database, rules = _checked(_connect(path, "ro", READ_TIMEOUT), path, game)
                return database, rules, ask(database)
            except sqlite3.OperationalError as error:
                if database is not None:
                    database.close()
                if not was_cut_off(error) or time.monotonic() > end:
                    raise
            # A crash left its journal, which a process with write access rolls back, or the file was replaced just now.
            with steady(path), _closing(_connect(path, "rw", WRITE_TIMEOUT)) as database:
                database.execute("SELECT count(*) FROM sqlite_schema").fetchone()


def open_to_write(path: Path, game: Game[Any, Any]) -> tuple[sqlite3.Connection, WeightRules, FileId]:
    """Opens a connection for writing, and identifies the file. A missing or empty file becomes a store.

    Raises:
        BookError: as ``open_to_read``, or if the file cannot be written.
    """
    with errors(path), steady(path):
        database = _connect(path, "rwc", WRITE_TIMEOUT)
        try:
            # Without this, a large transaction would lock readers out before its commit.
            database.execute("PRAGMA cache_spill = OFF")
            if not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                _create(database, game)
            database.execute("BEGIN IMMEDIATE").execute("ROLLBACK")
        except BaseException:
            database.close()
            raise
        return *_checked(database, path, game), file_id(path)


def open_in_memory(path: Path, game: Game[Any, Any]) -> tuple[sqlite3.Connection, WeightRules]:
    """Opens a store in memory; ``path`` is its name in messages."""
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _create(database, game)
    return _checked(database, path, game)


@contextmanager
def replacing_store(path: Path) -> Iterator[Path]:
    """Yields a temporary path beside ``path``; if the block ends without an error, that file replaces ``path``
    atomically.
    """
    with errors(path), replacing(path, _nobody_writes) as beside:
        try:
            yield beside
        except BaseException:
            Path(f"{beside}-journal").unlink(missing_ok=True)
            raise


@contextmanager
def _nobody_writes(path: Path) -> Iterator[None]:
    """Locks a store against writers and rolls back an interrupted write, because its journal must not be applied to the
    new file. Does nothing for a file that is not a store.
    """
    with ExitStack() as held:
        held.enter_context(changing_name(path, WRITE_TIMEOUT))
        if not path.exists():
            Path(f"{path}-journal").unlink(missing_ok=True)
            yield
            return
        database = held.enter_context(_closing(_connect(path, "rw", WRITE_TIMEOUT)))
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                raise
            Path(f"{path}-journal").unlink(missing_ok=True)
        yield


def was_cut_off(error: Exception) -> bool:
    """Whether a read-only connection met a journal: a crash left it, or the open file was replaced."""
    return _name(error).startswith("SQLITE_READONLY")


def is_busy(error: Exception) -> bool:
    """Whether another process held the file for longer than the timeout."""
    both = (one for one in (error, error.__cause__) if one is not None)
    return any(isinstance(one, BlockingIOError) or _name(one).startswith("SQLITE_BUSY") for one in both)


def _name(error: BaseException) -> str:
    return getattr(error, "sqlite_errorname", None) or ""


def _connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    database = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
    # Damaged text in the file is not a bug in this program.
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
            rules = WeightRules()
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
    """Returns the name of the game that a store is for.

    Raises:
        BookError: as ``open_to_read``, except that any game is accepted.
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


def _checked(database: sqlite3.Connection, path: Path, game: Game[Any, Any]) -> tuple[sqlite3.Connection, WeightRules]:
    try:
        meta = _header(database, path)
        if meta.get("game") != book_name(game):
            raise BookError(f"{path}: a book of {meta.get('game')}, not of {book_name(game)}")
        try:
            return database, WeightRules(Weighting(meta["weighting"]), int(meta["minimum"]))
        except (KeyError, ValueError) as error:
            raise BookError(f"{path}: its header is damaged ({error})") from error
    except BaseException:
        database.close()
        raise
