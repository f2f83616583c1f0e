"""The book store (``.book``): an SQLite file with the moves of each position under its canonical key."""

from __future__ import annotations

import logging
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Place, Places
from playout.books.base.entry import BookEntry
from playout.books.store.file import (
    WeightRules,
    errors,
    is_busy,
    open_to_read,
    read_game_name,
    reason,
    replacing_store,
    row_number,
    was_cut_off,
)
from playout.books.store.packing import PackedMove, unpack
from playout.games.errors import BookError, GameError, PlayoutError
from playout.games.game import CHANCE, Game, HasStateText, text_to_action

log = logging.getLogger(__name__)

_QUERY = "SELECT moves FROM position WHERE key = ?"
_BATCH = 20_000
"""Number of positions in one transaction of ``write_book``."""


class StoreBook:
    """A store opened for reading. Lookups are safe in any thread."""

    def __init__(
        self,
        path: Path,
        game: Game[Any, Any],
        database: sqlite3.Connection,
        rules: WeightRules,
        sources: dict[int, str],
    ) -> None:
        self._lock = Lock()
        self._database: sqlite3.Connection | None = database
        self._path = path
        self._game = game
        self._places = Places(game)
        self._rules = rules
        self._sources = sources

    @property
    def name(self) -> str:
        return self._path.name

    def lookup(self, state: Any) -> Sequence[BookMove]:
        """Returns the moves for ``state``, best first. Returns none while another process holds the file in a long
        commit. If the file is damaged, returns none from then on and logs it once.
        """
        place = self._places.of(state)
        return self._read(place.key, partial(self._action, place))

    def _read(self, key: int, action: Callable[[PackedMove], Any]) -> Sequence[BookMove]:
        """Returns the moves under ``key``, with the actions that ``action`` gives."""
        try:
            packed = self._packed(key)
            return () if packed is None else self._ranked(unpack(key, packed), action)
        except (sqlite3.Error, BookError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            if not is_busy(error):
                said = str(error) if isinstance(error, BookError) else f"{self._path}: {reason(error)}"
                log.warning("%s; this book is not used any more", said)
                self.close()
            return ()

    def keys(self) -> array[int]:
        """Returns the keys; see ``KeyedBook``. A file that is damaged or busy has none."""
        rows = array("q")
        with self._lock, suppress(sqlite3.Error):
            if self._database is not None:
                rows.extend(row for (row,) in self._database.execute("SELECT key FROM position"))
        return array("Q", rows.tobytes())

    def at(self, key: int) -> Sequence[BookMove]:
        """Returns the moves of the position with this key; see ``KeyedBook``. Errors are those of ``lookup``."""
        return self._read(key, lambda move: move.action)

    def learn(self, moves: Sequence[tuple[Any, Any]], result: float) -> None:
        """Adds a finished game; see ``LearningBook``."""
        # A session that only reads does not need the writer's imports.
        from playout.books.store.learned import learn_moves

        learn_moves(self._path, self._game, moves, result, grow_to_ply=len(moves))

    def close(self) -> None:
        with self._lock:
            database, self._database = self._database, None
            if database is not None:
                database.close()

    def __del__(self) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of positions in the file. Slow, because SQLite counts them."""
        with self._lock, errors(self._path):
            return int(self._open().execute("SELECT count(*) FROM position").fetchone()[0])

    def entries(self) -> Iterator[BookEntry]:
        """Yields every position that has moves, with the line from the start that leads there, by a traversal from the
        game's start and the store's roots. Positions that the traversal misses (their lines were trimmed away) are
        counted in the log.

        Raises:
            BookError: if the file is damaged, or holds an illegal move.
        """
        seen: set[int] = set()
        found = 0
        for start in self._starts():
            ahead = [start]
            while ahead:
                state, line = ahead.pop()
                place = self._places.of(state)
                if place.key in seen:
                    continue
                seen.add(place.key)
                held = self._held(place.key)
                if held is None:
                    continue
                found += 1
                # Moves left out for too few games still lead to other positions.
                following = self._legal(state, place, held)
                moves = self._ranked(held, partial(self._action, place))
                if moves:
                    yield BookEntry(state, moves, line)
                for action in reversed(following):
                    following_line = None if line is None else (*line, action)
                    ahead.extend(decisions(self._game, self._game.next_state(state, action), following_line))
        missed = len(self) - found
        if missed:
            log.warning("%s: %d positions cannot be reached from the start", self._path, missed)

    def _starts(self) -> Iterator[tuple[Any, tuple[Any, ...] | None]]:
        yield from decisions(self._game, self._game.initial_state(), ())
        with self._lock, errors(self._path):
            roots = self._open().execute("SELECT text FROM root ORDER BY key").fetchall()
        game: Any = self._game
        for (text,) in roots:
            try:
                yield game.state_from_text(text), None
            except (GameError, AttributeError) as error:
                raise BookError(f"{self._path}: damaged: {error}") from error

    def _legal(self, state: Any, place: Place, held: Sequence[PackedMove]) -> list[Any]:
        """Returns the actions of ``held`` that are legal at ``state``; superko may forbid one on this line."""
        game = self._game
        legal = set(game.legal_actions(state))
        following = []
        for move in held:
            action = self._action(place, move)
            if action in legal:
                following.append(action)
            elif place.to_book(action) not in game.legal_actions(place.state):
                where = game.state_to_text(state) if isinstance(game, HasStateText) else repr(state)
                raise BookError(f"{self._path}: damaged: {action!r} is not legal at {where}")
        return following

    def _held(self, key: int) -> list[PackedMove] | None:
        try:
            with errors(self._path):
                packed = self._packed(key)
            return None if packed is None else unpack(key, packed)
        except ValueError as error:
            raise BookError(f"{self._path}: {error} at key {key:016x}") from error

    def _packed(self, key: int) -> bytes | None:
        with self._lock:
            if self._database is None:
                return None
            try:
                row = _row(self._database, key)
            except sqlite3.OperationalError as error:
                if not was_cut_off(error):
                    raise
                old = self._database
                self._database, self._rules, (self._sources, row) = open_to_read(
                    self._path, self._game, lambda database: (read_sources(database), _row(database, key))
                )
                old.close()
        if row is None:
            return None
        if not isinstance(row[0], bytes):
            raise ValueError("damaged moves")
        return row[0]

    def _ranked(self, held: list[PackedMove], action: Callable[[PackedMove], Any]) -> Sequence[BookMove]:
        moves = []
        for move in held:
            weight = self._rules.weight(move)
            if weight is None:
                continue
            moves.append(move.unpacked(action(move), weight, self._source(move.source)))
        moves.sort(key=_worst_last, reverse=True)
        return moves

    def _source(self, number: int) -> str:
        """Returns the name of a source, which may have been added after the file was opened."""
        if number and number not in self._sources:
            with self._lock, errors(self._path):
                if self._database is not None:
                    self._sources = read_sources(self._database)
        return self._sources.get(number, "")

    def _action(self, place: Place, move: PackedMove) -> Any:
        """Returns the move's action at the position itself."""
        action: Any = move.action
        if isinstance(action, str):
            try:
                action = text_to_action(self._game, place.state, action)
            except PlayoutError as error:
                raise ValueError(f"damaged moves ({error})") from error
        return place.from_book(action)

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            raise BookError(f"{self._path}: closed")
        return self._database


def _row(database: sqlite3.Connection, key: int) -> Any:
    return database.execute(_QUERY, (row_number(key),)).fetchone()


def read_sources(database: sqlite3.Connection) -> dict[int, str]:
    """Returns the names of a store's sources by their numbers."""
    return dict(database.execute("SELECT id, name FROM source"))


def open_book(path: Path, game: Game[Any, Any]) -> StoreBook:
    """Opens the store at ``path``.

    Raises:
        BookError: if there is no such file, or it is not a store, is damaged, or belongs to another version or game.
    """
    return StoreBook(path, game, *open_to_read(path, game, read_sources))


def game_name(path: Path) -> str:
    """Returns the game's name; see ``formats``."""
    return read_game_name(path)


def entries(path: Path, game: Game[Any, Any]) -> Iterator[BookEntry]:
    """Yields every position of the store with its moves.

    Raises:
        BookError: as ``open_book``, or if the file is damaged.
    """
    book = open_book(path, game)
    try:
        yield from book.entries()
    finally:
        book.close()


def write_book(path: Path, game: Game[Any, Any], entries: Iterable[BookEntry]) -> None:
    """Writes a store of ``entries`` with their weights. A position that no earlier entry leads to keeps its text, so
    that it can be found again.

    Raises:
        BookError: if the file cannot be written.
    """
    from playout.books.store.writer import StoreWriter

    places = Places(game)
    linked = {places.of(state).key for state, _ in decisions(game, game.initial_state(), ())}
    with replacing_store(path) as beside, StoreWriter(beside, game) as writer:
        for number, entry in enumerate(entries, 1):
            place = writer.put(entry.state, entry.moves)
            if place.key not in linked:
                writer.add_root(entry.state)
            for move in entry.moves:
                linked.update(
                    places.of(state).key for state, _ in decisions(game, game.next_state(entry.state, move.action), ())
                )
            if number % _BATCH == 0:
                writer.commit()
        writer.commit()
        writer.compact()


def decisions(
    game: Game[Any, Any], state: Any, line: tuple[Any, ...] | None
) -> Iterator[tuple[Any, tuple[Any, ...] | None]]:
    """Yields the positions at and after ``state`` where a player is to move, through dice if necessary, with the lines
    that lead there.
    """
    if game.returns(state) is not None:
        return
    if game.current_player(state) != CHANCE:
        yield state, line
        return
    for outcome in game.legal_actions(state):
        yield from decisions(game, game.next_state(state, outcome), None if line is None else (*line, outcome))


def _worst_last(move: BookMove) -> tuple[float, int, float]:
    return move.weight, move.wins + move.draws + move.losses, -1.0 if move.value is None else move.value
