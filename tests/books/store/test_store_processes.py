"""The store among processes: readers never see half of a write, and a killed build goes on where it was."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.books.from_games import build
from playout.books.store import file as store_file
from playout.books.store import reader
from playout.books.store.writer import StoreWriter
from playout.games import catalogue

from ...patience import PATIENCE
from ..past.past_games import random_pgn, rows

pytestmark = pytest.mark.opponents

WRITER = """
import sys
from pathlib import Path
from playout.books.store import file, reader
from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.books.store.writer import StoreWriter
from playout.games import catalogue
path, game = Path(sys.argv[1]), catalogue.load("tic_tac_toe")
states = [game.initial_state(), *(game.next_state(game.initial_state(), cell) for cell in range(9))]
def moves(state, version):
    return [BookMove(action, 1.0, version) for action in game.legal_actions(state)[:2]]
file.WRITE_TIMEOUT = 3600.0
version = 0
while True:
    version += 1
    if version % 5:
        with StoreWriter(path, game) as writer:
            for state in states:
                writer.put(state, moves(state, version))
            writer.commit()
    else:
        reader.write_book(path, game, [BookEntry(state, moves(state, version)) for state in states])
    print(version, flush=True)
"""
"""Writes versions of a book, in which all moves have the version's number, in place and anew in turns."""

READER = """
import sys
from pathlib import Path
from playout.books.formats import open_book
from playout.books.store import file
from playout.games import catalogue
file.READ_TIMEOUT = file.WRITE_TIMEOUT = 3600.0
game = catalogue.load("tic_tac_toe")
states = [game.initial_state(), *(game.next_state(game.initial_state(), cell) for cell in range(9))]
answers, versions = 0, set()
while len(versions) < 8:
    book = open_book(Path(sys.argv[1]), game)
    for state in states * 10:
        moves = book.lookup(state)
        if moves:
            answers += 1
            seen = {move.wins for move in moves}
            assert len(seen) == 1 and len(moves) == 2 or game.current_player(state) == 0, moves
            versions |= seen
    book.close()
print(answers)
"""

BUILDER = """
import sys

def report(progress):
    print(progress.committed, flush=True)
    sys.stdin.readline()

from pathlib import Path
from playout.books import from_games
from playout.books.store.writer import StoreWriter
from playout.games import catalogue
from_games.BATCH_GAMES = 4
with StoreWriter(Path(sys.argv[1]), catalogue.load("chess")) as writer:
    from_games.build(writer, [Path(sys.argv[2])], on_progress=report)
print("built", flush=True)
"""
"""Builds a book, and waits for a line after each report: it is never more than one batch ahead."""


def test_two_processes_read_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "1\n"
        readers = [
            subprocess.Popen(
                [sys.executable, "-c", READER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        while any(reader.poll() is None for reader in readers):
            assert writer.stdout.readline()
        for reader in readers:
            said, errors = reader.communicate(timeout=PATIENCE)
            assert (reader.returncode, errors) == (0, "")
            assert int(said) > 8
    finally:
        writer.kill()
        writer.communicate()


def test_a_killed_build_goes_on(tmp_path: Path) -> None:
    chess: Any = catalogue.load("chess")
    games = tmp_path / "games.pgn"
    games.write_text(random_pgn(60, 7), encoding="utf-8")
    whole, killed = tmp_path / "whole.book", tmp_path / "killed.book"
    with StoreWriter(whole, chess) as writer:
        build(writer, [games])
    rng = random.Random(4)
    kills = before = 0
    said = ""
    while "built" not in said:
        reports = rng.randrange(1, 6)
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", BUILDER, str(killed), str(games)]
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        assert process.stdin is not None
        assert process.stdout is not None
        lines = []
        while len(lines) < reports or kills >= 8:
            line = process.stdout.readline()
            if not line:
                break
            if line != "built\n":
                lines.append(line)
                process.stdin.write("go on\n")
                process.stdin.flush()
            else:
                said = line
        time.sleep(rng.random() * 0.03)
        process.send_signal(signal.SIGKILL)
        said += process.communicate()[0]
        kills += 1
        # Every game that was reported is there, and whole.
        book = reader.open_book(killed, chess)
        moves = book.lookup(chess.initial_state())
        with sqlite3.connect(killed) as database:
            (played,) = database.execute("SELECT count(*) FROM played").fetchone()
        assert sum(move.wins + move.draws + move.losses for move in moves) >= played >= before + int(lines[-1])
        before = played
        book.close()
    assert kills > 3
    assert rows(killed) == rows(whole)
    assert not list(tmp_path.glob("*-journal"))


def test_a_file_that_is_replaced_while_it_is_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    path, opened = tmp_path / "a.book", 0
    reader.write_book(path, game, [BookEntry(game.initial_state(), [BookMove(4, 1.0)])])

    def checked(database: sqlite3.Connection, *others: Any) -> Any:
        nonlocal opened
        opened += 1
        if opened <= 3:
            database.close()
            error = sqlite3.OperationalError("attempt to write a readonly database")
            error.sqlite_errorname = "SQLITE_READONLY_ROLLBACK"
            raise error
        return real(database, *others)

    real = store_file._checked
    monkeypatch.setattr(store_file, "_checked", checked)
    assert [move.action for move in reader.open_book(path, game).lookup(game.initial_state())] == [4]
    assert opened == 4
