"""The referee's board: the rules of a game, by its kernel where there is one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Protocol

from playout.books.past.lines import start_of
from playout.engine import _core
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.games.errors import RAISED_BY_GAMES, GameError, IllegalMove, PlayoutError, as_game_error
from playout.games.game import Game, HasChance, action_to_text, is_over, text_to_action


class Board(Protocol):
    """A position that moves are played on."""

    moves: list[str]
    """Moves and rolls since the start, in the game's own notation."""

    @property
    def player(self) -> int | None:
        """The player to move, ``CHANCE`` before a roll, None after the end."""

    @property
    def result(self) -> float | None:
        """Result of player 0 in [-1, 1]; None while the game goes on."""

    @property
    def known(self) -> float | None:
        """Result of player 0 by tables of solved positions; None if they do not have the position."""

    def play(self, text: str) -> str:
        """Plays a move or a roll and returns it in the game's own notation.

        Raises:
            IllegalMove: if it is none of the position. Nothing changes then.
        """

    def roll(self, dice: random.Random) -> str:
        """Returns a roll, drawn by its probability; it is not played."""

    def legal(self) -> list[str]:
        """Returns the legal moves, or the rolls."""


def board_of(game: Game[Any, Any], start: str | None = None, tables: tuple[str, ...] = ()) -> Board:
    """Returns a board with the position ``start``; None is the game's own start.

    Raises:
        GameError: if ``start`` is no position of the game.
        PlayoutError: if there are no such tables, or they are not of the game.
    """
    kernel = kernel_of(game)
    return PythonBoard(game, start) if kernel is None else KernelBoard(game, kernel, start, tables)


class KernelBoard:
    """See ``Board``."""

    def __init__(self, game: Game[Any, Any], kernel: str, start: str | None, tables: tuple[str, ...]) -> None:
        if start is not None:
            start_of(game, start)  # its error says what is wrong
        self.moves: list[str] = []
        try:
            self._position = _core.Position(kernel, kernel_params(game), start, [Path(table) for table in tables])
        except ValueError as error:
            raise PlayoutError(f"adjudication.tables: {error}" if tables else str(error)) from error
        self._tables = bool(tables)

    @property
    def player(self) -> int | None:
        return self._position.player() if self._position.result() is None else None

    @property
    def result(self) -> float | None:
        return self._position.result()

    @property
    def known(self) -> float | None:
        return self._position.known() if self._tables else None

    def play(self, text: str) -> str:
        action = self._position.parse_action(text)
        if action is None:
            raise IllegalMove(f"illegal move: {text!r}")
        written = self._position.action_text(action)
        self._position.play(action)
        self.moves.append(written)
        return written

    def roll(self, dice: random.Random) -> str:
        actions = self._position.actions()
        [action] = dice.choices(actions, [self._position.probability(one) for one in actions])
        return self._position.action_text(action)

    def legal(self) -> list[str]:
        return [self._position.action_text(action) for action in self._position.actions()]


class PythonBoard:
    """See ``Board``. An exception in the user's code is a ``GameError``."""

    def __init__(self, game: Game[Any, Any], start: str | None) -> None:
        self.moves: list[str] = []
        self._game = game
        try:
            self._state = start_of(game, start)
        except RAISED_BY_GAMES as error:
            raise as_game_error(game.name, error) from error

    @property
    def player(self) -> int | None:
        try:
            return None if is_over(self._game, self._state) else self._game.current_player(self._state)
        except RAISED_BY_GAMES as error:
            raise as_game_error(self._game.name, error) from error

    @property
    def result(self) -> float | None:
        try:
            returns = self._game.returns(self._state)
        except RAISED_BY_GAMES as error:
            raise as_game_error(self._game.name, error) from error
        return None if returns is None else float(returns[0])

    known = None

    def play(self, text: str) -> str:
        try:
            action = self._action(text)
            written = action_to_text(self._game, self._state, action)
            self._state = self._game.next_state(self._state, action)
        except IllegalMove:
            raise
        except RAISED_BY_GAMES as error:
            raise as_game_error(self._game.name, error) from error
        self.moves.append(written)
        return written

    def _action(self, text: str) -> Any:
        """Returns the action that ``text`` names; text at which the user's code fails is no move, unless it is one."""
        try:
            return text_to_action(self._game, self._state, text)
        except PlayoutError:
            raise
        except RAISED_BY_GAMES:
            if text in self.legal():
                raise
            raise IllegalMove(f"illegal move: {text!r}") from None

    def roll(self, dice: random.Random) -> str:
        if not isinstance(self._game, HasChance):
            raise GameError(f"{self._game.name}: no chance_outcomes")
        try:
            rolls, chances = zip(*self._game.chance_outcomes(self._state), strict=True)
            return action_to_text(self._game, self._state, dice.choices(rolls, chances)[0])
        except RAISED_BY_GAMES as error:
            raise as_game_error(self._game.name, error) from error

    def legal(self) -> list[str]:
        try:
            return [action_to_text(self._game, self._state, one) for one in self._game.legal_actions(self._state)]
        except RAISED_BY_GAMES as error:
            raise as_game_error(self._game.name, error) from error
