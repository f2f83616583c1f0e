"""Hints of books and macros for the search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playout.books.base.book import BookMove
from playout.engine.known.asked_books import MOST_COUNT

from .book_desk import Asker, Words, book

pytestmark = pytest.mark.usefixtures("words")


def test_hints_have_the_results_of_the_book_and_ban_what_only_lost(desk: Any, tmp_path: Path) -> None:
    rows = [": b2 3 6 3 1", ": a1 0 0 0 5", ": b1 0 1 0 5", "a1: b2 0 0 0 4", "b2: a1 1", "b2 a1: c3 1 900 0 100"]
    d = desk(BookFile=book(tmp_path, "one", *rows))
    d.move()
    books = Asker(d.session)
    assert books.known() == {"b2": (3, 10, 0.5, False), "a1": (0, 5, -1.0, True)}
    assert books.known("b2") == {"a1": (1, 0, 0.0, False)}
    assert books.known("b2", "a1") == {"c3": (1, MOST_COUNT, 0.8, False)}
    assert books.known("a1") == {} != books.keys


def test_a_searched_value_goes_before_results(desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [
        BookMove(4, 1.0, losses=3, value=0.25),
        BookMove(0, 0.0, losses=3, value=-0.5),
        BookMove(1, 0.0, value=-1.0),
    ]
    d = desk(BookFile=book(tmp_path, "one", ": b2 1"))
    d.move("b2")
    monkeypatch.setattr(Words, "lookup", lambda *_: known)
    assert Asker(d.session).known() == {"b2": (1, MOST_COUNT, 0.25, False), "b1": (0, MOST_COUNT, -1.0, True)}


def test_the_search_seeds_and_bans_by_the_book(desk: Any, tmp_path: Path) -> None:
    edges = ("b2", "a3", "c3")
    rows = [f"a1 b1: {edge} 0 0 0 9" for edge in edges]
    d = desk(BookFile=book(tmp_path, "one", *rows), Solver=False)
    assert d.move("a1 b1", nodes=300).reason == "nodes"
    d.set_option("BookFile", "")
    free = {move.move: move.visits for move in d.move("a1 b1", nodes=300).moves}
    d.new_game()
    d.set_option("BookFile", book(tmp_path, "two", *rows))
    banned = {move.move: move.visits for move in d.move("a1 b1", nodes=300).moves}
    assert all(banned.get(edge, 0) <= 1 for edge in edges)
    assert sum(free[edge] for edge in edges) > 30


def test_a_search_with_books_and_macros_repeats(desk: Any, tmp_path: Path) -> None:
    path = book(tmp_path, "one", "b2: a1 1 5 1 1", "b2 a1: c3 1")

    def visits() -> list[tuple[str, int]]:
        d = desk(BookFile=path, Macros=True, Seed=4)
        return [(move.move, move.visits) for move in d.move("b2 b3", nodes=500).moves]

    assert visits() == visits()


def test_macros_guide_the_search_and_end_with_the_option(desk: Any) -> None:
    def hints() -> dict[str, float]:
        d.move("a1 b2 a2", nodes=50)
        return {hint.move: hint.weight for hint in d.session.searcher().hints()}

    d = desk(Macros=True)
    assert hints()["a3"] == 100
    d.set_option("Macros", "false")
    assert hints() == {}


def test_a_macro_that_fails_costs_one_line(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.books.macros.ladders.Ladder.move", lambda *_: 1 / 0)
    d = desk("go:5", Macros=True)
    result = d.move()
    assert (result.reason, result.remarks) == ("nodes", ("macros are not used: ZeroDivisionError: division by zero",))
    assert d.move("C3").remarks == ()


@pytest.mark.long
def test_only_moves_leave_no_other(desk: Any) -> None:
    d = desk("chess", Macros=True)
    d.set_position("8/8/8/8/4R3/2K2k2/8/8 w - - 0 1", [])
    plies = 0
    while d.session.game.returns(d.session.state) is None:
        d.play(d.think(nodes=5).move or "")
        plies += 1
    assert plies <= 21
    assert d.session.game.returns(d.session.state) == (1.0, -1.0)
