"""Conversion between positions of a game and nodes of a book's graph."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from playout.books.base.canonical import Place, Places
from playout.engine.learning.books.evaluation import storable
from playout.engine.learning.books.graph import BookNode, Edge, Reply
from playout.games.game import CHANCE, Game, HasBookState, is_over

DICE_PLIES = 1.0
"""Plies by which an outcome of the dice is delayed if it is less probable than the most probable one by a
factor of e.
"""

After = tuple[Any, tuple[Any, ...], float]
"""A state, the outcomes of the dice that lead to it, and their probability."""


class Positions:
    """Makes nodes and edges."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game = game
        self.places = Places(game)
        self._dice: dict[tuple[tuple[Any, ...], float], tuple[tuple[Any, ...], float]] = {}

    def root(self, state: Any) -> Edge:
        """Returns an edge that leads to ``state``. Its value is for the player to move there, at a chance position for
        player 0.
        """
        player = self.game.current_player(state)
        return Edge(None, 0.0, 0, False, self._replies(state, 0 if player == CHANCE else player))

    def node(self, state: Any, place: Place, edges: list[Edge]) -> BookNode:
        """Returns the node of ``state`` with these moves."""
        alternatives = {place.to_book(action) for action in self.game.legal_actions(state)}
        return BookNode(place.key, place.state, len(alternatives), edges)

    def edge(self, state: Any, place: Place, action: Any, value: float, simulations: int, proven: bool) -> Edge:
        """Returns an edge for the legal move ``action`` of ``state``, with the value a search found for the player who
        makes it.
        """
        after = self.game.next_state(state, action)
        mover = self.game.current_player(state)
        held = place.to_book(action)
        returns = self.game.returns(after)
        if returns is None:
            return Edge(held, value, simulations, proven, self._replies(after, mover))
        value = storable(returns[mover])
        if self._is_over_anyhow(after):
            return Edge(held, value, 0, True)
        return Edge(held, value, 0, False, blocked=True)

    def decisions(self, state: Any, *, ends: bool = False) -> Iterator[After]:
        """Yields the positions at and after ``state`` where a player is to move, through the dice; with ``ends`` also
        positions where the game is over.
        """
        game: Any = self.game
        if is_over(game, state):
            if ends:
                yield state, (), 1.0
        elif game.current_player(state) != CHANCE:
            yield state, (), 1.0
        else:
            for outcome, probability in game.chance_outcomes(state):
                for after, outcomes, share in self.decisions(game.next_state(state, outcome), ends=ends):
                    yield after, (outcome, *outcomes), probability * share

    def _replies(self, state: Any, mover: int) -> tuple[Reply, ...]:
        replies = []
        for after, outcomes, probability in self.decisions(state, ends=True):
            # Replies are many, distinct dice are few.
            outcomes, probability = self._dice.setdefault((outcomes, probability), (outcomes, probability))
            returns = self.game.returns(after)
            if returns is not None:
                replies.append(Reply(outcomes, probability, None, 1.0, float(returns[mover])))
            else:
                sign = 1.0 if self.game.current_player(after) == mover else -1.0
                replies.append(Reply(outcomes, probability, self.places.of(after).key, sign))
        likeliest = max(reply.probability for reply in replies)
        for reply in replies:
            reply.delay = DICE_PLIES * math.log(likeliest / reply.probability)
        return tuple(replies)

    def _is_over_anyhow(self, state: Any) -> bool:
        """Whether a finished game is over on every line that leads there. Books know positions, not repetitions."""
        return not isinstance(self.game, HasBookState) or is_over(self.game, self.game.book_state(state))
