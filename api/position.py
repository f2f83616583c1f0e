"""A position of a game, for programs and notebooks."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from playout.engine.terms.line import Line
from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import CHANCE, Game, HasChance, HasRender, HasStateText, action_to_text, is_over
from playout.loading import GameLike, load_game


class Position:
    """A position of a game, with the moves that led to it. It never changes: ``play`` returns another one.

    ``print(position)`` draws it in text, and a notebook shows it as a picture.
    """

    __slots__ = ("_game", "_line")

    def __init__(self, game: GameLike, text: str | None = None, moves: Sequence[str] = ()) -> None:
        """Stands after ``moves`` from the position that ``text`` describes; None is the game's start.

        Raises:
            GameError: if there is no such game, or ``text`` is no position of it.
            IllegalMove: if one of ``moves`` is illegal.
            PlayoutError: if ``moves`` is one text.
        """
        self._game = load_game(game)
        self._line = Line.start(self._game, text).extended(self._game, checked_moves("moves", moves))

    @classmethod
    def at(cls, game: Game[Any, Any], line: Line) -> Position:
        """Returns the position at the end of ``line``, which is of ``game``."""
        made = cls.__new__(cls)
        made._game, made._line = game, line
        return made

    @property
    def game(self) -> Game[Any, Any]:
        """The rules."""
        return self._game

    @property
    def line(self) -> Line:
        """The start position and all states since then."""
        return self._line

    @property
    def state(self) -> Any:
        """The state, as the game's Python module has it."""
        return self._line.state

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves and rolls since the start position, in the game's notation."""
        return self._line.moves

    @property
    def player(self) -> int | None:
        """The player to move, 0 or 1; ``CHANCE`` (-1) where dice are to be rolled, None where the game is over."""
        return None if self.over else self._game.current_player(self.state)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return is_over(self._game, self.state)

    @property
    def result(self) -> tuple[float, float] | None:
        """The results of player 0 and player 1, each in [-1, 1]; None while the game goes on."""
        returns = self._game.returns(self.state)
        return None if returns is None else (float(returns[0]), float(returns[1]))

    @property
    def text(self) -> str:
        """The position on one line: a FEN in chess, and its like in other games.

        Raises:
            GameError: if the game has no texts for positions.
        """
        if not isinstance(self._game, HasStateText):
            raise GameError(f"{self._game.name} has no texts for positions")
        return self._game.state_to_text(self.state)

    def legal_moves(self) -> list[str]:
        """Returns the legal moves in the game's notation, or the rolls where dice are to be rolled."""
        return [action_to_text(self._game, self.state, one) for one in self._game.legal_actions(self.state)]

    def rolls(self) -> Mapping[str, float]:
        """Returns the probability of each roll; nothing where a player is to move."""
        game, state = self._game, self.state
        if self.player != CHANCE or not isinstance(game, HasChance):
            return {}
        return {action_to_text(game, state, roll): chance for roll, chance in game.chance_outcomes(state)}

    def roll(self, dice: random.Random | None = None) -> str:
        """Returns a roll, drawn by its probability; ``dice`` is the random source.

        Raises:
            IllegalMove: if there is nothing to roll.
        """
        rolls = self.rolls()
        if not rolls:
            raise IllegalMove("there are no dice to roll here")
        return (dice or random).choices(list(rolls), list(rolls.values()))[0]

    def play(self, move: str) -> Position:
        """Returns the position after ``move``, or after a roll.

        Raises:
            IllegalMove: if it is illegal.
        """
        return Position.at(self._game, self._line.played(self._game, move))

    def svg(self) -> str:
        """Returns a picture of the position, an SVG document."""
        from playout.games.picture.picture import svg

        return svg(self._game, self.state)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self._game.render(self.state) if isinstance(self._game, HasRender) else str(self.state)

    def __repr__(self) -> str:
        start = f", {self._line.text!r}" if self._line.text is not None else ""
        moves = f", moves={' '.join(self.moves)!r}.split()" if self.moves else ""
        return f"playout.Position({self._game.name!r}{start}{moves})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._game == other._game and self._line == other._line

    def __hash__(self) -> int:
        return hash((self._game.name, self._line))


def checked_moves(name: str, moves: Sequence[str]) -> Sequence[str]:
    """Returns ``moves``, the argument called ``name``.

    Raises:
        PlayoutError: if it is one text, which would be read letter by letter.
    """
    if isinstance(moves, str):
        raise PlayoutError(f"{name}={moves!r}: not a list of moves")
    return moves
