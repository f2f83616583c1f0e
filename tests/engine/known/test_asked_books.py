"""Books in the search: a position of a book is known in whatever order of moves the search comes there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import playout
from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.books.formats import write_book
from playout.games import catalogue
from playout.games.errors import BookError
from playout.games.game import HasSymmetries, text_to_action

from ...api.nim import Nim
from ..tasks import line_of
from .book_desk import Asker, Words, book

pytestmark = pytest.mark.usefixtures("words")

EVEN: Any = {"hash": 16, "seed": 1, "solver": False, "tree_policy": "epsilon-greedy", "greedy_epsilon": 1}
"""A search that visits all moves alike."""

LINES = {
    "tic_tac_toe": ("a1", "b1", "c1", "b2"),
    "connect_four": ("a", "a", "g", "d"),
    "hex:5": ("a1", "b1", "e5", "c3"),
    "go:5": ("A1", "B1", "E5", "C3"),
    "chess": ("a2a3", "a7a6", "h2h3", "e7e5"),
    "backgammon": ("31", "24/23,24/21", "64", "24/14"),
}
"""Moves to a position that the book has, and a sound move there."""


class NamedNim(Nim):
    name = "nim"


def entry(game: Any, words: Sequence[str]) -> BookEntry:
    """The position before the last word, with that move."""
    state = line_of(game, *words[:-1]).state
    return BookEntry(state, [BookMove(text_to_action(game, state, words[-1]), 1000.0, wins=20)])


def below(tree: Any, words: Sequence[str]) -> Any:
    """The node after ``words``."""
    for word in words:
        (tree,) = [child for child in tree.children if child.move == word]
    return tree


def hinted_share(engine: playout.Engine, words: Sequence[str], nodes: int) -> float:
    """Searches after the first word, and returns the last word's share of the simulations at the position before it."""
    first, second, third, hinted = words
    engine.set_position(None, [first])
    assert engine.think(nodes=nodes, root_moves=[second]).reason == "nodes"
    node = below(engine.tree(3), (second, third))
    assert node.visits >= 20
    return sum(child.visits for child in node.children if child.move == hinted) / node.visits


def share(name: Any, words: Sequence[str], book_file: str | Path = "", nodes: int = 1500, **options: Any) -> float:
    """The hinted share in a game with a book."""
    with playout.Engine(name, book_file=str(book_file), **EVEN, **options) as engine:
        if isinstance(engine.game, HasSymmetries):
            engine.set_option("Symmetries", "false")
        return hinted_share(engine, words, nodes)


@pytest.mark.parametrize("suffix", [".book", ".yaml"])
@pytest.mark.parametrize("name", LINES)
def test_a_book_is_known_two_plies_below_a_root_that_it_does_not_know(name: str, suffix: str, tmp_path: Path) -> None:
    game: Any = catalogue.load(name)
    path = tmp_path / f"one{suffix}"
    write_book(path, game, [entry(game, LINES[name])])
    assert share(name, LINES[name]) < 0.3
    assert share(name, LINES[name], path) > 0.45


def test_a_polyglot_book_is_known_off_its_lines(tmp_path: Path) -> None:
    path, words = tmp_path / "one.bin", LINES["chess"]
    write_book(path, catalogue.load("chess"), [entry(catalogue.load("chess"), words)])
    assert share("chess", words, path) > 0.45


def test_a_book_of_a_game_in_python_is_known_off_its_lines(tmp_path: Path) -> None:
    path, words, game = tmp_path / "one.book", ("1", "2", "1", "3"), NamedNim()
    write_book(path, game, [entry(game, words)])
    assert share(game, words, nodes=400) < 0.4
    assert share(game, words, path, nodes=400) > 0.45


def test_books_are_asked_up_to_their_depth(tmp_path: Path) -> None:
    path, words = tmp_path / "one.book", LINES["connect_four"]
    write_book(path, catalogue.load("connect_four"), [entry(catalogue.load("connect_four"), words)])
    assert share("connect_four", words, path, book_depth=3) < 0.3
    assert share("connect_four", words, path, book_depth=4) > 0.45


def test_several_threads_ask(tmp_path: Path) -> None:
    path, words = tmp_path / "one.book", LINES["connect_four"]
    write_book(path, catalogue.load("connect_four"), [entry(catalogue.load("connect_four"), words)])
    assert share("connect_four", words, path, threads=4) > 0.4


@pytest.mark.parametrize("answer", ["nothing", "a number of no move", "an error"])
def test_a_book_that_fails_within_a_search_costs_one_line(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    def at(_: Words, key: int) -> Sequence[BookMove]:
        if answer == "an error":
            raise BookError("bad.words: damaged")
        return [BookMove(4_000_000_000, 1000.0)] if answer == "a number of no move" else []

    monkeypatch.setattr(Words, "at", at)
    d = desk(BookFile=book(tmp_path, "bad", "a1: b2 1"))
    result = d.move(nodes=200)
    remarks = ("book bad.words is not used: bad.words: damaged",) if answer == "an error" else ()
    assert (result.reason, result.remarks) == ("nodes", remarks)
    assert d.move(nodes=200).remarks == ()


def test_a_book_with_too_many_positions_is_asked_at_the_root(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playout.engine.known.asked_books.MOST_KEYS", 1)
    d = desk(BookFile=book(tmp_path, "great", "a1: b2 1", "a1 b2: c3 1"))
    (remark,) = d.move().remarks
    assert remark == "book great.words has more than 1 positions: it is asked at the root alone"
    assert not Asker(d.session).keys
    assert d.move("a1").reason == "book"


def test_an_analysis_asks_no_books(tmp_path: Path) -> None:
    path, words = tmp_path / "one.book", LINES["connect_four"]
    write_book(path, catalogue.load("connect_four"), [entry(catalogue.load("connect_four"), words)])
    assert share("connect_four", words, path, uci_analyse_mode=True) < 0.3
