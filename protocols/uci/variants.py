"""Rules and notation selected by options: castling (UCI_Chess960), and the games of cutechess (UCI_Variant)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.line import Line
from playout.games import catalogue
from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import HasChess960, action_to_text, text_to_action
from playout.protocols.uci.cutechess_text import NOTATIONS, Drops

if TYPE_CHECKING:
    from playout.engine.session import Session

CASTLING = "UCI_Chess960"
VARIANT = "UCI_Variant"
GAMES = {"chess": "chess", "tictactoe": "tic_tac_toe", "cfour": "connect_four"}
"""The games by the value of UCI_Variant."""


class VariantOptions:
    """Translates between an interface's texts and the session's. The game stays as it is, in its own notation, until an
    option changes it.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: set[str] = set()
        self._last: tuple[str | None, Sequence[str]] = (None, ())
        self._drops: Drops | None = None
        self._unasked = False
        """Whether Chess960 is on because a position required it."""
        self._awaited: tuple[str, Sequence[str]] | None = None
        """A position for Chess960 that came during a search, and is for the next one."""

    def ask(self, name: str) -> None:
        """Handles a new value of the option ``name``; call ``change`` to apply it."""
        self._asked |= {option for option in (CASTLING, VARIANT) if option.lower() == name.lower()}

    def change(self) -> str | None:
        """Applies the requested rules; returns a message if the position cannot be kept. Only without a search."""
        complaint = None
        if VARIANT in self._asked:
            self._change_game()
        if CASTLING in self._asked and CASTLING in self._session.options:
            complaint = self._change_castling()
        if self._awaited is not None:
            self._last, self._awaited = self._awaited, None
            self._play_chess960(True, *self._last)
        elif self._unasked and not self._needs_chess960(self._last[0]):
            self._play_chess960(False, *self._last)
        self._asked.clear()
        return complaint

    def forget(self) -> None:
        """Returns to the start position, as for a new game."""
        self._last, self._awaited = (None, ()), None

    def set_position(self, text: str | None, moves: Sequence[str]) -> None:
        """Sets a position, as the session's method does, in the interface's notation."""
        if self._drops is not None:
            game: Any = self._session.game
            text = self._drops.position(text) if text is not None else None
            start = game.initial_state() if text is None else game.state_from_text(text)
            moves = self._drops.read(start, moves)
        if self._unasked and not self._session.searching and not self._needs_chess960(text):
            self._play_chess960(False, text, moves)
        try:
            self._session.set_position(text, moves)
        except GameError:
            if text is None or not self._needs_chess960(text):
                raise
            if self._session.searching:
                self._await(text, moves)
                return
            self._play_chess960(True, text, moves)
        self._last, self._awaited = (text, moves), None

    def position_text(self, state: Any) -> str:
        """Returns a position in the interface's notation."""
        game: Any = self._session.game
        return self._drops.fen(state) if self._drops is not None else str(game.state_to_text(state))

    def root_moves(self, state: Any, moves: Sequence[str]) -> tuple[str | None, ...]:
        """Converts moves of one position to the session's notation; None for a word that is no legal move there."""
        return tuple(self._root_move(state, move) for move in moves)

    def told(self, root: Any, info: SearchInfo) -> SearchInfo:
        """Converts a report of a search from ``root`` to the interface's notation."""
        drops = self._drops
        if drops is None:
            return info

        def told(move: MoveInfo) -> MoveInfo:
            (text,) = drops.write(root, [move.move])
            return dataclasses.replace(move, move=text, pv=drops.write(root, move.pv))

        return dataclasses.replace(info, moves=tuple(map(told, info.moves)))

    def result_told(self, root: Any, result: SearchResult) -> SearchResult:
        """Converts the result of a search from ``root`` to the interface's notation."""
        if self._drops is None or result.move is None:
            return result
        move, *ponder = self._drops.write(root, [result.move, *([result.ponder] if result.ponder else [])])
        return dataclasses.replace(
            result, move=move, ponder=ponder[0] if ponder else None, info=self.told(root, result.info)
        )

    def _root_move(self, state: Any, move: str) -> str | None:
        game = self._session.game
        try:
            text = self._drops.read(state, [move])[0] if self._drops is not None else move
            return action_to_text(game, state, text_to_action(game, state, text))
        except IllegalMove:
            return None

    def _needs_chess960(self, text: str | None) -> bool:
        """Whether ``text`` is a position that only Chess960 allows. Arena is reported to send these without
        UCI_Chess960.
        """
        game: Any = self._session.game
        if text is None or not _is_chess(game):
            return False
        try:
            type(game)().state_from_text(text)
        except GameError:
            with suppress(GameError):
                dataclasses.replace(game, chess960=True).state_from_text(text)
                return True
        return False

    def _await(self, text: str, moves: Sequence[str]) -> None:
        """Keeps a position for Chess960 until the search has ended. Raises what the session would raise."""
        game: Any = self._session.game
        rules = dataclasses.replace(type(game)(), chess960=True)
        Line.start(rules, text).extended(rules, moves, "move {number}: ", self._session.rights.moves)
        self._awaited = (text, moves)

    def _play_chess960(self, wanted: bool, text: str | None, moves: Sequence[str]) -> None:
        """Switches Chess960 on or off without the option. Raises what the session raises, and then changes nothing."""
        before: Any = self._session.game
        self._session.set_game(dataclasses.replace(type(before)(), chess960=wanted))
        try:
            self._session.set_position(text, moves)
        except PlayoutError:
            self._session.set_game(before)
            self._session.set_position(*self._last)
            raise
        self._unasked = wanted

    def _change_game(self) -> None:
        variant = self._session.options.text(VARIANT)
        self._drops = NOTATIONS.get(variant)
        game, now = catalogue.load(GAMES[variant]), self._session.game
        if game != now if self._drops is not None else not isinstance(now, type(game)):
            self._session.set_game(game)
            self._last, self._unasked, self._awaited = (None, ()), False, None

    def _change_castling(self) -> str | None:
        game: Any = self._session.game
        asked = self._session.options.flag(CASTLING)
        self._unasked = not asked and self._needs_chess960(self._last[0])
        try:
            self._session.set_game(dataclasses.replace(game, chess960=asked or self._unasked))
            self._session.set_position(*self._last)
        except PlayoutError as error:
            self._last, self._unasked = (None, ()), False
            return f"start position, as the rules have changed: {error}"
        return None


def _is_chess(game: object) -> bool:
    """Whether the game is chess that may be played as Chess960."""
    return isinstance(game, HasChess960)
