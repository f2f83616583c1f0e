"""Books put together in memory, walked through and counted."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from playout.books import formats
from playout.books.base.book import BookMove
from playout.books.base.branches import branches
from playout.books.base.entry import BookEntry
from playout.books.base.measure import measure
from playout.books.base.memory import MemoryBook, gather
from playout.books.base.tree import walk
from playout.games import catalogue
from playout.games.game import HasSymmetries, is_over, text_to_action

from ..random_books import content, random_entries

GAMES = ("tic_tac_toe", "connect_four", "hex:5", "go:5", "chess", "backgammon")


def entry(game: Any, words: str, **moves: float) -> BookEntry:
    state, line = game.initial_state(), ()
    for word in words.split():
        action = text_to_action(game, state, word)
        state, line = game.next_state(state, action), (*line, action)
    return BookEntry(
        state, [BookMove(text_to_action(game, state, text), weight) for text, weight in moves.items()], line
    )


@pytest.mark.parametrize("name", GAMES)
def test_a_book_twice_has_everything_twice(name: str) -> None:
    game: Any = catalogue.load(name)
    entries = random_entries(game, random.Random(5), 4, 8)
    images = entries
    if isinstance(game, HasSymmetries):
        last = game.symmetries()[-1]
        moved = [[BookMove(last.action(m.action), *_rest(m)) for m in one.moves] for one in entries]
        images = [BookEntry(last.state(one.state), moves) for one, moves in zip(entries, moved, strict=True)]
    once, twice = content(game, entries), content(game, gather(game, [*entries, *images]).values())
    assert twice == {
        key: {action: (*(2 * number for number in said[:-1]), said[-1]) for action, said in moves.items()}
        for key, moves in once.items()
    }


def _rest(move: BookMove) -> tuple[Any, ...]:
    return move.weight, move.wins, move.draws, move.losses, move.learn, move.comment


@pytest.mark.parametrize("name", GAMES)
def test_lookup_answers_in_every_image_with_legal_moves(name: str) -> None:
    game: Any = catalogue.load(name)
    entries = random_entries(game, random.Random(7), 4, 8)
    book = MemoryBook("test", game, entries)
    assert (book.name, len(book)) == ("test", len(entries))
    for one in entries:
        moves = book.lookup(one.state)
        assert sorted(moves, key=repr) == sorted(one.moves, key=repr), "as it was given"
        assert [move.weight for move in moves] == sorted((move.weight for move in one.moves), reverse=True)
        for symmetry in game.symmetries() if isinstance(game, HasSymmetries) else ():
            image = symmetry.state(one.state)
            assert content(game, [BookEntry(image, book.lookup(image))]) == content(game, [one])
            assert {move.action for move in book.lookup(image)} <= set(game.legal_actions(image))


def test_a_move_that_superko_forbids_is_left_out() -> None:
    game: Any = catalogue.load("go:3")
    rng = random.Random(2)
    found = 0
    for _ in range(60):
        state = game.initial_state()
        for _ in range(30):
            bare = game.book_state(state)
            forbidden = set(game.legal_actions(bare)) - set(game.legal_actions(state))
            if not is_over(game, state) and forbidden and not is_over(game, bare):
                book = MemoryBook("", game, [BookEntry(bare, [BookMove(action, 1.0) for action in forbidden])])
                assert book.lookup(bare) != [] and book.lookup(state) == []
                found += 1
            if is_over(game, state):
                break
            state = game.next_state(state, rng.choice(game.legal_actions(state)))
    assert found > 3


def test_a_walk_finds_every_position_once_by_a_shortest_line() -> None:
    game: Any = catalogue.load("chess")
    entries = [
        entry(game, "", e4=1, d4=2),
        entry(game, "d4", Nf6=1),
        entry(game, "d4 Nf6", c4=1),
        entry(game, "d4 Nf6 c4", e6=1),
        entry(game, "c4", Nf6=1),
        entry(game, "e4 e5", Nf3=1),
    ]
    found = list(walk(MemoryBook("", game, entries), game))
    assert [len(one.line or ()) for one in found] == [0, 1, 2, 3]
    assert found[3].line == entries[3].line
    start = entries[5].state
    assert [one.state for one in walk(MemoryBook("", game, entries), game, start)] == [start]
    measures = measure([*found, BookEntry(start, [BookMove(0, 0.0, 1, 2, 3)])])
    assert (measures.positions, measures.moves, measures.never, measures.games) == (5, 6, 1, 0)
    assert (measures.off_lines, dict(measures.depths)) == (1, {0: 1, 1: 1, 2: 1, 3: 1})


def test_dice_fall_in_every_way() -> None:
    game: Any = catalogue.load("backgammon")
    book = MemoryBook("", game, [entry(game, "31", **{"8/5,6/5": 2.0}), entry(game, "13", **{"24/23,13/10": 1.0})])
    found = branches(book, game, game.initial_state(), 3, 9)
    texts = [(one.text, one.share, [next_.text for next_ in one.behind]) for one in found]
    assert texts == [("31", pytest.approx(2 / 30), ["8/5,6/5", "24/23,13/10"])]


def test_branches_stop_at_depth_and_width_and_show_a_position_once() -> None:
    game: Any = catalogue.load("chess")
    entries = [
        entry(game, "", d4=3, c4=1, e4=0),
        entry(game, "d4", Nf6=1),
        entry(game, "d4 Nf6", c4=1),
        entry(game, "d4 Nf6 c4", e6=1),
        entry(game, "c4", Nf6=1),
        entry(game, "c4 Nf6", d4=1),
    ]
    found = branches(MemoryBook("", game, entries), game, game.initial_state(), 4, 2)
    assert [(one.text, one.share, one.more) for one in found] == [("d2d4", 0.75, False), ("c2c4", 0.25, False)]
    line, one = [], found[0]
    while one.behind:
        (one,) = one.behind
        line.append(one.text)
    assert line == ["g8f6", "c2c4", "e7e6"]
    other = found[1].behind[0].behind[0]
    assert (other.text, other.behind, other.more) == ("d2d4", (), True)


def test_books_open_in_order_and_those_that_cannot_are_named(tmp_path: Path) -> None:
    game: Any = catalogue.load("chess")
    (tmp_path / "a.yaml").write_text("game: chess\nlines: [e4]\n")
    (tmp_path / "b.yaml").write_text("game: chess\nlines: [e5]\n")
    (tmp_path / "c.bin").write_bytes(bytes(range(16)))
    names = ("c.bin", "b.yaml", "nowhere.bin", "a.yaml", "d.txt")
    books, refused = formats.open_books([tmp_path / name for name in names], game)
    assert [book.name for book in books] == ["c.bin", "a.yaml"]
    assert [line.partition(str(tmp_path))[2][:8] for line in refused] == ["/b.yaml,", "/nowhere", "/d.txt: "]
    assert all("\n" not in line for line in refused)


def test_games_are_counted_where_they_begin() -> None:
    game: Any = catalogue.load("chess")
    state = game.initial_state()
    after = game.next_state(state, game.legal_actions(state)[0])
    moves = [BookMove(0, 1.0, 1, 2, 3), BookMove(1, 1.0, 4, 0, 0)]
    assert measure([BookEntry(state, moves, ()), BookEntry(after, moves[:1], ("x",))]).games == 10
