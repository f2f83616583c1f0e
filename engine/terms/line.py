"""A line of play: a start and what was played from it. A value; every change makes another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import (
    Game,
    HasClaimedDraws,
    HasPlayerChange,
    HasStateText,
    action_to_text,
    is_over,
    text_to_action,
)

T = TypeVar("T")

PLAYER_TOKENS = ("@0", "@1")
"""In a list of moves: from here this player is to move, whoever it was."""


@dataclass(frozen=True, slots=True)
class Line:
    """The states passed, and the words that lead from one to the next."""

    text: str | None
    """The start position's text; None is the game's own start."""
    states: tuple[Any, ...]
    words: tuple[str, ...] = ()
    """Moves, and ``PLAYER_TOKENS`` where the player to move was changed."""
    resumed: tuple[tuple[int, Any], ...] = ()
    """Where play went on after a draw that nobody claimed: the number of words up to there, and the state then."""

    @staticmethod
    def start(game: Game[Any, Any], text: str | None = None) -> Line:
        """The line without a move.

        Raises:
            GameError: if ``text`` is no position of the game, or its code fails.
        """
        if text is None:
            return Line(None, (user_code(game.initial_state),))
        if isinstance(game, HasStateText):
            return Line(text, (game.state_from_text(text),))
        raise GameError(f"{game.name}: positions of this game have no text; use startpos and moves")

    @property
    def state(self) -> Any:
        """The last state, as which play goes on."""
        if self.resumed and self.resumed[-1][0] == len(self.words):
            return self.resumed[-1][1]
        return self.states[-1]

    @property
    def moves(self) -> tuple[str, ...]:
        """The words that are moves."""
        return tuple(word for word in self.words if word not in PLAYER_TOKENS)

    def first(self, count: int) -> Line:
        """The line up to its word number ``count``."""
        resumed = tuple((place, state) for place, state in self.resumed if place < count)
        return replace(self, states=self.states[: count + 1], words=self.words[:count], resumed=resumed)

    def played(self, game: Game[Any, Any], text: str) -> Line:
        """The line with a move, or a roll, at its end.

        Raises:
            IllegalMove: if it is not legal there.
        """
        line = self.taken_up(game)
        state = line.state
        if is_over(game, state):
            raise IllegalMove(f"illegal move: {text.strip()[:60]!r} (the game is over)")
        action = text_to_action(game, state, text)
        return line._then(action_to_text(game, state, action), game.next_state(state, action))

    def with_player(self, game: Game[Any, Any], player: int) -> Line:
        """The line with ``player`` to move at its end.

        Raises:
            IllegalMove: if the game does not allow that.
        """
        state = self.states[-1]
        over = is_over(game, state)
        if not over and game.current_player(state) == player:
            return self
        if not isinstance(game, HasPlayerChange):
            if over:
                return self
            raise IllegalMove("it is the other player's turn")
        changed = game.with_player(state, player)
        if over and is_over(game, changed):
            return self
        return self._then(PLAYER_TOKENS[player], changed)

    def taken_up(self, game: Game[Any, Any]) -> Line:
        """The line, taken up again if it has ended in a draw that the players need not claim."""
        if not isinstance(game, HasClaimedDraws) or not is_over(game, self.state):
            return self
        state = game.without_claim(self.state)
        return self if state is None else replace(self, resumed=(*self.resumed, (len(self.words), state)))

    def undone(self) -> Line:
        """The line without its last move and what changed the player to move around it.

        Raises:
            IllegalMove: at the start.
        """
        line = self._without_tokens()
        if not line.words:
            raise IllegalMove("cannot undo")
        return line.first(len(line.words) - 1)._without_tokens()

    def path(self, game: Game[Any, Any]) -> tuple[str | None, tuple[str, ...]]:
        """The text and the words by which a searcher comes to the last state."""
        if self.resumed and isinstance(game, HasStateText):
            place, start = self.resumed[-1]
            return game.state_to_text(start), self.words[place:]
        if self.text is not None and isinstance(game, HasStateText):
            # As the game writes it: its kernel need not know every form that its definition reads (XGID).
            return game.state_to_text(self.states[0]), self.words
        return self.text, self.words

    def _then(self, word: str, state: Any) -> Line:
        return replace(self, states=(*self.states, state), words=(*self.words, word))

    def _without_tokens(self) -> Line:
        line = self
        while line.words and line.words[-1] in PLAYER_TOKENS:
            line = line.first(len(line.words) - 1)
        return line


def user_code(function: Callable[[], T]) -> T:
    """What ``function``, which a user may have written, returns.

    Raises:
        GameError: if it raises anything that is not for users.
    """
    try:
        return function()
    except PlayoutError:
        raise
    except Exception as error:
        raise GameError(f"initial_state failed: {type(error).__name__}: {error}") from error
