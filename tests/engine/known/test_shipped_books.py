"""The books that come with the package: every file that is there, and how sessions use them."""

from __future__ import annotations

import queue
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import playout
from playout.books import formats, shipped
from playout.books.base.canonical import Places, book_name
from playout.books.formats import BookError, open_book
from playout.books.shipped import FOLDER, SHIPPED, ShippedBook, shipped_files
from playout.books.store.reader import decisions
from playout.engine.exact.solving import solve
from playout.engine.session import Session
from playout.games import catalogue
from playout.games.support.backgammon.position_id import position_id
from playout.protocols.uci.uci import Uci

from ...patience import PATIENCE

MOST_BYTES = 20_000_000
SOURCES = Path(__file__).parents[3] / "books" / "sources"
"""They are in the repository, not in the package."""
STORES = [book for book in SHIPPED if book.path.suffix == ".book"]

OWN, OTHER = (10, 3, 2, *[0] * 23), (9, 1, 3, 2, *[0] * 22)
BEAR_OFF = f"{position_id(OWN, OTHER)} 0 21"
"""All checkers at home, few enough for the two-sided table."""


def name_of(book: ShippedBook) -> str:
    return book.file


class Desk(playout.Engine):
    """An engine with little memory."""

    def __init__(self, game: str, **options: Any) -> None:
        super().__init__(game, hash=16, **options)

    def move(self, *moves: str, text: str | None = None) -> playout.Result:
        """The engine's result after ``moves``."""
        self.set_position(text, moves)
        return self.think(nodes=20)


@pytest.fixture
def desk() -> Iterator[Any]:
    made: list[Desk] = []

    def make(game: str, **options: Any) -> Desk:
        made.append(Desk(game, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of the shipped books for one test."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    return tmp_path


def test_all_files_are_registered_and_small() -> None:
    files = {path.name for path in FOLDER.iterdir() if path.is_file()}
    assert files == {book.file for book in SHIPPED}
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < MOST_BYTES


@pytest.mark.long
@pytest.mark.parametrize("book", SHIPPED, ids=name_of)
def test_a_book_is_sound_and_of_its_game(book: ShippedBook) -> None:
    game = catalogue.load(book.game)
    assert formats.problems(book.path, game) == []
    assert book.path in shipped_files(game)
    assert formats.format_of(book.path).name == "bearoff" or formats.book_game(book.path) == book_name(game)


@pytest.mark.parametrize("book", STORES, ids=name_of)
def test_a_store_answers_the_start_and_stays_as_it_is(book: ShippedBook) -> None:
    """In backgammon the start is each of the opening rolls."""
    before = book.path.read_bytes()
    game: Any = catalogue.load(book.game)
    held = open_book(book.path, game)
    starts = [state for state, _ in decisions(game, game.initial_state(), ())]
    assert starts
    for state in starts:
        moves = held.lookup(state)
        assert moves
        assert moves[0].weight > 0
        assert {move.action for move in moves} <= set(game.legal_actions(state))
    held.close()
    assert book.path.read_bytes() == before


@pytest.mark.long
def test_the_first_player_wins_connect_four_by_the_book_after_eight_plies() -> None:
    """The book wins against any reply. One of the positions to which it leads is solved again."""
    game: Any = catalogue.load("connect_four")
    (file,) = (book.path for book in SHIPPED if book.game == "connect_four")
    places, ahead = Places(game), {0: (game.initial_state(), tuple[str, ...]())}
    with closing(open_book(file, game)) as book:
        for ply in range(8):
            following: dict[int, tuple[Any, tuple[str, ...]]] = {}
            for state, words in ahead.values():
                actions = game.legal_actions(state)
                if ply % 2 == 0:
                    moves = [move for move in book.lookup(state) if move.weight > 0]
                    assert moves and {move.value for move in moves} == {1.0}, words
                    actions = [move.action for move in moves]
                    assert ply > 0 or [game.action_to_text(state, action) for action in actions] == ["d"]
                for action in actions:
                    after = game.next_state(state, action)
                    if game.returns(after) is None:
                        words_then = (*words, game.action_to_text(state, action))
                        following[places.of(after).key] = (after, words_then)
            ahead = following
    assert len(ahead) > 1000
    lines = sorted(words for _, words in ahead.values())
    for words in random.Random(3).sample(lines, 1):
        assert solve(game, moves=words).value == 1.0, words


def test_what_an_engine_refuted_is_answered_and_never_played() -> None:
    """The list of which the chess book was made."""
    game = catalogue.load("chess")
    with closing(open_book(FOLDER / "chess.book", game)) as held:
        for entry in formats.entries(SOURCES / "chess_never.yaml", game):
            known = {move.action: move.weight for move in held.lookup(entry.state)}
            for move in entry.moves:
                assert known[move.action] == 0 if move.weight == 0 else known[move.action] > 0


def test_the_chess_book_has_weights_and_no_results() -> None:
    """It was made of openings, which the source marks as drawn although they were not played to their ends."""
    moves = [move for entry in formats.entries(FOLDER / "chess.book", catalogue.load("chess")) for move in entry.moves]
    assert len(moves) == 2545
    assert {(move.wins, move.draws, move.losses) for move in moves} == {(0, 0, 0)}
    assert all(move.weight == 0 or move.weight >= 20 for move in moves)


@pytest.mark.parametrize("book", STORES, ids=name_of)
def test_a_session_plays_the_first_move_at_once_and_can_do_without(book: ShippedBook, desk: Any) -> None:
    moves = ("31",) if book.game == "backgammon" else ()
    result = desk(book.game).move(*moves)
    assert (result.reason, result.remarks) == ("book", ())
    assert result.book is not None
    assert result.book.startswith(f"{book.file}: {result.move} weight ")
    for options in ({"OwnBook": "false"}, {"BookFile": ""}):
        assert desk(book.game, **options).move(*moves).reason == "nodes"


def test_uci_names_the_book() -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = Session(catalogue.load("chess"), post=events.put)
    try:
        uci = Uci(session)
        assert "option name BookFile type string default shipped" in uci.handle_line("uci", time.monotonic())
        uci.handle_line("setoption name OwnBook value true", time.monotonic())
        uci.handle_line("go nodes 10", time.monotonic())
        lines = list(uci.handle_event(events.get(timeout=PATIENCE)))
        assert lines[0].startswith("info string book: chess.book: ")
        assert lines[-1].removeprefix("bestmove ") in lines[0]
    finally:
        session.close()


@pytest.mark.parametrize("name", ["hex:3", "connect_four:6", "go:7", "chess:chess960=true", "tests/users/mnk.py:Mnk"])
def test_a_game_without_a_shipped_book_has_none_and_says_nothing(name: str, desk: Any) -> None:
    result = desk(name).move()
    assert (result.reason, result.remarks) == ("nodes", ())
    assert shipped_files(catalogue.load(name)) == []


def test_a_game_of_a_user_that_has_the_name_of_ours_is_another_game() -> None:
    from playout.games.tic_tac_toe import TicTacToe

    class Mine(TicTacToe):
        kernel = None  # type: ignore[assignment]

    assert book_name(Mine()) == "tic_tac_toe"
    assert shipped_files(Mine()) == []


def test_the_shipped_books_stand_among_others(desk: Any, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("game: chess\nlines: [a3 a6]\n", encoding="utf-8")
    first, last = desk("chess", BookFile=f"{own};shipped"), desk("chess", BookFile=f"shipped; {own}")
    assert first.move().move == "a2a3"
    assert last.move().book.startswith("chess.book: ")
    for d in (first, last):
        assert d.move("a2a3").book.startswith("own.yaml: ")
    assert first.move("e2e4").book.startswith("chess.book: ")


@pytest.mark.parametrize("damage", ["missing", "truncated", "other"])
@pytest.mark.parametrize(("name", "file"), [("chess", "chess.book"), ("backgammon", "backgammon.bearoff")])
def test_a_book_that_is_spoilt_costs_one_line(name: str, file: str, damage: str, folder: Path, desk: Any) -> None:
    for book in SHIPPED:
        if damage != "missing" or book.file != file:
            shutil.copy(Path(shipped.__file__).with_name("data") / book.file, folder)
    if damage != "missing":
        whole = (folder / file).read_bytes()
        (folder / file).write_bytes(whole[: len(whole) // 2] if damage == "truncated" else b"x" + whole[1:])
    d = desk(name)
    where = {"text": BEAR_OFF} if name == "backgammon" else {}
    told = [remark for _ in range(3) for remark in d.move(**where).remarks if file in remark]
    assert len(told) == 1
    assert "\n" not in told[0]
    assert d.move(**where).move is not None


def test_the_bear_off_table_plays_and_is_lent_to_the_search(desk: Any) -> None:
    d = desk("backgammon")
    assert d.move(text=BEAR_OFF).book.startswith("backgammon.bearoff: ")
    d.set_option("UCI_AnalyseMode", "true")
    moves = d.move(text=BEAR_OFF).moves
    assert moves
    assert all(move.lower == move.upper for move in moves), "positions of the table are proven"
    d.set_option("OwnBook", "false")
    d.new_game()
    assert any(move.lower != move.upper for move in d.move(text=BEAR_OFF).moves)


def test_learning_without_a_book_of_ones_own_says_what_to_do(tmp_path: Path, desk: Any) -> None:
    before = (FOLDER / "tic_tac_toe.book").read_bytes()
    d = desk("tic_tac_toe", BookLearn="true")
    game = ["a1", "b1", "a2", "b2", "a3"]
    for _ in range(2):
        d.set_position(None, game)
        d.new_game()
    (remark,) = d.session.remarks()
    assert remark.endswith("; playout book convert shipped mine.book --game tic_tac_toe makes one")
    assert (FOLDER / "tic_tac_toe.book").read_bytes() == before
    own = tmp_path / "mine.book"
    shutil.copy(FOLDER / "tic_tac_toe.book", own)
    d.set_option("BookFile", f"shipped;{own}")
    d.set_position(None, game)
    assert d.session.remarks() == ()
    assert own.read_bytes() != before == (FOLDER / "tic_tac_toe.book").read_bytes()


def test_books_are_read_when_they_are_first_asked(monkeypatch: pytest.MonkeyPatch, desk: Any) -> None:
    opened: list[str] = []

    def open_and_note(path: Path, game: Any) -> Any:
        opened.append(path.name)
        return open_book(path, game)

    monkeypatch.setattr(shipped, "open_book", open_and_note)
    d = desk("chess")
    assert opened == []
    for moves in ((), ("e2e4",), ()):
        d.move(*moves)
    assert opened == ["chess.book"]


def test_an_unknown_game_of_a_store_is_an_error() -> None:
    with pytest.raises(BookError, match="a book of chess, not of chess:chess960=true"):
        open_book(FOLDER / "chess.book", catalogue.load("chess:chess960=true"))
