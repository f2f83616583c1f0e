"""Who holds what: points and chains judged by playouts, for the end of a game of territory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from playout.engine import _core
from playout.engine.config import kernel_of
from playout.engine.searcher import PLAYER_TOKENS, kernel_params
from playout.games.game import Game

PLAYOUTS = 1000
DEAD = -0.4
"""A chain is dead if its own side's mean hold of its points is below this: lost in seven playouts of ten."""


def ownership(game: Game[Any, Any], text: str | None, words: Sequence[str], *, seed: int = 0) -> list[float]:
    """How surely each point is player 0's at the end, in [-1, 1]: the mean of ``PLAYOUTS`` playouts.

    The position is that after ``words`` (moves and ``PLAYER_TOKENS``) from ``text``. Empty for a game without
    territory.
    """
    kernel = kernel_of(game)
    if kernel is None:
        return []
    position = _core.Position(kernel, kernel_params(game), text)
    for word in words:
        if word in PLAYER_TOKENS:
            position.set_player(PLAYER_TOKENS.index(word))
            continue
        action = position.parse_action(word)
        assert action is not None, word
        position.play(action)
    return position.ownership(PLAYOUTS, seed)


def is_dead(chain: Iterable[int], player: int, owners: Sequence[float]) -> bool:
    """Whether a chain of ``player``'s is dead, by ``ownership``. Its stones live and die together."""
    holds = [owners[point] if player == 0 else -owners[point] for point in chain]
    return sum(holds) / len(holds) < DEAD
