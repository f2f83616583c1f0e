"""Any object or class with the five methods of a game, made a ``Game``.

Games are found by their methods and never inherit, so the one thing that a user's game may lack is a name. It gets one
here, on a copy: the user's object stays as it was.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Protocol

from playout.games.errors import RAISED_BY_GAMES, GameError, PlayoutError
from playout.games.game import Game

REQUIRED = ("initial_state", "current_player", "legal_actions", "next_state", "returns")


class GameMethods(Protocol):
    """The five methods that make a game; ``playout.games.game.Game`` says what each returns."""

    def initial_state(self) -> Any: ...
    def current_player(self, state: Any, /) -> int: ...
    def legal_actions(self, state: Any, /) -> Sequence[Any]: ...
    def next_state(self, state: Any, action: Any, /) -> Any: ...
    def returns(self, state: Any, /) -> Sequence[float] | None: ...


def adopted(
    game: GameMethods | type[GameMethods], name: str | None = None, source: str | None = None
) -> Game[Any, Any]:
    """``game``, or an instance of it if it is a class, as a game with a name.

    A game that has no ``name`` is called ``name``, by default its class's name in lower case. Errors speak of
    ``source``, by default the class.

    Raises:
        GameError: one line, if a method is missing, the class cannot be made without arguments, or its instances can
            have no name.
    """
    if isinstance(game, type):
        source = source or game.__name__
        try:
            made: Any = game()
        except PlayoutError:
            raise
        except RAISED_BY_GAMES as error:
            raise GameError(f"{source}: {type(error).__name__}: {error}; pass an instance") from error
    else:
        made = game
    kind = type(made)
    source = source or kind.__name__
    missing = [method for method in REQUIRED if not callable(getattr(made, method, None))]
    if missing:
        raise GameError(f"{source}: not a game, it lacks {', '.join(missing)}")
    if isinstance(getattr(made, "name", None), str):
        return made  # type: ignore[no-any-return]
    try:
        return _named(made, name or kind.__name__.lower())
    except (AttributeError, TypeError) as error:
        raise GameError(f"{source}: the game needs an attribute name, a text: {error}") from error


def _named(game: Any, name: str) -> Game[Any, Any]:
    """A copy of ``game`` whose class adds the name.

    A wrapper would not do: hooks are looked up on the class (``inspect.getattr_static``), and the fields of a dataclass
    are the game's parameters.
    """
    kind = type(game)
    derived = type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, "name": name})
    made = copy.copy(game)
    object.__setattr__(made, "__class__", derived)
    if made.name != name:  # an attribute of the instance hides that of the class
        object.__setattr__(made, "name", name)
    return made  # type: ignore[no-any-return]
