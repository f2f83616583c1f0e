"""A line of play: a start position and the moves from it. Immutable; each change returns a new line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, TypeVar

from playout.engine.terms.growth import Growth
from playout.engine.terms.trail import PLAYER_TOKENS, States, Trail
from playout.games.errors import RAISED_BY_GAMES, GameError, IllegalMove, PlayoutError
from playout.games.game import (
    Game,
    HasClaimedDraws,
    HasPlayerChange,
    HasStateText,
    is_over,
)

T = TypeVar("T")

__all__ = ["PLAYER_TOKENS", "Line", "user_code"]


@dataclass(frozen=True, slots=True)
class Line:
    """The states of a line, and the words that lead from each to the next."""

    text: str | None
    """Text of the start position; None is the game's own start."""
    states: States = field(compare=False)
    """The state after each number of words. Where play was resumed, it is the drawn one."""
    words: tuple[str, ...] = ()
    """Moves, and one of ``PLAYER_TOKENS`` wherever the player to move was changed."""
    resumed: tuple[int, ...] = ()
    """Places where play went on after a draw that nobody claimed: the number of words up to each."""

    @staticmethod
    def start(game: Game[Any, Any], text: str | None = None) -> Line:
        """Returns the line without moves.

        Raises:
            GameError: if ``text`` is not a position of the game, or the game's code fails.
        """
        if text is None:
            return Line(None, States(Trail(game, user_code(game.initial_state)), 1))
        if isinstance(game, HasStateText):
            return Line(text, States(Trail(game, game.state_from_text(text)), 1))
        raise GameError(f"{game.name}: positions of this game have no text; use startpos and moves")

    @property
    def state(self) -> Any:
        """The state from which play goes on: the last one, without the claim of a draw where play was resumed."""
        if self.resumed and self.resumed[-1] == len(self.words):
            return self.states.trail.taken_up(len(self.words))
        return self.states[-1]

    @property
    def moves(self) -> tuple[str, ...]:
        """The words that are moves."""
        return tuple(word for word in self.words if word not in PLAYER_TOKENS)

    def first(self, count: int) -> Line:
        """Returns the line of the first ``count`` words."""
        resumed = tuple(place for place in self.resumed if place < count)
        return Line(self.text, States(self.states.trail, count + 1), self.words[:count], resumed)

    def played(self, game: Game[Any, Any], text: str) -> Line:
        """Returns the line with a move or a roll added.

        Raises:
            IllegalMove: if it is not legal at the end of the line.
        """
        growth = self._growth(game)
        growth.play(text)
        return self._grown(growth)

    def extended(self, game: Game[Any, Any], moves: Sequence[str], prefix: str = "", most: int | None = None) -> Line:
        """Returns the line with ``moves`` and rolls added.

        ``prefix`` begins the message about an illegal move; ``{number}`` in it is the number of words up to that move.
        ``most`` bounds the moves that Python has to play.

        Raises:
            GameError: if there are more moves than ``most`` allows.
            IllegalMove: if one of the moves is not legal where it stands.
        """
        growth = self._growth(game)
        growth.extend(moves, lambda: self.path(game), prefix, most)
        return self._grown(growth)

    def moved_to(self, game: Game[Any, Any], text: str | None, moves: Sequence[str], most: int | None = None) -> Line:
        """Returns the line after ``moves`` from ``text``; None is the game's start. States that both lines have in
        common are taken over from this one. ``most`` is as in ``extended``.

        Raises:
            GameError: if ``text`` is not a position of the game, or there are more moves than ``most`` allows.
            IllegalMove: if one of the moves is not legal; the message has its number.
        """
        line = Line.start(game, text)
        if line.text == self.text and all(word not in PLAYER_TOKENS for word in self.words):
            pairs = zip(self.words, moves, strict=False)
            line = self.first(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)))
        return line.extended(game, moves[len(line.words) :], "move {number}: ", most)

    def with_player(self, game: Game[Any, Any], player: int) -> Line:
        """Returns the line with ``player`` to move at its end.

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
        """Returns the line, resumed if it has ended in a draw that the players need not claim."""
        if not isinstance(game, HasClaimedDraws) or not is_over(game, self.state):
            return self
        place = len(self.words)
        if self.states.trail.taken_up(place) is None:
            return self
        return replace(self, resumed=(*self.resumed, place))

    def undone(self) -> Line:
        """Returns the line without its last move and the player tokens beside it.

        Raises:
            IllegalMove: if there is no move.
        """
        line = self._without_tokens()
        if not line.words:
            raise IllegalMove("cannot undo")
        return line.first(len(line.words) - 1)._without_tokens()

    def path(self, game: Game[Any, Any]) -> tuple[str | None, tuple[str, ...]]:
        """Returns the start text and the words by which a searcher reaches the last state."""
        if self.resumed and isinstance(game, HasStateText):
            place = self.resumed[-1]
            return game.state_to_text(self.states.trail.taken_up(place)), self.words[place:]
        if self.text is not None and isinstance(game, HasStateText):
            # In the game's own form, because its kernel need not read every form that the definition does (XGID).
            return game.state_to_text(self.states[0]), self.words
        return self.text, self.words

    def _then(self, word: str, state: Any) -> Line:
        trail = self.states.trail.extended(len(self.words), (word,), (state,))
        return Line(self.text, States(trail, len(self.words) + 2), (*self.words, word), self.resumed)

    def _growth(self, game: Game[Any, Any]) -> Growth:
        return Growth(game, self.states.trail, self.words, self.resumed)

    def _grown(self, growth: Growth) -> Line:
        states = States(growth.trail, len(growth.words) + 1)
        return Line(self.text, states, tuple(growth.words), tuple(growth.resumed))

    def _without_tokens(self) -> Line:
        line = self
        while line.words and line.words[-1] in PLAYER_TOKENS:
            line = line.first(len(line.words) - 1)
        return line


def user_code(function: Callable[[], T]) -> T:
    """Calls ``function``, which a user may have written, and returns its result.

    Raises:
        PlayoutError: as ``function`` raises it.
        GameError: if ``function`` raises anything else.
    """
    try:
        return function()
    except PlayoutError:
        raise
    except RAISED_BY_GAMES as error:
        raise GameError(f"initial_state failed: {type(error).__name__}: {error}") from error
