"""Decisions of a session in backgammon: the positions that it searches, its answers in backgammon's terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playout.engine.judge.cube import Chances
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.option_values import FrozenOptions
from playout.games.backgammon import Backgammon, State, hops
from playout.games.errors import GameError
from playout.games.support.backgammon.position_id import BAR, OFF
from playout.games.support.backgammon.setup import Setup

if TYPE_CHECKING:
    from playout.engine.session import Session


class PositionTable:
    """Drives one session for the protocols of backgammon."""

    def __init__(self, session: Session) -> None:
        """Raises GameError unless the session's game is backgammon."""
        if not isinstance(session.game, Backgammon):
            raise GameError(f"this protocol plays backgammon, not {session.game.name}")
        self._session = session
        self._game = session.game

    def think(self, setup: Setup, limits: Limits, options: FrozenOptions | None = None) -> str | None:
        """Starts a search for the play of ``setup.match.dice`` and returns None. If only one play is legal, returns it.

        ``options`` are the options at the start of the decision; None stands for the session's current ones.

        Raises:
            GameError: if the position is over, or no dice are given.
        """
        state = self._put(setup)
        if state.dice is None:
            raise GameError("the dice are to be rolled first")
        legal = self._game.legal_actions(state)
        if len(legal) == 1:
            return self._game.action_to_text(state, legal[0])
        self._session.go(limits, options)
        return None

    def roll_out(self, setup: Setup, limits: Limits) -> None:
        """Starts playouts of ``setup`` from before the roll.

        Raises:
            GameError: if the position is over.
        """
        self._put(setup, rolled=False)
        self._session.roll_out(limits)

    def chances(self, result: SearchResult) -> Chances:
        """The chances that ``roll_out`` found, for the player on roll.

        Raises:
            GameError: if the playouts failed.
        """
        if not result.outcomes:
            raise GameError("the position could not be played out")
        sign = -1 if self._session.state.player == 1 else 1
        return Chances.of((sign * value * self._game.points_scale, times) for value, times in result.outcomes)

    def points(self, value: float) -> float:
        """The value of a search, converted to points."""
        return value * self._game.points_scale

    def written_out(self, move: str, *, bar: str = "bar", off: str = "off") -> str:
        """A play at the last position of ``think`` with all its steps, such as ``"24/18 18/13"``; empty for a pass."""
        state = self._session.state
        done, _ = hops(state, self._game.text_to_action(state, move))
        names = {BAR: bar, OFF: off}
        return " ".join(f"{names.get(a, a)}/{names.get(b, b)}" for a, b, _ in done)

    def _put(self, setup: Setup, *, rolled: bool = True) -> State:
        state = State(setup.checkers, setup.match.player, setup.match.dice if rolled else None)
        if self._game.returns(state) is not None:
            raise GameError("the game is over")
        self._session.set_position(self._game.state_to_text(state), ())
        checked = self._session.state
        assert isinstance(checked, State)
        return checked
