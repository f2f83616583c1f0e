"""Books in play: which are opened, which are asked, what is played."""

from __future__ import annotations

import os
import queue
import sys
import time
import types
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from playout.books.base.book import BookMove
from playout.engine.session import Session
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Clock, Limits
from playout.games import catalogue
from playout.games.game import text_to_action
from playout.protocols.uci.uci import Uci

from ...patience import PATIENCE
from .book_desk import OPENED, Asker, Words, book

pytestmark = pytest.mark.usefixtures("words")


def test_books_are_asked_in_order(desk: Any, tmp_path: Path) -> None:
    one = book(tmp_path, "one", ": b2 1")
    two = book(tmp_path, "two", ": a1 9", "b2: c3 2")
    d = desk(BookFile=f"{one}; {two}")
    assert d.move().book == "one.words: b2 weight 1"
    assert d.move("b2").book == "two.words: c3 weight 2"
    assert d.move("a1").reason == "nodes"
    d.set_option("BookFile", f"{two};{one}")
    assert d.move().move == "a1"
    d.set_option("BookFile", "")
    assert d.move().reason == "nodes"


def test_books_are_opened_when_the_option_or_the_game_changes_and_not_for_every_move(desk: Any, tmp_path: Path) -> None:
    one, two = (book(tmp_path, name, ": b2 1") for name in ("one", "two"))
    d = desk("hex:5", BookFile=one)
    for _ in range(3):
        d.move()
    d.new_game()
    d.set_option("Seed", "5")
    assert OPENED == ["one.words"]
    d.set_option("BookFile", f"{one};{two}")
    assert OPENED == ["one.words", "two.words"]
    d.set_option("BookFile", two)
    assert OPENED[2:] == ["closed one.words"]
    d.session.set_game(catalogue.load("hex:6"))
    assert OPENED[3:] == ["closed two.words", "two.words"]
    d.close()
    assert OPENED[-1] == "closed two.words"


def test_a_book_that_changed_on_disk_is_opened_again(desk: Any, tmp_path: Path) -> None:
    path = book(tmp_path, "one", ": b2 1")
    d = desk(BookFile=path)
    assert d.move().move == "b2"
    os.replace(book(tmp_path, "other", ": a1 1"), path)
    assert d.move().move == "a1"
    assert OPENED == ["one.words", "one.words", "closed one.words"]


@pytest.mark.parametrize("rows", [None, [": b2"], [": z9 1"], ["b2 b2: a1 1"]])
def test_a_book_that_cannot_be_used_costs_one_line_and_the_others_are_used(
    desk: Any, tmp_path: Path, rows: list[str] | None
) -> None:
    bad = str(tmp_path / "bad.words") if rows is None else book(tmp_path, "bad", *rows)
    good = book(tmp_path, "good", ": b2 1")
    d = desk(BookFile=f"{bad};{good}")
    result = d.move()
    assert result.move == "b2"
    (remark,) = result.remarks
    assert remark.startswith("BookFile is not used: ")
    assert bad in remark
    assert d.move().remarks == ()


def test_an_unknown_format_and_a_defect_are_one_line_too(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    d = desk(BookFile=str(tmp_path / "a.doc"))
    assert d.move().remarks[0].count("a.doc") == 1
    path = book(tmp_path, "one", ": b2 1")
    d.set_option("BookFile", path)
    assert d.session.remarks() == ()
    monkeypatch.setattr(Words, "lookup", lambda *_: 1 / 0)
    result = d.move()
    assert result.reason == "nodes"
    assert result.remarks == ("book one.words is not used: ZeroDivisionError: division by zero",)
    assert "Traceback" in caplog.text
    assert d.move().remarks == ()


def test_uci_tells_of_a_bad_book_at_once_and_names_the_book_of_a_move(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = Session(catalogue.load("tic_tac_toe"), post=events.put)
    try:
        uci = Uci(session)
        (line,) = uci.handle_line(f"setoption name BookFile value {tmp_path}/none.words", time.monotonic())
        assert line.startswith("info string BookFile is not used: ")
        path = book(tmp_path, "one", ": b2 1")
        assert list(uci.handle_line(f"setoption name BookFile value {path}", time.monotonic())) == []
        uci.handle_line("go nodes 10", time.monotonic())
        lines = list(uci.handle_event(events.get(timeout=PATIENCE)))
        assert lines[0] == "info string book: one.words: b2 weight 1"
        assert lines[-1] == "bestmove b2"
    finally:
        session.close()


def test_analysis_and_pondering_show_no_book_move(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 1"))
    for limits in ({"infinite": True}, {"ponder": True}):
        events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with closing(Session(catalogue.load("tic_tac_toe"), post=events.put)) as session:
            session.set_option("BookFile", str(d.options["book_file"]))
            session.go(Limits(**limits))
            session.stop()
            while not isinstance(event := events.get(timeout=PATIENCE), SearchResult):
                pass
            assert event.reason != "book"
    d.set_option("UCI_AnalyseMode", "true")
    assert d.move().reason != "book"
    d.set_option("UCI_AnalyseMode", "false")
    assert d.move(clock=Clock(10.0)).reason == "book"
    d.set_option("OwnBook", "false")
    assert d.move().reason != "book"


def test_the_depth_of_books_counts_plies_from_the_start(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 1", "b2: a1 1", "b2 a1: c3 1"), BookDepth=2)
    assert [d.move(moves).reason for moves in ("", "b2", "b2 a1")] == ["book", "book", "nodes"]
    assert Asker(d.session).plies == 2
    d.set_option("BookDepth", "0")
    assert d.move("b2 a1").reason == "book"
    assert Asker(d.session).plies is None


@pytest.mark.long
def test_variety_draws_by_weight_or_evenly_and_repeats_with_the_seed(desk: Any, tmp_path: Path) -> None:
    path = book(tmp_path, "one", ": b2 6", ": a1 2", ": b1 0")

    def drawn(variety: str, seed: int) -> list[str]:
        d = desk(BookFile=path, BookVariety=variety, Seed=seed)
        return [d.move().move for _ in range(100)]

    assert set(drawn("best", 1)) == {"b2"}
    weighted, uniform = Counter(drawn("weighted", 1)), Counter(drawn("uniform", 1))
    assert set(weighted) == set(uniform) == {"b2", "a1"}
    assert 55 <= weighted["b2"] <= 95
    assert 30 <= uniform["b2"] <= 70
    assert drawn("weighted", 2) == drawn("weighted", 2) != drawn("weighted", 3)


def test_a_move_of_no_weight_is_not_played(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 0"))
    assert d.move().reason == "nodes"


def test_tables_are_asked_before_books_and_at_any_depth(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = types.ModuleType("syzygy")
    module.split_paths = lambda text: [Path(part) for part in text.split(os.pathsep)]

    def open_syzygy(paths: Sequence[Path], game: Any, reader: Any) -> Words:
        assert [path.name for path in paths] == ["one", "two"]
        return Words(tmp_path / "tables.words", game)

    module.open_syzygy = open_syzygy
    monkeypatch.setitem(sys.modules, "playout.books.tables.syzygy", module)
    book(tmp_path, "tables", "e2e4: e7e5 1")
    d = desk("chess", BookFile=book(tmp_path, "one", "e2e4: c7c5 1", ": d2d4 1"), BookDepth=1)
    d.set_option("SyzygyPath", f"{tmp_path}/one;{tmp_path}/two")
    assert [d.move(moves).move for moves in ("", "e2e4")] == ["d2d4", "e7e5"]
    assert len(Asker(d.session).keys) == 2, "the search asks tables by itself"
    d.set_option("OwnBook", "false")
    assert [d.move(moves).reason for moves in ("", "e2e4")] == ["nodes", "book"]
    d.set_option("SyzygyPath", "")
    assert d.move("e2e4").reason == "nodes"


def test_of_a_draw_by_the_tables_the_moves_that_keep_it_are_searched(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[str, float | None] = {"a2a3": 0.0, "h2h3": 0.0}

    class Table(Words):
        def lookup(self, state: Any) -> Sequence[BookMove]:
            if state.board.fullmove_number > 1:
                return ()
            return [
                BookMove(text_to_action(self._game, state, move), 1.0, value=value) for move, value in known.items()
            ]

    module: Any = types.ModuleType("syzygy")
    module.split_paths = lambda text: [Path(part) for part in text.split(os.pathsep)]
    module.open_syzygy = lambda _, game, reader: Table(tmp_path / "tables.words", game)
    monkeypatch.setitem(sys.modules, "playout.books.tables.syzygy", module)
    book(tmp_path, "tables", "e2e4: e7e5 1")
    d = desk(
        "chess", BookFile=book(tmp_path, "one", ": d2d4 1"), EvalFile=""
    )  # the two moves have equal priors by hand
    d.set_option("SyzygyPath", str(tmp_path))
    result = d.move("")
    assert (result.reason, {move.move for move in result.moves}) == ("nodes", {"a2a3", "h2h3"})
    del known["a2a3"]
    assert (d.move("").reason, d.move("").move) == ("book", "h2h3")
    known |= {"h2h3": None, "a2a3": None}
    assert d.move("").reason == "book"
