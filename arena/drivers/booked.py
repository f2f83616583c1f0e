"""An engine whose first moves are those of a book, which the arena plays for it."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from playout.arena.drivers.driver import Answer, ClockFace, Driver, Scene
from playout.arena.drivers.follower import Follower
from playout.arena.terms.job import PlayerBook
from playout.arena.terms.pace import Pace
from playout.books.base.book import Book
from playout.books.formats import open_book
from playout.games.game import Game, action_to_text


class BookedDriver:
    """Plays a move of the book where it has one, drawn by the weights, and otherwise the engine's. See ``Driver``.

    The engine is not told of a move before it has to answer the next one, so a move of the book costs it no time.
    """

    def __init__(self, driver: Driver, book: Book, plies: int | None) -> None:
        """``plies`` is the number of plies of a game, those of its opening included, for which the book is asked; None
        for all. The driver and the book are closed with this one.
        """
        self._driver, self._book, self._plies = driver, book, plies
        self.name, self.remarks = driver.name, driver.remarks

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        self._game, self._follower = game, Follower(game, start)
        self._source = random.Random(f"{seed} book")
        self._driver.begin(game, start, pace, afresh=afresh, seed=seed)

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        began, played = time.monotonic(), len(scene.moves)
        if self._plies is None or played < self._plies:
            state = self._follower.before(scene.moves, played)
            known = [move for move in self._book.lookup(state) if move.weight > 0]
            if known:
                [drawn] = self._source.choices(known, [move.weight for move in known])
                return Answer(action_to_text(self._game, state, drawn.action), 0.0, began, book=True)
        return self._driver.choose(scene, clocks, limit, grace)

    def finish(self, result: float | None) -> None:
        self._driver.finish(result)

    def close(self) -> None:
        self._driver.close()
        self._book.close()


def book_of(book: PlayerBook, game: Game[Any, Any]) -> Book:
    """Opens a player's book.

    Raises:
        BookError: one line with the file, if there is none, or it is no book of the game.
    """
    return open_book(Path(book.file), game)
