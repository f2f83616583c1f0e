"""Polyglot books: python-chess reads what we write, and we read what python-chess does."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path
from typing import Any

import chess
import pytest
from chess import polyglot as peer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.books.base.tree import walk
from playout.books.store import polyglot
from playout.games import catalogue
from playout.games.errors import BookError
from playout.games.game import action_to_text

from ..random_books import random_entries

GAME: Any = catalogue.load("chess")
FRC: Any = catalogue.load("chess:chess960=true,position=7")


def raw(fen: str, moves: list[tuple[str, int, int]]) -> bytes:
    """Entries as the format describes them, made without playout."""
    board = chess.Board(fen)
    found = b""
    for text, weight, learn in moves:
        move = chess.Move.from_uci(text)
        number = move.to_square | move.from_square << 6 | ((move.promotion or 1) - 1) << 12
        found += struct.pack(">QHHI", peer.zobrist_hash(board), number, weight, learn)
    return found


def standard(state: Any) -> chess.Board:
    return chess.Board(state.board.fen(en_passant="fen"))


def known(book: Any, game: Any, state: Any) -> dict[str, tuple[float, int]]:
    return {action_to_text(game, state, move.action): (move.weight, move.learn) for move in book.lookup(state)}


@pytest.mark.long
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32))
def test_python_chess_reads_the_same(tmp_path: Path, seed: int) -> None:
    """At every position of the book, and at those next to them."""
    rng = random.Random(seed)
    entries = random_entries(GAME, rng, 6, 24)
    file = tmp_path / "book.bin"
    polyglot.write_book(file, GAME, entries)
    book = polyglot.open_book(file, GAME)
    expected = {Places(GAME).of(entry.state).key: entry for entry in entries}
    with peer.open_reader(file) as reader:
        rows = [(entry.key, -entry.weight) for entry in reader]
        assert rows == sorted(rows)
        assert len(rows) == sum(len(entry.moves) for entry in entries)
        states = [entry.state for entry in entries]
        states += [GAME.next_state(one.state, one.moves[0].action) for one in entries]
        for state in states:
            theirs = {
                entry.move.uci(): (float(entry.weight), entry.learn)
                for entry in reader.find_all(standard(state), minimum_weight=0)
            }
            if GAME.returns(state) is None:
                assert known(book, GAME, state) == theirs
            entry = expected.get(Places(GAME).of(state).key)
            if entry is not None and entry.state == state:
                assert sorted(theirs) == sorted(action_to_text(GAME, state, move.action) for move in entry.moves)
                for move in entry.moves:
                    weight, learn = theirs[action_to_text(GAME, state, move.action)]
                    assert (weight > 0) == (move.weight > 0)
                    assert learn == max(move.learn, 0)
    book.close()
    assert book.lookup(GAME.initial_state()) == ()


SPECIAL = [
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", {"e1g1": "e1h1", "e1c1": "e1a1"}),
    ("r3k2r/8/8/8/8/8/8/R3K2R b kq - 0 1", {"e8g8": "e8h8", "e8c8": "e8a8"}),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", {"e5d6": "e5d6", "e5e6": "e5e6"}),
    ("8/3P2k1/8/8/8/8/8/4K3 w - - 0 1", {"d7d8q": "d7d8q", "d7d8n": "d7d8n"}),
]


@pytest.mark.parametrize(("fen", "moves"), SPECIAL)
def test_castling_en_passant_and_promotion(fen: str, moves: dict[str, str], tmp_path: Path) -> None:
    state = GAME.state_from_text(fen)
    entry = BookEntry(state, [BookMove(GAME.text_to_action(state, text), 1.0) for text in moves])
    file = tmp_path / "book.bin"
    polyglot.write_book(file, GAME, [entry])
    written = file.read_bytes()
    expected = raw(fen, [(text, 1, 0) for text in moves.values()])
    assert sorted(written[at : at + 16] for at in range(0, len(written), 16)) == sorted(
        expected[at : at + 16] for at in range(0, len(expected), 16)
    )
    book = polyglot.open_book(file, GAME)
    assert known(book, GAME, state) == dict.fromkeys(moves, (1.0, 0))


def test_castling_of_the_kings_two_squares_is_read(tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    fen = SPECIAL[0][0]
    file.write_bytes(raw(fen, [("e1g1", 1, 0)]))
    book = polyglot.open_book(file, GAME)
    assert known(book, GAME, GAME.state_from_text(fen)) == {"e1g1": (1.0, 0)}


def test_chess960(tmp_path: Path) -> None:
    entries = random_entries(FRC, random.Random(3), 8, 30)
    file = tmp_path / "book.bin"
    polyglot.write_book(file, FRC, entries)
    book = polyglot.open_book(file, FRC)
    castled = 0
    for entry in entries:
        with peer.open_reader(file) as reader:
            theirs = {one.move.uci() for one in reader.find_all(entry.state.board, minimum_weight=0)}
        assert set(known(book, FRC, entry.state)) == theirs
        castled += any(entry.state.board.is_castling(chess.Move.from_uci(text)) for text in theirs)
    assert castled > 0


@pytest.mark.parametrize(
    ("weights", "written"),
    [
        ([3, 1, 0], [3, 1, 0]),
        ([65535, 1], [65535, 1]),
        ([65536, 32768, 1, 0], [65535, 32768, 1, 0]),
        ([0.75, 0.25], [65535, 21845]),
        ([1e20, 1e-20], [65535, 1]),
        ([0.0], [0]),
    ],
)
def test_weights_fit_into_sixteen_bits(weights: list[float], written: list[int], tmp_path: Path) -> None:
    state = GAME.initial_state()
    moves = [BookMove(action, float(one)) for action, one in zip(GAME.legal_actions(state), weights, strict=False)]
    polyglot.write_book(tmp_path / "book.bin", GAME, [BookEntry(state, moves)])
    with peer.open_reader(tmp_path / "book.bin") as reader:
        assert [entry.weight for entry in reader] == written


def test_illegal_moves_are_left_out_and_found_by_a_check(tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    key = peer.zobrist_hash(chess.Board())
    none = b"".join(struct.pack(">QHHI", key, number, 1, 0) for number in (0, 0x7000 | 12 << 6 | 28))
    file.write_bytes(raw(chess.STARTING_FEN, [("e2e5", 9, 0), ("e2e4", 1, 0)]) + none)
    book = polyglot.open_book(file, GAME)
    assert known(book, GAME, GAME.initial_state()) == {"e2e4": (1.0, 0)}
    found = polyglot.problems(file, GAME)
    assert [line.partition(" at ")[0] for line in found] == [
        f"{file}, entry 0: illegal move 'e2e5'",
        f"{file}, entry 2: illegal move '0000'",
        f"{file}, entry 3: illegal move '0x731c'",
    ]
    fen = SPECIAL[3][0]
    key = peer.zobrist_hash(chess.Board(fen))
    file.write_bytes(b"".join(struct.pack(">QHHI", key, part << 12 | 51 << 6 | 59, 1, 0) for part in range(8)))
    state = GAME.state_from_text(fen)
    assert set(known(polyglot.open_book(file, GAME), GAME, state)) == {"d7d8n", "d7d8b", "d7d8r", "d7d8q"}


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, *(fen for fen, _ in SPECIAL)])
def test_entries_of_any_bits_answer_with_legal_moves(fen: str, tmp_path: Path) -> None:
    """As many of them as python-chess finds, but for promotions to kings and pawns."""
    numbers = [*range(2**12), *random.Random(4).sample(range(2**12, 2**16), 3000)]
    key = peer.zobrist_hash(chess.Board(fen))
    file = tmp_path / "book.bin"
    file.write_bytes(b"".join(struct.pack(">QHHI", key, number, 1, 0) for number in numbers))
    state = GAME.state_from_text(fen)
    moves = known(polyglot.open_book(file, GAME), GAME, state)
    with peer.open_reader(file) as reader:
        theirs = {one.move for one in reader.find_all(chess.Board(fen))}
    assert moves and set(moves) == {one.uci() for one in theirs if one.promotion in (None, 2, 3, 4, 5)}


def test_a_book_that_is_not_sorted(tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    rows = sorted([raw(chess.STARTING_FEN, [("e2e4", 1, 0)]), raw(SPECIAL[3][0], [("d7d8q", 1, 0)])], reverse=True)
    file.write_bytes(b"".join(rows))
    (found,) = polyglot.problems(file, GAME)
    assert found.startswith(f"{file}, entry 1: key ") and "not sorted" in found


def test_a_book_of_one_side_is_walked_through_the_others_replies(tmp_path: Path) -> None:
    states = [GAME.initial_state()]
    for text in ("e2e4", "c7c5", "g1f3", "d7d6"):
        states.append(GAME.next_state(states[-1], GAME.text_to_action(states[-1], text)))
    black = [
        BookEntry(states[at], [BookMove(GAME.text_to_action(states[at], text), 1.0)])
        for at, text in ((1, "c7c5"), (3, "d7d6"))
    ]
    file = tmp_path / "book.bin"
    polyglot.write_book(file, GAME, black)
    found = list(polyglot.entries(file, GAME))
    assert [entry.state for entry in found] == [states[1], states[3]]
    assert [len(entry.line or ()) for entry in found] == [1, 3]
    assert list(walk(polyglot.open_book(file, GAME), GAME)) == []


@pytest.mark.parametrize("size", [1, 15, 17, 1000])
def test_a_file_that_is_cut_off(size: int, tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    file.write_bytes(bytes(size))
    with pytest.raises(BookError, match=rf"book.bin: {size} bytes, no multiple of 16"):
        polyglot.open_book(file, GAME)
    assert len(polyglot.problems(file, GAME)) == 1


def test_files_that_are_no_books(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"nowhere.bin: No such file"):
        polyglot.open_book(tmp_path / "nowhere.bin", GAME)
    with pytest.raises(BookError, match=r"a folder, not a file"):
        polyglot.open_book(tmp_path, GAME)
    with pytest.raises(BookError, match=r"of chess, not of hex:5"):
        polyglot.open_book(tmp_path / "nowhere.bin", catalogue.load("hex:5"))
    file = tmp_path / "empty.bin"
    for content, words in (
        (b"", "empty, not a book"),
        (bytes(16 * 500), "entry 0: nothing but zeros"),
        (random.Random(1).randbytes(16 * 500), "entry 1: keys are not sorted"),
    ):
        file.write_bytes(content)
        with pytest.raises(BookError, match=rf"empty.bin.*{words}"):
            polyglot.open_book(file, GAME)
        assert polyglot.problems(file, GAME)


def test_of_a_large_file_a_sample_is_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "large.bin"
    count = polyglot.WHOLLY_CHECKED * 2
    rows = [polyglot.ENTRY.pack(number << 32 | 1, 796, 1, 0) for number in range(count)]
    file.write_bytes(b"".join(rows))
    assert len(polyglot.open_book(file, GAME).reader) == count
    file.write_bytes(b"".join(rows[: count // 2] + [bytes(16)] * (count // 2)))
    with pytest.raises(BookError, match=rf"large.bin, entry {count // 2}: nothing but zeros"):
        polyglot.open_book(file, GAME)


def test_a_small_book_does_not_feel_what_happens_to_its_file(tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    file.write_bytes(raw(chess.STARTING_FEN, [("e2e4", 1, 0), ("d2d4", 1, 0)]))
    book = polyglot.open_book(file, GAME)
    for size in (16, 0):
        os.truncate(file, size)
        assert len(book.lookup(GAME.initial_state())) == 2


def test_a_mapped_book_whose_size_changes_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyglot, "COPIED", 16)
    file = tmp_path / "book.bin"
    file.write_bytes(raw(chess.STARTING_FEN, [("e2e4", 1, 0), ("d2d4", 1, 0)]))
    book = polyglot.open_book(file, GAME)
    os.truncate(file, 16)
    assert book.lookup(GAME.initial_state()) == ()


def test_a_mapped_book_that_is_written_over_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyglot, "COPIED", 0)
    file = tmp_path / "book.bin"
    file.write_bytes(raw(chess.STARTING_FEN, [("e2e4", 1, 0)]))
    os.utime(file, ns=(0, 0))
    book = polyglot.open_book(file, GAME)
    assert book.lookup(GAME.initial_state())
    with file.open("r+b") as other:
        other.write(raw(chess.STARTING_FEN, [("d2d4", 1, 0)]))
    assert book.lookup(GAME.initial_state()) == ()


def test_a_book_that_is_replaced_stays_the_one_that_was_opened(tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    state = GAME.initial_state()
    polyglot.write_book(file, GAME, [BookEntry(state, [BookMove(GAME.text_to_action(state, "e4"), 1.0)])])
    book = polyglot.open_book(file, GAME)
    polyglot.write_book(file, GAME, [BookEntry(state, [BookMove(GAME.text_to_action(state, "d4"), 1.0)])])
    assert list(known(book, GAME, state)) == ["e2e4"]
    assert list(known(polyglot.open_book(file, GAME), GAME, state)) == ["d2d4"]
