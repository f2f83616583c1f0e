"""The position of a game, followed move by move in Python, for protocols that send positions or other notations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playout.books.past.lines import start_of
from playout.games.errors import RAISED_BY_GAMES
from playout.games.game import Game, action_to_text, text_to_action


class Follower:
    """Follows one game."""

    def __init__(self, game: Game[Any, Any], start: str | None) -> None:
        """``start`` is the text of the position in which the game begins; None is the game's own start.

        Raises:
            GameError: if it is no position of the game.
        """
        self._game, self._state = game, start_of(game, start)
        self._count = 0

    def before(self, moves: Sequence[str], number: int) -> Any:
        """Returns the state before move ``number`` of ``moves``, from 0. ``number`` never decreases."""
        game = self._game
        for move in moves[self._count : number]:
            self._state = game.next_state(self._state, text_to_action(game, self._state, move))
        self._count = number
        return self._state

    def written(self, state: Any, text: str) -> str:
        """Returns an engine's move at ``state`` in the game's notation; as it is if it is none of the position."""
        try:
            return action_to_text(self._game, state, text_to_action(self._game, state, text))
        except RAISED_BY_GAMES:
            return text
