"""Writing a book store: changes are collected in memory and committed in batches."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playout.books.base.book import BookMove
from playout.books.base.canonical import Place, Places
from playout.books.store.file import WeightRules, errors, open_in_memory, open_to_write, row_number, steady
from playout.books.store.name_lock import FileId, check_name
from playout.books.store.packing import PackedMove, pack, unpack
from playout.books.store.reader import StoreBook, read_sources
from playout.games.errors import BookError
from playout.games.game import Game, HasStateText

Moves = dict[int | str, PackedMove]
"""By action."""


class StoreWriter:
    """A store opened for adding. Nothing reaches the file before ``commit``; after a crash the file has all of a commit
    or nothing of it. Use it from one thread; other processes may read the file meanwhile.

    Raises:
        BookError: any method, if the file cannot be read or written. Earlier commits stay intact.
    """

    def __init__(self, path: Path, game: Game[Any, Any], *, in_memory: bool = False) -> None:
        """With ``in_memory`` there is no file, and ``path`` is only a name for messages."""
        self.path = path
        self.game = game
        self._places = Places(game)
        self._opened: FileId | None = None
        if in_memory:
            self._database, self.rules = open_in_memory(path, game)
        else:
            self._database, self.rules, self._opened = open_to_write(path, game)
        self._rules_set = False
        self._added: dict[int, Moves] = {}
        self._put: dict[int, Moves] = {}
        self._forbidden: dict[int, set[int | str]] = {}
        self._roots: dict[int, str] = {}
        self._inputs: dict[str, str] = {}
        self._played: set[int] = set()
        with self._safely():
            self._sources: dict[str, int] = {
                name: number for number, name in self._database.execute("SELECT id, name FROM source")
            }

    def add(self, state: Any, moves: Iterable[BookMove]) -> Place:
        """Merges moves into the record of ``state``: counts, learn and weights are added (a weight of 0 changes
        nothing), the deeper value wins.
        """
        place = self._places.of(state)
        known = self._put.get(place.key) or self._added.setdefault(place.key, {})
        self._merge(known, place, moves, zero=None)
        return place

    def put(self, state: Any, moves: Iterable[BookMove]) -> Place:
        """Replaces the record of ``state``. A weight of 0 means that the move is never played."""
        place = self._places.of(state)
        self._added.pop(place.key, None)
        known = self._put[place.key] = {}
        self._merge(known, place, moves, zero=0.0)
        return place

    def forbid(self, state: Any, action: Any) -> None:
        """Sets the weight of ``action`` at ``state`` to 0, whatever its counts. Does nothing if the store does not have
        the move at the commit.
        """
        place = self._places.of(state)
        self._forbidden.setdefault(place.key, set()).add(self.packed_action(place, action))

    def count(self, place: Place, action: int | str, result: int) -> None:
        """Counts a game in which ``action``, in the book's frame, was played at ``place``. The result is that of the
        player who moved: 1 win, 0 draw, -1 loss.
        """
        known = self._put.get(place.key) or self._added.setdefault(place.key, {})
        move = known.setdefault(action, PackedMove(action))
        if result > 0:
            move.wins += 1
        elif result < 0:
            move.losses += 1
        else:
            move.draws += 1

    def packed_action(self, place: Place, action: Any) -> int | str:
        """Returns the stored form of an action; see ``Places.word``."""
        return self._places.word(place, action)

    def add_root(self, state: Any) -> None:
        """Keeps the text of a position that no line of the book reaches."""
        if isinstance(self.game, HasStateText):
            place = self._places.of(state)
            self._roots[place.key] = self.game.state_to_text(place.state)

    def set_rules(self, rules: WeightRules) -> None:
        """Sets the rules that turn the store's counts into weights, from the next commit on."""
        self.rules = rules
        self._rules_set = True

    def is_played(self, hash_: int) -> bool:
        """Whether the game with this hash, 0 to 2**64 - 1, has been counted."""
        if hash_ in self._played:
            return True
        with self._safely():
            row = row_number(hash_)
            return self._database.execute("SELECT 1 FROM played WHERE hash = ?", (row,)).fetchone() is not None

    def set_played(self, hash_: int) -> None:
        """Marks a game as counted."""
        self._played.add(hash_)

    def input_state(self, name: str) -> dict[str, Any]:
        """Returns the progress that ``set_input`` recorded for an input; empty if none."""
        with self._safely():
            row = self._database.execute("SELECT state FROM input WHERE name = ?", (name,)).fetchone()
        return dict(json.loads(self._inputs.get(name) or (row[0] if row else "{}")))

    def set_input(self, name: str, state: Mapping[str, Any]) -> None:
        """Records the progress in an input."""
        self._inputs[name] = json.dumps(state)

    def is_empty(self) -> bool:
        """Whether no position has been committed."""
        with self._safely():
            return self._database.execute("SELECT 1 FROM position LIMIT 1").fetchone() is None

    @property
    def pending(self) -> int:
        """Number of positions that wait for the commit."""
        return len(self._added) + len(self._put)

    def commit(self) -> None:
        """Writes all pending changes in one transaction, which is on the disk when this returns."""
        database = self._database
        with errors(self.path):
            try:
                with self._safely():
                    database.execute("BEGIN IMMEDIATE")
                check_name(self.path, self._opened)  # a program that knows no lock may have replaced it
                self._write(database)
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
        for gathered in (self._added, self._put, self._forbidden, self._roots, self._inputs, self._played):
            gathered.clear()

    def compact(self) -> None:
        """Rewrites the file at its smallest size."""
        with self._safely():
            self._database.execute("VACUUM")

    def as_book(self) -> StoreBook:
        """Commits and returns the store as a book, which takes over the connection."""
        return StoreBook(self.path, self.game, self._database, self.rules, read_sources(self._database))

    def close(self) -> None:
        """Closes the file. Changes that were not committed are lost."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _safely(self) -> Iterator[None]:
        """Keeps the file its name while SQLite may look for a journal under it."""
        with errors(self.path), nullcontext() if self._opened is None else steady(self.path, self._opened):
            yield

    def _write(self, database: sqlite3.Connection) -> None:
        if self._rules_set:
            meta = (("weighting", self.rules.weighting.value), ("minimum", self.rules.minimum))
            database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta)
        self._write_sources(database)
        # In file order, so that each page is visited once.
        for key in sorted({*self._added, *self._put, *self._forbidden}, key=row_number):
            moves = self._put.get(key)
            if moves is None:
                moves = self._merged(database, key)
            for action in moves.keys() & self._forbidden.get(key, ()):
                moves[action].weight = 0.0
            row = row_number(key)
            if moves:
                packed = pack(key, list(moves.values()))
                database.execute("INSERT OR REPLACE INTO position VALUES (?, ?)", (row, packed))
            else:
                database.execute("DELETE FROM position WHERE key = ?", (row,))
        rows = ((row_number(key), text) for key, text in self._roots.items())
        database.executemany("INSERT OR REPLACE INTO root VALUES (?, ?)", rows)
        database.executemany("INSERT OR REPLACE INTO input VALUES (?, ?)", self._inputs.items())
        database.executemany("INSERT OR IGNORE INTO played VALUES (?)", ((row_number(one),) for one in self._played))

    def _write_sources(self, database: sqlite3.Connection) -> None:
        """Another process may have numbered new sources since this one read them."""
        names = list(self._sources)
        database.executemany("INSERT OR IGNORE INTO source (name) VALUES (?)", ((name,) for name in names))
        numbers = dict(database.execute("SELECT name, id FROM source"))
        changed = {self._sources[name]: numbers[name] for name in names if self._sources[name] != numbers[name]}
        if changed:
            for moves in (*self._added.values(), *self._put.values()):
                for move in moves.values():
                    move.source = changed.get(move.source, move.source)
        self._sources = numbers

    def _merged(self, database: sqlite3.Connection, key: int) -> Moves:
        row = database.execute("SELECT moves FROM position WHERE key = ?", (row_number(key),)).fetchone()
        if row is None:
            return self._added.get(key, {})
        try:
            moves = {move.action: move for move in unpack(key, row[0])}
        except ValueError as error:
            raise BookError(f"{self.path}: {error} at key {key:016x}") from error
        for action, added in self._added.get(key, {}).items():
            if action in moves:
                moves[action].add(added)
            else:
                moves[action] = added
        return moves

    def _merge(self, known: Moves, place: Place, moves: Iterable[BookMove], zero: float | None) -> None:
        for move in moves:
            action = self.packed_action(place, move.action)
            packed = PackedMove.of(move, action, move.weight or zero, self._source(move.source))
            if action in known:
                known[action].add(packed)
            else:
                known[action] = packed

    def _source(self, name: str) -> int:
        return self._sources.setdefault(name, max(self._sources.values(), default=0) + 1) if name else 0
