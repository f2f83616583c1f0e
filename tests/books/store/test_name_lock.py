"""The name of a store: no connection takes the journal of another file for its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.books.store import file as store_file
from playout.books.store import name_lock, reader
from playout.books.store.file import steady
from playout.books.store.name_lock import changing_name, file_id
from playout.books.store.reader import open_book
from playout.books.store.writer import StoreWriter
from playout.games import catalogue
from playout.games.errors import BookError

from ...patience import PATIENCE
from .crash import CRASH

GAME: Any = catalogue.load("tic_tac_toe")
START = GAME.initial_state()


def two_plies() -> list[Any]:
    """The start and the positions of the next two plies: enough that half of a write reaches the file."""
    positions = [START]
    for place in range(10):
        position = positions[place]
        positions.extend(GAME.next_state(position, action) for action in GAME.legal_actions(position))
    return positions


def write(path: Path, action: int) -> None:
    reader.write_book(
        path,
        GAME,
        [
            BookEntry(position, [BookMove(moves[action % len(moves)], 1.0)])
            for position in two_plies()
            if (moves := GAME.legal_actions(position))
        ],
    )


@pytest.mark.parametrize(
    "use",
    [
        lambda writer: writer.is_played(1),
        lambda writer: writer.input_state("games.pgn"),
        lambda writer: writer.is_empty(),
        lambda writer: writer.commit(),
        lambda writer: writer.compact(),
    ],
    ids=["is_played", "input_state", "is_empty", "commit", "compact"],
)
def test_a_writer_of_a_replaced_file_leaves_the_journal_of_the_new_one(
    tmp_path: Path, use: Callable[[StoreWriter], object]
) -> None:
    path = tmp_path / "a.book"
    write(path, 4)
    with StoreWriter(path, GAME) as writer:
        write(path, 0)
        subprocess.run([sys.executable, "-c", CRASH, str(path)], check=True, timeout=PATIENCE)
        with pytest.raises(BookError, match="another file has taken its place"):
            use(writer)
        assert Path(f"{path}-journal").exists()
    assert [move.action for move in open_book(path, GAME).lookup(START)] == [0]


def test_a_file_is_not_replaced_while_its_name_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "WRITE_TIMEOUT", 0.0)
    path = tmp_path / "a.book"
    write(path, 4)
    with steady(path), steady(path, file_id(path)), pytest.raises(BookError, match="another process"):
        write(path, 0)
    with changing_name(path, 0.0), pytest.raises(BookError, match="another process is writing it"):
        StoreWriter(path, GAME)
    assert [move.action for move in open_book(path, GAME).lookup(START)] == [4]
    assert [file.name for file in tmp_path.iterdir()] == ["a.book"]


def test_a_link_locks_the_folder_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "WRITE_TIMEOUT", 0.0)
    (tmp_path / "deep").mkdir()
    path, link = tmp_path / "deep" / "a.book", tmp_path / "link.book"
    write(path, 4)
    link.symlink_to(path)
    with steady(link), pytest.raises(BookError, match="another process is writing it"):
        write(path, 0)


def test_a_folder_that_cannot_be_locked_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(name_lock.fcntl, "flock", refuse)
    write(tmp_path / "a.book", 4)
    assert [move.action for move in open_book(tmp_path / "a.book", GAME).lookup(START)] == [4]
