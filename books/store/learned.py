"""Updates a book from the engine's own games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places
from playout.books.base.past_games import Turn, replay
from playout.books.store import reader
from playout.books.store.writer import StoreWriter
from playout.games.game import CHANCE, Game

SOURCE = "own games"


def learn_game(
    path: Path, game: Game[Any, Any], start: Any, turns: tuple[Turn, ...], result: int, grow_to_ply: int = 0
) -> int:
    """Calls ``learn_moves`` for a game given by its ``start`` and ``turns`` (the player and the action of each)."""
    moves = [(state, action) for state, action in replay(game, start, turns)]
    return learn_moves(path, game, moves, result, grow_to_ply)


def learn_moves(
    path: Path, game: Game[Any, Any], moves: Sequence[tuple[Any, Any]], result: float, grow_to_ply: int = 0
) -> int:
    """Counts a finished game into a store and returns the number of moves that were counted. For each move that the
    book has, the game is added to its counts, and ``learn`` rises by 1 if the player who made it won and falls by 1 if
    that player lost. Moves of the first ``grow_to_ply`` plies that the book lacks are added, with no weight except from
    their counts.

    ``moves`` are the game's states, each with the action played there. ``result`` is player 0's; only its sign counts.
    Blocks until the data is on the disk; meanwhile other processes may read the book or learn.

    Raises:
        BookError: if the store cannot be read or written.
    """
    learned = 0
    places = Places(game)
    with StoreWriter(path, game) as writer:
        book = reader.open_book(path, game)
        try:
            for ply, (state, action) in enumerate(moves):
                mover = game.current_player(state)
                if mover == CHANCE:
                    continue
                place = places.of(state)
                held = place.to_book(action)
                known = any(place.to_book(move.action) == held for move in book.lookup(state))
                if not known and ply >= grow_to_ply:
                    continue
                sign = (result > 0) - (result < 0)
                sign = sign if mover == 0 else -sign
                counted = BookMove(action, 0.0, int(sign > 0), int(sign == 0), int(sign < 0), sign, source=SOURCE)
                writer.add(state, (counted,))
                learned += 1
        finally:
            book.close()
        writer.commit()
    return learned
