"""Games by name, by file, by class, by object."""

from __future__ import annotations

from typing import Any

from playout.games import catalogue
from playout.games.adopted import GameMethods, adopted
from playout.games.game import Game

GameLike = str | GameMethods | type[GameMethods]
"""A game as a user may give it: a text, an object with the five methods of a game, or a class of such objects."""


def load_game(game: GameLike) -> Game[Any, Any]:
    """Returns the game that ``game`` stands for.

    A text is a name with parameters, by position or by name (``"hex:7"``, ``"go:13,komi=5.5"``), or a class in a file
    with its parameters (``"my.py:MyGame:5,4"``). A class is called without arguments. An object needs the five methods
    of ``Game`` and nothing else: nothing has to be inherited, and one without a name is called after its class.

    Raises:
        GameError: one line that says what is wrong: the unknown name or parameter, the missing methods.
    """
    return catalogue.load(game) if isinstance(game, str) else adopted(game)


def game_names() -> list[str]:
    """Returns the names of the games that are installed, those of playout first."""
    return catalogue.names()
