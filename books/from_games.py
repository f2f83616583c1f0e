"""A book from past games: a decision tree that counts who won after each move."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

from playout.books.base.book import BookMove
from playout.books.base.past_games import BrokenGame, GameReader, Mark
from playout.books.formats import FORMATS, FormatInfo, book_game, format_module, format_of
from playout.books.past.counting import USUAL, GameCounter, Selection
from playout.books.store.writer import StoreWriter
from playout.games.board_hooks import HasSgf
from playout.games.errors import BookError
from playout.games.game import Game
from playout.games.nearest import nearest_file

GAME_FORMATS = ("pgn", "sgf", "lines")
BATCH_GAMES = 2000
BATCH_POSITIONS = 50_000
BATCH_SECONDS = 5.0
"""A batch is committed when it has this many games or positions, or is this old (seconds)."""
REPORT_SECONDS = 0.2


@dataclass
class BuildProgress:
    """Progress of a build."""

    path: Path
    """The file being read."""
    done: int
    """Bytes read so far, of all files."""
    total: int
    """Total size of all files in bytes."""
    games: int = 0
    """Games counted in this run."""
    committed: int = 0
    """Those of them that are committed."""
    duplicates: int = 0
    """Games that were already in the book."""
    skipped: int = 0
    """Games that the selection rejects."""
    broken: int = 0
    """Games that could not be used."""
    entries: int = 0
    """Positions copied from other books."""
    messages: list[str] = field(default_factory=list)
    """Messages about broken games since the last report."""


def input_files(paths: Sequence[Path], game: Game[Any, Any]) -> list[Path]:
    """Expands ``paths`` to a list of files. A folder stands for the files of games in it and its subfolders, sorted by
    name.

    Raises:
        BookError: if there is no such file, or no format has its extension.
    """
    own = (".sgf",) if isinstance(game, HasSgf) else (".pgn",) if getattr(game, "kernel", None) == "chess" else ()
    endings = (*own, ".games")
    files = []
    for path in paths:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.name.lower().endswith(endings) and file.is_file())
            found = [file for file in found if not file.name.lower().endswith(".games") or _is_of(file, game)]
            if not found:
                raise BookError(f"{path}: no file of games of {game.name} in this folder")
            files += found
        else:
            format_of(path)
            if not path.is_file():
                raise BookError(f"{path}: no such file{nearest_file(path)}")
            files.append(path)
    return files


def _is_of(path: Path, game: Game[Any, Any]) -> bool:
    """Whether the first line of a file of lines names the game."""
    try:
        return book_game(path) == game.name
    except BookError:
        return False


def build(
    writer: StoreWriter,
    files: Sequence[Path],
    selection: Selection = USUAL,
    on_progress: Callable[[BuildProgress], None] | None = None,
) -> BuildProgress:
    """Adds the games and books of ``files`` to a store, batch by batch. Games already in the store are not counted
    again; an interrupted build resumes after its last batch.

    Raises:
        BookError: if a file cannot be read or the store cannot be written, or if the store was built with another
            ``max_ply``, ``variations`` or ``unfinished``.
    """
    return _Build(writer, files, selection, on_progress).run()


def forbid(writer: StoreWriter, path: Path) -> None:
    """Gives weight 0 in the store to every move that has weight 0 in the book ``path`` (any format), and commits.

    Raises:
        BookError: if that book cannot be read.
    """
    for entry in format_module(format_of(path)).entries(path, writer.game):
        for move in entry.moves:
            if move.weight == 0:
                writer.forbid(entry.state, move.action)
    writer.commit()


class _Build:
    """One run of ``build``."""

    def __init__(
        self,
        writer: StoreWriter,
        files: Sequence[Path],
        selection: Selection,
        on_progress: Callable[[BuildProgress], None] | None,
    ) -> None:
        self._writer = writer
        self._selection = selection
        self._files = [(path, path.stat().st_size) for path in files]
        self._on_progress = on_progress
        self._counter = GameCounter(writer)
        self._progress = BuildProgress(writer.path, 0, sum(size for _, size in self._files))
        self._games = 0
        self._begun = self._reported = time.monotonic()

    def run(self) -> BuildProgress:
        self._pin()
        before = 0
        for path, size in self._files:
            self._progress.path, self._progress.done = path, before
            if format_of(path).name in GAME_FORMATS:
                self._add_games(path, before)
            else:
                self._add_book(path)
            before += size
            self._progress.done = before
            self._report()
        self._commit()
        self._report()
        return self._progress

    def _pin(self) -> None:
        pinned = self._selection.pinned
        known = self._writer.input_state("selection")
        if known and known != pinned:
            before = ", ".join(f"{name}={value}" for name, value in known.items() if value != pinned.get(name))
            raise BookError(f"{self._writer.path}: built with {before}; later builds must use the same values")
        if not known:
            self._writer.set_input("selection", pinned)

    def _add_games(self, path: Path, before: int) -> None:
        writer, progress, selection = self._writer, self._progress, self._selection
        name = str(path.resolve())
        stat = path.stat()
        identity = {"size": stat.st_size, "time": stat.st_mtime_ns, "selection": asdict(selection)}
        state = writer.input_state(name)
        mark = after = Mark(**state["mark"]) if state.get("identity") == identity else Mark()
        for past in game_reader(path).read_games(path, writer.game, variations=selection.variations, after=after):
            # Several games may share a mark; a batch ends after the last of them.
            if past.end != mark and self._is_full():
                writer.set_input(name, {"identity": identity, "mark": asdict(mark)})
                self._commit()
                progress.done = before + mark.offset
                self._report()
            elif time.monotonic() - self._reported >= REPORT_SECONDS:
                progress.done = before + mark.offset
                self._report()
            mark = past.end
            self._games += 1
            if isinstance(past, BrokenGame):
                progress.broken += 1
                progress.messages.append(past.message)
            elif not selection.takes(past):
                progress.skipped += 1
            elif writer.is_played(hash_ := past.hash(writer.game)):
                progress.duplicates += 1
            else:
                writer.set_played(hash_)
                self._counter.count(past, selection)
                progress.games += 1
        if mark != after:
            writer.set_input(name, {"identity": identity, "mark": asdict(mark)})

    def _add_book(self, path: Path) -> None:
        """Adds the positions of another book, up to the maximum ply. The book is identified by its content, not by its
        path.
        """
        writer, progress = self._writer, self._progress
        # fails here rather than after reading a large file
        format_module(format_of(path)).open_book(path, writer.game).close()
        with path.open("rb") as file:
            name = f"book {hashlib.file_digest(file, 'blake2b').hexdigest()[:32]}"
        state = writer.input_state(name)
        if state.get("done"):
            return
        number = known = int(state.get("entries", 0))
        found = format_module(format_of(path)).entries(path, writer.game)
        for number, entry in enumerate(islice(found, known, None), known + 1):
            if entry.line is None or len(entry.line) < self._selection.max_ply:
                writer.add(entry.state, map(_counted, entry.moves))
                if entry.line is None:
                    writer.add_root(entry.state)
                progress.entries += 1
            if self._is_full():
                writer.set_input(name, {"entries": number})
                self._commit()
                self._report()
        writer.set_input(name, {"entries": number, "done": True})

    def _is_full(self) -> bool:
        return (
            self._games >= BATCH_GAMES
            or self._writer.pending >= BATCH_POSITIONS
            or time.monotonic() - self._begun >= BATCH_SECONDS
        )

    def _commit(self) -> None:
        self._writer.commit()
        self._progress.committed = self._progress.games
        self._games = 0
        self._begun = time.monotonic()

    def _report(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self._progress)
        self._progress.messages.clear()
        self._reported = time.monotonic()


def _counted(move: BookMove) -> BookMove:
    """Returns a move of another book for the store: without its weight if its counts determine one."""
    return replace(move, weight=0.0) if move.wins + move.draws + move.losses else move


def game_reader(path: Path) -> GameReader:
    """Returns the reader for a file of past games.

    Raises:
        BookError: if its extension belongs to another format.
    """
    info: FormatInfo = format_of(path)
    if info.name not in GAME_FORMATS:
        known = ", ".join(suffix for one in FORMATS if one.name in GAME_FORMATS for suffix in one.suffixes)
        raise BookError(f"{path}: not a file of games ({known})")
    return cast(GameReader, format_module(info))
