"""The file of a tournament: an SQLite database of pairs, of games, and of what went wrong.

Each game is recorded at most once: its id is a primary key, given before it is played. What is known of a tournament is
computed from these rows, never added up.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from playout.arena.store.lock import HeldFile, hold_if_free
from playout.arena.terms.job import Job, Played
from playout.games.errors import PlayoutError

FORMAT = 2
"""Version of the tables."""
ID = "id"
"""Name of the fact that tells tournaments apart."""
TABLES = """
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY, event TEXT NOT NULL, round INTEGER NOT NULL, number INTEGER NOT NULL, games INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'open', body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS open_job ON job (state, event, round, number);
CREATE TABLE IF NOT EXISTS game (
    id TEXT PRIMARY KEY, job TEXT NOT NULL REFERENCES job (id), number INTEGER NOT NULL, attempt INTEGER NOT NULL,
    worker TEXT NOT NULL, recorded TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, result REAL NOT NULL,
    digest BLOB NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS game_of_job ON game (job);
CREATE TABLE IF NOT EXISTS mishap (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, game TEXT NOT NULL, attempt INTEGER NOT NULL, worker TEXT NOT NULL,
    happened TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, said TEXT NOT NULL, body BLOB);
"""


MEMORY = ":memory:"
NO_TOURNAMENT = "no tournament, or one of another version of playout"


class StoreError(PlayoutError):
    """Raised if the file of a tournament cannot be read or written now, as with a full disk. Nothing is changed."""


class Receipt(StrEnum):
    """Answer to a game that was delivered."""

    RECORDED = "recorded"
    REPEAT = "repeat"
    """The same game was recorded before; nothing changed."""
    CONFLICT = "conflict"
    """Another game with this id was recorded before; this one is kept aside and does not count."""
    UNKNOWN = "unknown"
    """There is no such game in this tournament, or it is no longer wanted."""


@dataclass(frozen=True, slots=True)
class OpenJob:
    """A pair that is not complete."""

    job: Job
    event: str
    attempt: int
    """Number of times it was given out before."""
    played: frozenset[int]
    """Numbers of its games that are recorded."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair with what it has brought so far."""

    id: str
    round: int
    state: str
    """``open``, ``done``, ``void`` if it was given up, ``spare`` if the event was decided without it, ``later`` if the
    event was given up and the next start tries it again."""
    results: Mapping[int, float]
    """Result of player 0 in each game recorded, by the game's number."""

    @property
    def counts(self) -> bool:
        """Whether its games count."""
        return self.state in ("open", "done")


class Store:
    """The tournament at a path. Methods are for any thread; each is one transaction.

    A method raises StoreError, and changes nothing, if the disk is full or the file cannot be written.
    """

    def __init__(self, path: Path | str) -> None:
        """Opens or makes the file; ``":memory:"`` keeps the tournament in memory.

        Raises:
            PlayoutError: if the file is none of a tournament, or is open in another process.
        """
        self.path = path
        self._lock = threading.RLock()
        self._guard = None if path == MEMORY else _guard(Path(path))
        try:
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=1.0)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            with self._transaction():
                self._check_format()
        except sqlite3.Error as error:
            self._release()
            raise PlayoutError(f"{path}: {error}") from error
        except BaseException:
            self._release()
            raise

    @classmethod
    def copy_of(cls, path: Path) -> Self:
        """Returns a copy in memory of the tournament at ``path`` as it is now; another process may be playing it.

        Raises:
            PlayoutError: if there is no tournament.
        """
        copy = cls(MEMORY)
        try:
            with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as base:
                [version] = base.execute("PRAGMA user_version").fetchone()
                base.backup(copy._base)
        except sqlite3.Error as error:
            copy.close()
            raise PlayoutError(f"{path}: {error}") from error
        copy.path = path
        if version != FORMAT:
            copy.close()
            raise PlayoutError(f"{path}: {NO_TOURNAMENT}")
        return copy

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._base.close()
            self._release()

    def _release(self) -> None:
        if self._guard is not None:
            self._guard.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def id(self) -> str:
        """A text that no other tournament has, drawn when the file was made."""
        with self._transaction():
            [found] = self._base.execute("SELECT value FROM fact WHERE name = ?", (ID,)).fetchone()
            return str(found)

    def facts(self) -> Mapping[str, str]:
        """Returns what is noted of the tournament as a whole, by name."""
        with self._transaction():
            return dict(self._base.execute("SELECT name, value FROM fact WHERE name != ?", (ID,)))

    def note(self, name: str, value: str) -> None:
        """Notes a fact of the tournament as a whole, instead of an earlier one of the same name."""
        with self._transaction():
            self._base.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))

    def add(self, event: str, round_: int, jobs: list[Job]) -> None:
        """Adds pairs to a round of an event; those that are in it already stay as they are."""
        with self._transaction():
            self._base.executemany(
                "INSERT OR IGNORE INTO job (id, event, round, number, games, body) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (job.id, event, round_, number, job.games, msgspec.json.encode(job))
                    for number, job in enumerate(jobs)
                ],
            )

    def open_jobs(self) -> list[OpenJob]:
        """Returns the pairs that are not complete, in the order of events, rounds and numbers."""
        with self._transaction():
            rows = self._base.execute(
                "SELECT id, event, attempt, body FROM job WHERE state = 'open' ORDER BY event, round, number"
            ).fetchall()
            return [
                OpenJob(msgspec.json.decode(body, type=Job), event, attempt, self._played(name))
                for name, event, attempt, body in rows
            ]

    def begin(self, job: str) -> int:
        """Counts a further attempt at a pair and returns its number, from 1."""
        with self._transaction():
            self._base.execute("UPDATE job SET attempt = attempt + 1 WHERE id = ?", (job,))
            [attempt] = self._base.execute("SELECT attempt FROM job WHERE id = ?", (job,)).fetchone()
            return int(attempt)

    def record(self, job: str, number: int, played: Played, attempt: int, worker: str) -> Receipt:
        """Records a game of a pair; when this returns, it is on the disk."""
        body = msgspec.json.encode(played)
        digest = hashlib.sha256(body).digest()
        with self._transaction():
            found = self._base.execute("SELECT games, state FROM job WHERE id = ?", (job,)).fetchone()
            if found is None or not 0 <= number < found[0] or played.id != f"{job}/{number}":
                return Receipt.UNKNOWN
            earlier = self._base.execute("SELECT digest FROM game WHERE id = ?", (played.id,)).fetchone()
            if earlier is not None:
                if earlier[0] == digest:
                    return Receipt.REPEAT
                self._mishap(Receipt.CONFLICT.value, played.id, attempt, worker, played.detail, body)
                return Receipt.CONFLICT
            if found[1] != "open":
                return Receipt.UNKNOWN
            self._base.execute(
                "INSERT INTO game (id, job, number, attempt, worker, result, digest, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (played.id, job, number, attempt, worker, played.result, digest, body),
            )
            if len(self._played(job)) == found[0]:
                self._base.execute("UPDATE job SET state = 'done' WHERE id = ?", (job,))
        return Receipt.RECORDED

    def mishap(self, kind: str, game: str, attempt: int, worker: str, said: str, body: Played | None = None) -> None:
        """Keeps a void game, a lost worker and the like for the report."""
        with self._transaction():
            self._mishap(kind, game, attempt, worker, said, None if body is None else msgspec.json.encode(body))

    def give_up(self, jobs: Iterable[str], state: Literal["void", "spare"]) -> None:
        """Declares pairs that are not complete ``void``, or ``spare`` if the event is decided without them. Their games
        do not count."""
        with self._transaction():
            self._base.executemany(
                "UPDATE job SET state = ? WHERE id = ? AND state = 'open'", [(state, job) for job in jobs]
            )

    def put_off(self, event: str, round_: int) -> None:
        """Declares the void pairs of an event from a round on ``later``: ``reopen`` opens them again."""
        with self._transaction():
            self._base.execute(
                "UPDATE job SET state = 'later' WHERE event = ? AND round >= ? AND state = 'void'", (event, round_)
            )

    def reopen(self) -> None:
        """Opens the pairs that were put off."""
        with self._transaction():
            self._base.execute("UPDATE job SET state = 'open' WHERE state = 'later'")

    def pairs(self, event: str) -> list[PairRow]:
        """Returns the pairs of an event with their results, in the order of rounds and numbers."""
        with self._transaction():
            results: dict[str, dict[int, float]] = {}
            for job, number, result in self._base.execute(
                "SELECT job, number, result FROM game WHERE job IN (SELECT id FROM job WHERE event = ?)", (event,)
            ):
                results.setdefault(job, {})[number] = result
            rows = self._base.execute(
                "SELECT id, round, state FROM job WHERE event = ? ORDER BY round, number", (event,)
            )
            return [PairRow(name, round_, state, results.get(name, {})) for name, round_, state in rows]

    def games(self, event: str | None = None) -> Iterator[Played]:
        """Yields the games of an event, or of all, in the order of events, rounds and numbers."""
        where, values = ("", ()) if event is None else (" WHERE job.event = ?", (event,))
        with self._transaction():
            names = self._base.execute(
                f"SELECT game.id FROM game JOIN job ON game.job = job.id{where}"
                " ORDER BY job.event, job.round, job.number, game.number",
                values,
            ).fetchall()
        for (name,) in names:
            with self._transaction():
                [body] = self._base.execute("SELECT body FROM game WHERE id = ?", (name,)).fetchone()
            yield msgspec.json.decode(body, type=Played)

    def mishaps(self) -> list[tuple[str, str, str]]:
        """Returns kind, game and reason of each mishap, in the order in which they happened."""
        with self._transaction():
            return list(self._base.execute("SELECT kind, game, said FROM mishap ORDER BY id"))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            try:
                self._base.execute("BEGIN IMMEDIATE")
                try:
                    yield
                except BaseException:
                    self._base.execute("ROLLBACK")
                    raise
                self._base.execute("COMMIT")
            except sqlite3.Error as error:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise StoreError(f"{self.path}: {error}") from error

    def _check_format(self) -> None:
        [version] = self._base.execute("PRAGMA user_version").fetchone()
        tables = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == 0 and tables == 0:
            for statement in TABLES.split(";"):
                self._base.execute(statement)
            self._base.execute(f"PRAGMA user_version = {FORMAT}")
            self._base.execute("INSERT INTO fact VALUES (?, ?)", (ID, secrets.token_hex(12)))
        elif version != FORMAT:
            raise PlayoutError(f"{self.path}: {NO_TOURNAMENT}")

    def _played(self, job: str) -> frozenset[int]:
        return frozenset(row[0] for row in self._base.execute("SELECT number FROM game WHERE job = ?", (job,)))

    def _mishap(self, *values: Any) -> None:
        self._base.execute(
            "INSERT INTO mishap (kind, game, attempt, worker, said, body) VALUES (?, ?, ?, ?, ?, ?)", values
        )


def _guard(path: Path) -> HeldFile:
    """Returns a file beside ``path`` that is held: reports may read the tournament while it lasts, but nobody else
    plays it.

    Raises:
        PlayoutError: if another process holds it, or it cannot be made.
    """
    place = path.with_name(f"{path.name}-lock")
    try:
        file = hold_if_free(place)
    except OSError as error:
        raise PlayoutError(f"{place}: {error.strerror or error}") from error
    if file is None:
        raise PlayoutError(f"{path}: another process plays this tournament")
    return file
