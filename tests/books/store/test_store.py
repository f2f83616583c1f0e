"""The store: what is written is answered for every image, what is wrong is refused, and damage silences a book."""

from __future__ import annotations

import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.books.formats import open_book
from playout.books.store import file as store_file
from playout.books.store import reader
from playout.books.store.file import APPLICATION, Weighting, WeightRules
from playout.books.store.writer import StoreWriter
from playout.games import catalogue
from playout.games.errors import BookError
from playout.games.game import CHANCE, HasSymmetries, is_over

from ...patience import PATIENCE
from .crash import CRASH

GAMES = ("tic_tac_toe", "connect_four", "hex:5", "go:5", "go:5x4", "chess", "backgammon")


def tree(game: Any, seed: int, positions: int = 12) -> dict[Any, list[BookMove]]:
    """Positions of random games with moves that lead from one to the next."""
    rng = random.Random(seed)
    found: dict[Any, list[BookMove]] = {}
    while len(found) < positions:
        state = game.initial_state()
        for _ in range(6):
            if is_over(game, state):
                break
            action = rng.choice(list(game.legal_actions(state)))
            if game.current_player(state) != CHANCE:
                moves = found.setdefault(state, [])
                if action not in [move.action for move in moves]:
                    moves.append(BookMove(action, rng.randrange(1, 9) / 2, rng.randrange(9), value=0.5, source="s"))
            state = game.next_state(state, action)
    return found


def write(path: Path, game: Any, positions: dict[Any, list[BookMove]]) -> None:
    with StoreWriter(path, game) as writer:
        for state, moves in positions.items():
            writer.add(state, moves)
        writer.commit()


@pytest.fixture(scope="module")
def chess_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "chess.book"
    write(path, catalogue.load("chess"), tree(catalogue.load("chess"), 1, 400))
    return path


@pytest.mark.parametrize("name", GAMES)
def test_one_entry_answers_for_every_image(name: str, tmp_path: Path) -> None:
    game: Any = catalogue.load(name)
    state = game.initial_state()
    rng = random.Random(5)
    while game.current_player(state) == CHANCE or state == game.initial_state():
        state = game.next_state(state, rng.choice(list(game.legal_actions(state))))
    action = rng.choice(list(game.legal_actions(state)))
    write(tmp_path / "a.book", game, {state: [BookMove(action, 2.5, 4, 3, 2, -1, 0.25, 9, "test")]})
    book = open_book(tmp_path / "a.book", game)
    (held,) = book.lookup(state)
    assert (held.weight, held.wins, held.draws, held.losses) == (2.5, 4, 3, 2)
    assert (held.learn, held.value, held.depth, held.source) == (-1, 0.25, 9, "test")
    assert is_image(game, state, action, held.action)
    for symmetry in game.symmetries() if isinstance(game, HasSymmetries) else ():
        (image,) = book.lookup(symmetry.state(state))
        assert is_image(game, symmetry.state(state), symmetry.action(action), image.action)
    following = game.next_state(state, action)
    if not is_over(game, following) and game.current_player(following) != CHANCE:
        assert book.lookup(following) == ()
    book.close()
    assert book.lookup(state) == ()


def is_image(game: Any, state: Any, action: Any, other: Any) -> bool:
    """Whether two actions are the same but for the symmetries of the position."""
    symmetries = game.symmetries() if isinstance(game, HasSymmetries) else ()
    own = [symmetry for symmetry in symmetries if symmetry.state(state) == state]
    return action == other or any(symmetry.action(action) == other for symmetry in own)


@pytest.mark.parametrize("name", GAMES)
def test_entries_are_all_that_was_written(name: str, tmp_path: Path) -> None:
    game: Any = catalogue.load(name)
    write(tmp_path / "a.book", game, tree(game, 2))
    before = list(reader.entries(tmp_path / "a.book", game))
    book = reader.open_book(tmp_path / "a.book", game)
    assert len(before) == len(book)
    for entry in before:
        assert list(book.lookup(entry.state)) == list(entry.moves)
        assert entry.line is not None
        state = game.initial_state()
        for action in entry.line:
            state = game.next_state(state, action)
        assert game.state_to_text(state) == game.state_to_text(entry.state)
    book.close()
    reader.write_book(tmp_path / "b.book", game, before)
    after = list(reader.entries(tmp_path / "b.book", game))
    assert by_key(game, after) == by_key(game, before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.book", "b.book"]


def by_key(game: Any, entries: list[BookEntry]) -> dict[int, list[Any]]:
    """The moves of each position, as the book writes them."""
    places = Places(game)
    found = {}
    for entry in entries:
        place = places.of(entry.state)
        found[place.key] = sorted(
            (place.to_book(move.action), repr(replace(move, action=None))) for move in entry.moves
        )
    return found


def test_positions_without_a_line_are_found_by_their_text(tmp_path: Path) -> None:
    game: Any = catalogue.load("chess")
    state = game.state_from_text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    move = BookMove(game.text_to_action(state, "e2e4"), 1.0)
    reader.write_book(tmp_path / "a.book", game, [BookEntry(state, [move])])
    (entry,) = reader.entries(tmp_path / "a.book", game)
    assert (entry.state.position, list(entry.moves), entry.line) == (state.position, [move], None)


def test_counts_add_up_and_rules_read_them(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    state = game.initial_state()
    with StoreWriter(tmp_path / "a.book", game) as writer:
        writer.add(state, [BookMove(4, 0.0, wins=1), BookMove(0, 0.0, draws=1), BookMove(1, 3.0)])
        writer.commit()
        writer.add(state, [BookMove(4, 0.0, wins=2, losses=1), BookMove(8, 0.0, draws=2)])
        writer.set_rules(WeightRules(Weighting.score, 2))
        writer.commit()
    moves = open_book(tmp_path / "a.book", game).lookup(state)
    assert [(move.weight, move.wins, move.draws, move.losses) for move in moves] == [
        (3.0, 3, 0, 1),
        (3.0, 0, 0, 0),
        (1.5, 0, 3, 0),
    ]
    with StoreWriter(tmp_path / "a.book", game) as writer:
        writer.set_rules(WeightRules(Weighting.count, 4))
        writer.put(state, [BookMove(4, 0.0, wins=9), BookMove(0, 1.0, draws=1)])
        writer.commit()
    moves = open_book(tmp_path / "a.book", game).lookup(state)
    assert [(move.weight, move.games if hasattr(move, "games") else move.wins) for move in moves] == [
        (2.0, 0),
        (0.0, 9),
    ]


def test_what_is_not_committed_is_not_there(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    with StoreWriter(tmp_path / "a.book", game) as writer:
        writer.add(game.initial_state(), [BookMove(4, 1.0)])
    assert open_book(tmp_path / "a.book", game).lookup(game.initial_state()) == ()


def test_an_open_book_learns_of_sources_that_come_into_the_file(tmp_path: Path) -> None:
    game = catalogue.load("tic_tac_toe")
    start, file = game.initial_state(), tmp_path / "own.book"
    with StoreWriter(file, game) as writer:
        writer.put(start, [BookMove(4, 1.0, source="first")])
        writer.commit()
        with closing(open_book(file, game)) as book:
            assert [move.source for move in book.lookup(start)] == ["first"]
            writer.put(start, [BookMove(4, 1.0, source="second")])
            writer.commit()
            assert [move.source for move in book.lookup(start)] == ["second"]


def test_a_book_answers_under_other_rules_of_the_same_positions(tmp_path: Path) -> None:
    go: Any = catalogue.load("go:5,komi=5.5")
    write(tmp_path / "a.book", go, {go.initial_state(): [BookMove(12, 1.0)]})
    book = open_book(tmp_path / "a.book", catalogue.load("go:5,komi=0,ko=simple"))
    assert [move.action for move in book.lookup(go.initial_state())] == [12]


def test_a_read_only_folder_does_for_reading(chess_book: Path, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    shutil.copy(chess_book, folder / "a.book")
    os.chmod(folder / "a.book", 0o444)
    os.chmod(folder, 0o555)
    try:
        game: Any = catalogue.load("chess")
        book = open_book(folder / "a.book", game)
        assert book.lookup(game.initial_state())
        assert [path.name for path in folder.iterdir()] == ["a.book"]
        book.close()
    finally:
        os.chmod(folder, 0o755)


def patched(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.unlink(), "No such file"),
        (lambda path: (path.unlink(), path.mkdir()), "a folder"),
        (lambda path: path.write_bytes(b""), "not a book store"),
        (lambda path: path.write_bytes(b"abc" * 5000), "not a book store"),
        (lambda path: os.truncate(path, 8192), "damaged or cut short"),
        (lambda path: os.truncate(path, 50), "not a book store"),
        (lambda path: patched(path, 68, b"\0\0\0\1"), "not a book store"),
        (lambda path: patched(path, 60, b"\0\0\0\7"), "version 7"),
        (lambda path: patched(path, 100, b"\xff" * 200), "damaged"),
    ],
)
def test_a_wrong_file_is_one_line(damage: Any, words: str, chess_book: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    shutil.copy(chess_book, path)
    damage(path)
    with pytest.raises(BookError) as raised:
        reader.open_book(path, catalogue.load("chess"))
    assert str(path) in str(raised.value)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_another_database_is_neither_read_nor_written(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "a.book")
    database.execute("CREATE TABLE mine (x)")
    database.commit()
    database.close()
    before = (tmp_path / "a.book").read_bytes()
    for use in (reader.open_book, StoreWriter):
        with pytest.raises(BookError, match="not a book store"):
            use(tmp_path / "a.book", catalogue.load("chess"))
    assert (tmp_path / "a.book").read_bytes() == before


def test_another_game_is_refused(chess_book: Path) -> None:
    for use in (reader.open_book, StoreWriter):
        with pytest.raises(BookError, match="a book of chess, not of chess:chess960=true"):
            use(chess_book, catalogue.load("chess:chess960=true"))
    with pytest.raises(BookError, match="not of go:9"):
        reader.open_book(chess_book, catalogue.load("go:9"))


def test_a_damaged_page_silences_the_book_once(
    chess_book: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    game: Any = catalogue.load("chess")
    path = tmp_path / "a.book"
    shutil.copy(chess_book, path)
    states = list(tree(game, 1, 400))
    database = sqlite3.connect(path)
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    top = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'position'").fetchone()[0]
    database.close()
    book = reader.open_book(path, game)
    for page in range(2, pages + 1):
        if page == top or page > pages // 2:
            patched(path, (page - 1) * 4096, random.Random(page).randbytes(4096))
    with caplog.at_level(logging.WARNING):
        answers = [book.lookup(state) for state in states]
    assert answers[-1] == ()
    assert len([record for record in caplog.records if str(path) in record.getMessage()]) == 1
    with pytest.raises(BookError, match=r"damaged|closed"):
        list(reader.entries(path, game))


@pytest.mark.long
def test_random_damage_never_raises_but_book_errors(chess_book: Path, tmp_path: Path) -> None:
    game: Any = catalogue.load("chess")
    states = list(tree(game, 1, 60))
    whole = chess_book.read_bytes()
    path = tmp_path / "a.book"
    for seed in range(12):
        rng = random.Random(seed)
        data = bytearray(whole)
        for _ in range(rng.choice((1, 10, 300))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(len(data))] if seed % 3 == 0 else data)
        try:
            book = reader.open_book(path, game)
        except BookError as error:
            assert "\n" not in str(error)
            continue
        for state in states:
            for move in book.lookup(state):
                assert move.action in game.legal_actions(state)
        book.close()
        try:
            list(reader.entries(path, game))
        except BookError as error:
            assert "\n" not in str(error)


def test_a_move_that_is_not_legal_is_named(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    state = game.next_state(game.initial_state(), 4)
    write(tmp_path / "a.book", game, {game.initial_state(): [BookMove(4, 1.0)], state: [BookMove(4, 1.0)]})
    with pytest.raises(BookError, match="4 is not legal at 3/1x1/3 o"):
        list(reader.entries(tmp_path / "a.book", game))


def test_actions_that_are_no_numbers_are_kept_as_texts(tmp_path: Path) -> None:
    module = tmp_path / "nim.py"
    module.write_text(
        """
class Nim:
    name = "nim"
    def initial_state(self): return (3, 0)
    def current_player(self, s): return s[1]
    def legal_actions(self, s): return [("take", n) for n in (1, 2) if n <= s[0]]
    def next_state(self, s, a): return (s[0] - a[1], 1 - s[1])
    def returns(self, s): return None if s[0] else ((-1.0, 1.0) if s[1] == 0 else (1.0, -1.0))
""",
        encoding="utf-8",
    )
    game: Any = catalogue.load(f"{module}:Nim")
    write(tmp_path / "a.book", game, {(3, 0): [BookMove(("take", 2), 2.0)], (1, 1): [BookMove(("take", 1), 1.0)]})
    book = open_book(tmp_path / "a.book", game)
    assert [move.action for move in book.lookup((3, 0))] == [("take", 2)]
    assert [(entry.state, entry.line) for entry in reader.entries(tmp_path / "a.book", game)] == [
        ((3, 0), ()),
        ((1, 1), (("take", 2),)),
    ]


def test_two_writers_number_their_sources_apart(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    state = game.initial_state()
    with StoreWriter(tmp_path / "a.book", game) as one, StoreWriter(tmp_path / "a.book", game) as other:
        one.add(state, [BookMove(4, 2.0, source="one")])
        other.add(state, [BookMove(0, 1.0, source="other")])
        one.commit()
        other.commit()
    book = open_book(tmp_path / "a.book", game)
    assert [(move.action, move.source) for move in book.lookup(state)] == [(4, "one"), (0, "other")]


def test_the_mark_of_stores_is_its_letters() -> None:
    assert APPLICATION.to_bytes(4, "big") == b"plbk"


def test_a_writer_whose_file_was_replaced_says_so(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    path = tmp_path / "a.book"
    write(path, game, {game.initial_state(): [BookMove(4, 1.0)]})
    with StoreWriter(path, game) as writer:
        reader.write_book(path, game, [BookEntry(game.initial_state(), [BookMove(0, 1.0)])])
        writer.put(game.initial_state(), [BookMove(1, 1.0)])
        with pytest.raises(BookError, match="another file has taken its place"):
            writer.commit()
    assert [move.action for move in open_book(path, game).lookup(game.initial_state())] == [0]


def crash(path: Path) -> None:
    subprocess.run([sys.executable, "-c", CRASH, str(path)], check=True, timeout=PATIENCE)
    assert Path(f"{path}-journal").exists()


def test_a_book_whose_file_was_replaced_is_opened_again_where_it_must(chess_book: Path, tmp_path: Path) -> None:
    """The journal at this path does not belong to the file that is open."""
    game: Any = catalogue.load("chess")
    path = tmp_path / "a.book"
    write(path, game, {game.initial_state(): [BookMove(1804, 1.0)]})
    book = open_book(path, game)
    assert len(book.lookup(game.initial_state())) == 1
    shutil.copy(chess_book, tmp_path / "b.book")
    os.replace(tmp_path / "b.book", path)
    crash(path)
    assert book.lookup(game.initial_state()) == open_book(chess_book, game).lookup(game.initial_state())


def test_a_book_that_is_being_written_answers_later(
    chess_book: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_file, "READ_TIMEOUT", 0.01)
    game: Any = catalogue.load("chess")
    path = tmp_path / "a.book"
    shutil.copy(chess_book, path)
    book = open_book(path, game)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    assert book.lookup(game.initial_state()) == ()
    with pytest.raises(BookError, match="another process is writing it"):
        reader.open_book(path, game)
    writer.execute("ROLLBACK")
    writer.close()
    assert book.lookup(game.initial_state())
    assert caplog.records == []


def test_what_a_crash_left_does_not_meet_the_next_file(chess_book: Path, tmp_path: Path) -> None:
    game: Any = catalogue.load("chess")
    path = tmp_path / "a.book"
    shutil.copy(chess_book, path)
    crash(path)
    assert path.read_bytes() != chess_book.read_bytes()
    shutil.copytree(tmp_path, tmp_path / "copy")
    # Who may write undoes it, and reads what was there before.
    book = open_book(tmp_path / "copy" / "a.book", game)
    assert book.lookup(game.initial_state()) == open_book(chess_book, game).lookup(game.initial_state())
    assert [one.name for one in (tmp_path / "copy").iterdir()] == ["a.book"]
    reader.write_book(path, game, [BookEntry(game.initial_state(), [BookMove(1804, 1.0)])])
    assert [move.action for move in open_book(path, game).lookup(game.initial_state())] == [1804]
    assert not (tmp_path / "a.book-journal").exists()
