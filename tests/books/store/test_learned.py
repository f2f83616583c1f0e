"""The engine's games flow back into the book: known moves are counted, whichever image was played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playout.books.base.book import BookMove
from playout.books.formats import open_book
from playout.books.store.learned import learn_game
from playout.books.store.writer import StoreWriter
from playout.games import catalogue


def test_results_flow_back_into_known_moves(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    start = game.initial_state()
    path = tmp_path / "a.book"
    with StoreWriter(path, game) as writer:
        writer.put(start, [BookMove(0, 5.0), BookMove(4, 3.0)])
        writer.commit()
    # Cell 8 is the corner opposite to the book's.
    turns = ((0, 8), (1, 4), (0, 0))
    assert learn_game(path, game, start, turns, 1) == 1
    assert learn_game(path, game, start, turns, -1) == 1
    assert learn_game(path, game, start, turns, -1, grow_to_ply=2) == 2
    book = open_book(path, game)
    moves = {move.weight: move for move in book.lookup(start)}
    assert (moves[5.0].wins, moves[5.0].losses, moves[5.0].learn) == (1, 2, -1)
    assert (moves[3.0].wins, moves[3.0].learn) == (0, 0)
    (reply,) = book.lookup(game.next_state(start, 2))
    assert (reply.action, reply.weight, reply.wins, reply.learn, reply.source) == (4, 0.0, 1, 1, "own games")
    assert book.lookup(game.next_state(game.next_state(start, 8), 4)) == ()
