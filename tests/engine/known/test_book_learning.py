"""Books learn from finished games."""

from __future__ import annotations

import queue
import time
from pathlib import Path
from typing import Any

import pytest

from playout.engine.known.session_books import Books
from playout.engine.options.table import Options
from playout.engine.session import Session
from playout.engine.terms.line import Line
from playout.games import catalogue
from playout.games.errors import BookError
from playout.protocols.gtp.protocol import Gtp
from playout.protocols.uci.uci import Uci

from ...patience import PATIENCE
from .book_desk import Words, book, learned

pytestmark = pytest.mark.usefixtures("words")


def test_a_finished_game_flows_back_once(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 1"), BookLearn=True)
    game = ["a1", "b1", "a2", "b2", "a3"]
    for word in game:
        d.play(word)
    d.set_position(None, game)
    assert learned(d) == [(game, 1.0)]
    d.new_game()
    d.set_position(None, game[:4])
    d.new_game()
    assert len(learned(d)) == 1, "nobody knows how that game ended"
    d.set_option("BookDepth", "2")
    d.set_position(None, game)
    assert learned(d)[1:] == [(game[:2], 1.0)]
    d.new_game()
    d.set_option("BookLearn", "false")
    d.set_position(None, game)
    assert len(learned(d)) == 2


def test_uci_learns_of_the_end_by_its_own_move(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = Session(catalogue.load("tic_tac_toe"), post=events.put)
    try:
        uci = Uci(session)
        for line in (
            f"setoption name BookFile value {book(tmp_path, 'one', ': b2 1')}",
            "setoption name BookLearn value true",
            "position startpos moves a1 b1 a2 b2",
            "go nodes 300",
        ):
            uci.handle_line(line, time.monotonic())
        while uci.busy:
            uci.handle_event(events.get(timeout=PATIENCE))
        assert session.books._books[0].learned == [(["a1", "b1", "a2", "b2", "a3"], 1.0)]  # type: ignore[attr-defined]
    finally:
        session.close()


def test_gtp_learns_of_a_resignation(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = Session(catalogue.load("tic_tac_toe"), post=events.put)
    try:
        gtp = Gtp(session)
        path = book(tmp_path, "one", ": b2 1")
        for line in (
            f"playout-set_option BookFile {path}",
            "playout-set_option BookLearn true",
            "playout-set_option Resign 1",
            "playout-set_option MaxNodes 500",
            *("play b a1", "play w b1", "play b b2", "genmove w"),
        ):
            gtp.handle_line(line, time.monotonic())
        while gtp.busy:
            replies = gtp.handle_event(events.get(timeout=PATIENCE))
        assert "= resign" in replies
        assert session.books._books[0].learned == [(["a1", "b1", "b2"], 1.0)]  # type: ignore[attr-defined]
    finally:
        session.close()


def test_a_book_without_learning_learns_nothing_and_one_that_fails_says_so(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Words, moves: Any, result: float) -> None:
        raise BookError("one.words: disk full")

    monkeypatch.setattr(Words, "learn", refuse)
    d = desk(BookFile=book(tmp_path, "one", ": b2 1"), BookLearn=True)
    d.set_position(None, ["a1", "b1", "a2", "b2", "a3"])
    assert d.session.remarks() == ("the game is not learned: one.words: disk full",)
    monkeypatch.delattr(Words, "learn")
    books = Books()
    books.prepare(d.session.game, Options("tic_tac_toe"))
    books.learn(Line.start(d.session.game).played(d.session.game, "a1"), 1.0, Options("tic_tac_toe"))
    assert books.remarks() == (
        "BookLearn: the game is not learned: BookFile names no store (NAME.book) of your own; "
        "playout book convert shipped mine.book --game tic_tac_toe makes one",
    )
    books.learn(Line.start(d.session.game).played(d.session.game, "a1"), 1.0, Options("tic_tac_toe"))
    assert books.remarks() == ()
