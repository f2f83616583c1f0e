"""The komi of a game with territory, which interfaces change."""

from __future__ import annotations

from typing import Any

from playout.games import catalogue
from playout.games.errors import GameError


def has_komi(game: Any) -> bool:
    """Whether the komi is a parameter of the game."""
    return any(field.name == "komi" for field in catalogue.parameters(type(game)))


def with_komi(game: Any, komi: float) -> Any:
    """``game``, which has territory, with another komi.

    Raises:
        GameError: if the game's komi cannot be changed to that.
    """
    if komi == game.komi:
        return game
    if not has_komi(game):
        raise GameError(f"{game.name}: the komi is always {game.komi:g}")
    return catalogue.replaced(game, komi=komi)
