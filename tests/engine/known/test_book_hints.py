"""Hints of books and macros for the search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from playout.books.base.book import BookMove
from playout.engine.known.guidance import MACRO_POSITIONS, MOST_COUNT
from playout.games import catalogue
from playout.games.game import CHANCE, text_to_action

from .book_desk import Words, book, entries

pytestmark = pytest.mark.usefixtures("words")


def test_hints_have_the_results_of_the_book_and_ban_what_only_lost(desk: Any, tmp_path: Path) -> None:
    rows = [": b2 3 6 3 1", ": a1 0 0 0 5", ": b1 0 1 0 5", "a1: b2 0 0 0 4", "b2: a1 1", "b2 a1: c3 1 900 0 100"]
    d = desk(BookFile=book(tmp_path, "one", *rows))
    hints = entries(d.session)
    assert set(hints) == {(), ("b2",), ("b2", "a1")}
    assert set(hints[()]) == {"b2", "a1"}
    best, lost = hints[()]["b2"], hints[()]["a1"]
    assert (best.visits, best.value, best.banned) == (10, 0.5, False)
    assert (lost.weight, lost.banned) == (0, True)
    long = hints["b2", "a1"]["c3"]
    assert (long.visits, long.value) == (MOST_COUNT, 0.8)


@pytest.mark.parametrize("policy", ["ucb1", "puct", "rave"])
def test_a_book_is_known_after_moves_that_it_does_not_have(desk: Any, tmp_path: Path, policy: str) -> None:
    rows = ["a1: b2 1000", "a1 b2: b3 1"]
    d = desk(BookFile=book(tmp_path, "one", *rows), TreePolicy=policy, Symmetries=False, Solver=False)
    assert set(entries(d.session)) == {("a1",), ("a1", "b2")}
    assert d.move(nodes=100, root_moves=["a1"]).reason == "nodes"
    (reply,) = [node for node in d.tree(2).children if node.move == "a1"]
    hinted = next(node for node in reply.children if node.move == "b2")
    assert hinted.visits >= 50


def test_a_book_of_backgammon_is_known_after_any_play(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game: Any = catalogue.load("backgammon")
    state = game.initial_state()
    for text in ("31", "24/23,24/21", "64"):
        state = game.next_state(state, text_to_action(game, state, text))
    known = [BookMove(game.legal_actions(state)[0], 5.0)]
    monkeypatch.setattr(Words, "lookup", lambda _, other: known if other == state else [])
    d = desk("backgammon", BookFile=book(tmp_path, "one"))
    assert [words[-1] for words in entries(d.session, "31")] == ["64"]


def test_a_searched_value_goes_before_results(desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [
        BookMove(4, 1.0, losses=3, value=0.25),
        BookMove(0, 0.0, losses=3, value=-0.5),
        BookMove(1, 0.0, value=-1.0),
    ]
    d = desk(BookFile=book(tmp_path, "one"))
    monkeypatch.setattr(Words, "lookup", lambda _, state: known if state == d.session.game.initial_state() else [])
    hints = entries(d.session)[()]
    assert {(hint.move, hint.visits, hint.value, hint.banned) for hint in hints.values()} == {
        ("b2", MOST_COUNT, 0.25, False),
        ("b1", MOST_COUNT, -1.0, True),
    }


def test_the_search_seeds_and_bans_by_the_book(desk: Any, tmp_path: Path) -> None:
    rows = ["b2: b1 0 0 0 9", "b2: c2 0 0 0 9", "b2: a2 0 0 0 9", "b2: b3 0 0 0 9"]
    d = desk(BookFile=book(tmp_path, "one", *rows), Symmetries=False, Solver=False)
    assert d.move("b2", nodes=300).reason == "nodes"
    d.set_option("BookFile", "")
    free = {move.move: move.visits for move in d.move("b2", nodes=300).moves}
    d.new_game()
    d.set_option("BookFile", book(tmp_path, "two", *rows))
    banned = {move.move: move.visits for move in d.move("b2", nodes=300).moves}
    assert all(banned.get(edge, 0) <= 1 for edge in ("b1", "c2", "a2", "b3"))
    assert sum(free[edge] for edge in ("b1", "c2", "a2", "b3")) > 4


def test_a_search_with_books_and_macros_repeats(desk: Any, tmp_path: Path) -> None:
    path = book(tmp_path, "one", "b2: a1 1 5 1 1", "b2 a1: c3 1")

    def visits() -> list[tuple[str, int]]:
        d = desk(BookFile=path, Macros=True, Seed=4)
        return [(move.move, move.visits) for move in d.move("b2 b3", nodes=500).moves]

    assert visits() == visits()


def test_macros_guide_the_search_and_end_with_the_option(desk: Any) -> None:
    d = desk(Macros=True)
    hints = entries(d.session, "a1", "b2", "a2")
    assert hints["a1", "b2", "a2"]["a3"].weight == 100
    assert "a3" in hints["a1", "b2", "a2", "c3"]
    d.set_option("Macros", "false")
    assert entries(d.session, "a1", "b2", "a2") == {}


def test_a_macro_that_fails_costs_one_line(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.books.macros.ladders.Ladder.move", lambda *_: 1 / 0)
    d = desk("go:5", Macros=True)
    result = d.move()
    assert (result.reason, result.remarks) == ("nodes", ("macros are not used: ZeroDivisionError: division by zero",))
    assert d.move("C3").remarks == ()


@pytest.mark.long
def test_only_moves_leave_no_other(desk: Any) -> None:
    d = desk("chess", Macros=True)
    d.set_position("8/8/8/4k3/8/8/8/KR6 w - - 0 1", [])
    plies = 0
    while d.session.game.returns(d.session.state) is None:
        d.play(d.think(nodes=5).move or "")
        plies += 1
    assert plies <= 31
    assert d.session.game.returns(d.session.state) == (1.0, -1.0)


def test_the_walk_is_bounded_and_its_lines_are_legal(desk: Any) -> None:
    for game, moves in (("hex:11", ["f6", "d4", "e8", "h3"]), ("go:9", ["E5", "D5"]), ("tic_tac_toe", ["b2"])):
        d = desk(game, Macros=True)
        hints = entries(d.session, *moves)
        assert len(hints) <= MACRO_POSITIONS + 1
        d.set_option("MaxNodes", "5")
        assert d.move(" ".join(moves)).remarks == ()


def test_dice_have_no_hints(desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = catalogue.load("backgammon")

    def lookup(_: Words, state: Any) -> Sequence[BookMove]:
        assert game.current_player(state) != CHANCE
        return [BookMove(game.legal_actions(state)[0], 1.0)]

    monkeypatch.setattr(Words, "lookup", lookup)
    d = desk("backgammon", BookFile=book(tmp_path, "one"))
    monkeypatch.setattr("playout.engine.known.guidance.MOST_POSITIONS", 400)
    hints = entries(d.session)
    assert len(hints) > 100
    for words in list(hints)[::20]:
        state = game.initial_state()
        for word in words:
            state = game.next_state(state, text_to_action(game, state, word))
        assert game.current_player(state) != CHANCE
