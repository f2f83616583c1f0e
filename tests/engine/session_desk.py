"""A session whose searches are waited for."""

from __future__ import annotations

import queue
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.game import CHANCE, HasChance, action_to_text
from playout.games.tic_tac_toe import TicTacToe

from ..patience import PATIENCE


class PlainTicTacToe(TicTacToe):
    """Tic-tac-toe as a user writes it: no kernel."""

    kernel = None  # type: ignore[assignment]


GAMES = [*catalogue.BUILT_IN, "plain"]


class Desk:
    """A session with the queue that its reports go to."""

    def __init__(self, game: Any, books: Any = ()) -> None:
        self.dice = random.Random(7)
        self.events: queue.Queue[SearchInfo | SearchResult] = queue.Queue()
        self.session = Session(game, post=self.events.put, books=books)
        self.session.set_option("Seed", "7")
        self.session.set_option("Hash", "16")
        self.session.set_option("BookFile", "")

    def result(self) -> SearchResult:
        """The result of the search under way, which must come."""
        while True:
            event = self.events.get(timeout=PATIENCE)
            if isinstance(event, SearchResult):
                assert self.session.wait(PATIENCE)
                return event

    def report(self) -> SearchInfo:
        """The next report of a search that goes on."""
        event = self.events.get(timeout=PATIENCE)
        assert isinstance(event, SearchInfo)
        return event

    def think(self, **limits: Any) -> SearchResult:
        self.session.go(Limits(**limits))
        return self.result()

    def roll(self) -> None:
        """Rolls while dice decide."""
        while self.session.game.current_player(self.session.state) == CHANCE:
            game, state = self.session.game, self.session.state
            assert isinstance(game, HasChance)
            outcome, _ = self.dice.choice(list(game.chance_outcomes(state)))
            self.session.play(action_to_text(game, state, outcome))


@contextmanager
def desk(name: str, books: Any = ()) -> Iterator[Desk]:
    made = Desk(PlainTicTacToe() if name == "plain" else catalogue.load(name), books)
    try:
        yield made
    finally:
        made.session.close()
