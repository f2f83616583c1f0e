"""Books of a session: opened for a search, asked at the root, and written to after a game.

A book that cannot be used costs one line for people, and play goes on without it.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from playout.books.base.book import Book, BookMove, LearningBook
from playout.books.formats import open_book
from playout.books.macros.macro import PATTERNS, Macro, read_macros, shipped_macros, shipped_patterns
from playout.books.shipped import WORD, LazyBook, shipped_files
from playout.engine.options.books import SEPARATOR
from playout.engine.terms.line import Line
from playout.engine.terms.option_values import OptionValues
from playout.engine.terms.task import SearchTask
from playout.games.errors import BookError
from playout.games.game import CHANCE, Game, text_to_action

log = logging.getLogger(__name__)

T = TypeVar("T")

BEAROFF = ".bearoff"
LEARNED_PLIES = 40
"""Plies from the game's start that a book learns where BookDepth gives no bound."""


class TakesTables(Protocol):
    """A search that takes tables of solved positions."""

    def set_tables(self, paths: Sequence[Path], *, depth: int) -> None:
        """Sets the tables, or none. Positions at least ``depth`` plies below the root are looked up."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    """Fingerprint of a file's contents by its status; all zero for a missing file."""

    modified: int = 0
    size: int = 0
    inode: int = 0

    @staticmethod
    def of(path: Path) -> _Stamp:
        with suppress(OSError):
            status = path.stat()
            return _Stamp(status.st_mtime_ns, status.st_size, status.st_ino)
        return _Stamp()


@dataclass(slots=True)
class _File:
    """A file that an option names."""

    path: Path
    stamp: _Stamp
    made: Any | None
    """The book or the macros in it; None after a failure."""


class Books:
    """The books, tables and macros that are open.

    Thread contract: one thread at a time. While a search runs, that is the search thread.
    """

    def __init__(self) -> None:
        self._given: tuple[Book, ...] = ()
        self._game: Game[Any, Any] | None = None
        self._files: dict[str, list[_File]] = {}
        self._shipped: tuple[Macro, ...] = ()
        self._remarks: list[str] = []
        self._seed: int | None = None
        self._random = random.Random()
        self._version = 0
        self._wanted: tuple[bool, bool] | None = None
        self._books: tuple[Book, ...] = ()
        self._told_what_learns = False
        self._refused = False
        """Whether the search could not take the tables."""
        self._tables: tuple[Book, ...] = ()
        self._macros: tuple[Macro, ...] = ()

    @property
    def version(self) -> int:
        """A number that changes whenever the contents of the books may have changed."""
        return self._version

    @property
    def opened(self) -> Sequence[Book]:
        """The books in use, in the order in which they are asked."""
        return self._books

    @property
    def macros(self) -> Sequence[Macro]:
        """The macros in use."""
        return self._macros

    def prepare(self, game: Game[Any, Any], options: OptionValues, given: Sequence[Book] = ()) -> None:
        """Opens the files that ``options`` name for ``game``, unless they are open and have not changed.

        ``given`` are asked before them; they belong to the caller, who closes them. A file that cannot be used adds a
        remark. Blocks.
        """
        if options.integer("Seed") != self._seed:
            self._seed = options.integer("Seed")
            self._random = random.Random(self._seed or None)
        other = game != self._game
        if other:
            self.close()
            self._game = game
        own, macros = options.flag("OwnBook"), options.flag("Macros")
        changed = other or (own, macros) != self._wanted or tuple(given) != self._given
        self._given = tuple(given)
        self._wanted = own, macros
        shipped = [str(path) for path in shipped_files(game)]
        names = _books(options.text("BookFile"), shipped) if own else []
        changed |= self._open(
            "BookFile", names, lambda path: (LazyBook if str(path) in shipped else open_book)(path, game)
        )
        folders = str(options.get("SyzygyPath", ""))
        changed |= self._open("SyzygyPath", [folders] if folders else [], lambda path: _open_tables(str(path), game))
        changed |= self._open(
            "MacroFile", _macro_files(options.text("MacroFile"), game), lambda path: read_macros(path, game)
        )
        if changed:
            self._version += 1
            self._shipped = tuple(self._guard("Macros", lambda: shipped_macros(game)) or ()) if macros else ()
            self._tables = tuple(file.made for file in self._files["SyzygyPath"] if file.made is not None)
            opened = tuple(file.made for file in self._files["BookFile"] if file.made is not None)
            self._books = (*self._given, *opened) if own else ()
            self._told_what_learns = self._refused = False
            users = [macro for file in self._files["MacroFile"] for macro in file.made or ()]
            self._macros = (*users, *self._shipped)

    def remarks(self) -> tuple[str, ...]:
        """Returns lines for people about what has gone wrong since the last call."""
        remarks, self._remarks = tuple(self._remarks), []
        return remarks

    def close(self) -> None:
        """Closes the files; ``prepare`` opens them again."""
        for option in ("BookFile", "SyzygyPath"):
            for file in self._files.pop(option, []):
                self._shut(file)
        self._files.clear()
        self._books, self._tables, self._macros, self._shipped, self._game = (), (), (), (), None
        self._version += 1

    def lookup(self, state: Any) -> tuple[Book, Sequence[BookMove]] | None:
        """Returns the first book that knows ``state``, with its moves there. A book that fails is laid aside."""
        return self.first(lambda book: book.lookup(state))

    def first(self, question: Callable[[Book], Sequence[BookMove]]) -> tuple[Book, Sequence[BookMove]] | None:
        """Returns the first book that has moves in answer to ``question``, with them. A book that fails is laid aside.
        Any thread.
        """
        return self._ask(self._books, question)

    def remark(self, line: str) -> None:
        """Adds a line for people."""
        log.warning("%s", line)
        self._remarks.append(line)

    def lay_macros_aside(self, error: Exception) -> None:
        """Notes that a macro raised ``error``: no macro is used until the options or their files change."""
        self._macros = ()
        self._fail(f"macros are not used: {_reason(error)}", error)

    def solved(self, state: Any) -> tuple[Book, Sequence[BookMove]] | None:
        """Returns the best moves at ``state`` by tables of solved positions; None if no table has it."""
        return self._ask(self._tables, lambda book: book.lookup(state))

    def choose(
        self, task: SearchTask, solved: tuple[Book, Sequence[BookMove]] | None = None
    ) -> tuple[Book, BookMove] | None:
        """Returns the move to play at once at the root of ``task``, and the book that has it; None without one.

        The move is one of those that are ``solved`` or, if there are none, of the first book that knows the root,
        within the option BookDepth. BookVariety says how it is chosen.
        """
        depth = task.options.integer("BookDepth")
        known = solved
        if known is None and (not depth or task.ply < depth):
            known = self.lookup(task.state)
        moves = [move for move in known[1] if move.weight > 0] if known is not None else []
        if known is None or not moves:
            return None
        variety = task.options.text("BookVariety")
        if variety == "best":
            return known[0], max(moves, key=lambda move: move.weight)
        weights = [move.weight if variety == "weighted" else 1.0 for move in moves]
        return known[0], self._random.choices(moves, weights)[0]

    def lend_tables(self, search: TakesTables, task: SearchTask, *, drawn: bool = False) -> None:
        """Hands the tables of solved positions to a search. A failure adds a remark.

        With ``drawn``, where the tables have the root as a draw, the search gets none: to the tables all moves that
        keep the draw are equal, and the search is to find the one that is hardest to answer.
        """
        tables = () if drawn else self._files.get("SyzygyPath", ())
        folders = [str(file.path) for file in tables if file.made is not None]
        paths = [path for folder in folders for path in _folders(folder)]
        exact = [book for book in self._books if book.name.endswith(BEAROFF)][:1]
        paths += [file.path for file in self._files.get("BookFile", ()) if file.made in exact]
        depth = int(task.options.get("SyzygyProbeDepth", 1))
        if self._refused:
            return
        try:
            search.set_tables(paths, depth=depth)
        except Exception as error:
            self._fail(f"tables are not used: {_reason(error)}", error)
            self._refused = True
            self._books = tuple(book for book in self._books if book not in exact)

    def _ask(
        self, books: Sequence[Book], question: Callable[[Book], Sequence[BookMove]]
    ) -> tuple[Book, Sequence[BookMove]] | None:
        for book in books:
            try:
                moves = question(book)
            except Exception as error:
                self._fail(f"book {book.name} is not used: {_reason(error)}", error)
                self._books = tuple(other for other in self._books if other is not book)
                self._tables = tuple(other for other in self._tables if other is not book)
                continue
            if moves:
                return book, moves
        return None

    def learn(self, line: Line, result: float, options: OptionValues) -> None:
        """Writes a finished game into the first of the user's own books that can be written to.

        ``result`` is that of player 0, in [-1, 1]. Without such a book, a remark says how to make one.
        """
        game = self._game
        book = next((book for book in self._books if isinstance(book, LearningBook)), None)
        if game is None or line.text is not None or line.moves != line.words or line.resumed:
            return
        if book is None:
            self._tell_what_learns(game, options)
            return
        plies = options.integer("BookDepth") or LEARNED_PLIES
        moves = [
            (state, text_to_action(game, state, word))
            for state, word in zip(line.states, line.words[:plies], strict=False)
            if game.current_player(state) != CHANCE
        ]
        try:
            book.learn(moves, result)
        except Exception as error:
            self._fail(f"the game is not learned: {_reason(error)}", error)
        self._version += 1

    def _tell_what_learns(self, game: Game[Any, Any], options: OptionValues) -> None:
        """Adds a remark, once, that BookLearn has no book to write to."""
        if self._told_what_learns or not options.flag("OwnBook"):
            return
        self._told_what_learns = True
        remark = "BookLearn: the game is not learned: BookFile names no store (NAME.book) of your own"
        if shipped_files(game):
            remark += f"; playout book convert {WORD} mine.book --game {game.name} makes one"
        self.remark(remark)

    def _open(self, option: str, names: Sequence[str], make: Callable[[Path], Any]) -> bool:
        """Opens each file with ``make``. Returns False if all were open and have not changed."""
        paths = [Path(name).expanduser() for name in names]
        known = self._files.get(option)
        stamps = [_Stamp.of(path) for path in paths]
        if known is not None and [(file.path, file.stamp) for file in known] == list(zip(paths, stamps, strict=True)):
            return False
        before = {(file.path, file.stamp): file for file in known or ()}
        files = []
        for path, stamp in zip(paths, stamps, strict=True):
            same = before.pop((path, stamp), None)
            files.append(same or _File(path, stamp, self._guard(option, partial(make, path))))
        for file in before.values():
            self._shut(file)
        self._files[option] = files
        return True

    def _guard(self, option: str, make: Callable[[], T]) -> T | None:
        """Returns what ``make`` returns; None, with a remark, if it raises."""
        try:
            return make()
        except Exception as error:
            self._fail(f"{option} is not used: {_reason(error)}", error)
            return None

    def _shut(self, file: _File) -> None:
        if file.made is not None and hasattr(file.made, "close"):
            self._guard("BookFile", file.made.close)

    def _fail(self, remark: str, error: Exception) -> None:
        defect = not isinstance(error, BookError)
        log.error("%s", remark, exc_info=error if defect else None)
        self._remarks.append(remark)


def _open_tables(folders: str, game: Game[Any, Any]) -> Book:
    """Opens Syzygy tables as a book for the root."""
    from playout.books.tables.syzygy import open_syzygy
    from playout.engine.known.kernel_tables import KernelTables

    return open_syzygy(_folders(folders), game, reader=KernelTables)


def _folders(text: str) -> list[Path]:
    """Returns the folders that the option SyzygyPath names."""
    from playout.books.tables.syzygy import split_paths

    return split_paths(text.replace(SEPARATOR, os.pathsep))


def _books(text: str, shipped: Sequence[str]) -> list[str]:
    """Returns the files that BookFile names, with ``shipped`` in place of the word for them."""
    return [file for name in _files(text) for file in (shipped if name == WORD else (name,))]


def _macro_files(text: str, game: Game[Any, Any]) -> list[str]:
    """Returns the files that MacroFile names, with the package's own in place of the word for it."""
    patterns = shipped_patterns(game)
    return [str(patterns) if name == PATTERNS and patterns is not None else name for name in _files(text)]


def _files(text: str) -> list[str]:
    """Returns the files that an option's text names."""
    return [name.strip() for name in text.split(SEPARATOR) if name.strip()]


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, BookError) else f"{type(error).__name__}: {error}"
