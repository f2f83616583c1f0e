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
    position = kernel_position(game, text, words)
    return position.ownership(PLAYOUTS, seed) if position is not None else []


def kernel_position(game: Game[Any, Any], text: str | None, words: Sequence[str]) -> _core.Position | None:
    """The kernel's position after ``words`` (moves and ``PLAYER_TOKENS``) from ``text``; None without a kernel."""
    kernel = kernel_of(game)
    if kernel is None:
        return None
    position = _core.Position(kernel, kernel_params(game), text)
    for word in words:
        if word in PLAYER_TOKENS:
            position.set_player(PLAYER_TOKENS.index(word))
            continue
        action = position.parse_action(word)
        assert action is not None, word
        position.play(action)
    return position


def lead(game: Game[Any, Any], state: Any, owners: Sequence[float]) -> float | None:
    """By how many points player 0 leads at the end of playouts with these ``owners``, which went on from ``state``: the
    mean result in points. None for a game that is not decided by points, or without ``owners``.

    Where territory is counted, what each side has played on its own area is taken off again; a difference of a point or
    two between the ways of counting is left out, as playouts do not tell who passed.
    """
    komi = getattr(game, "komi", None)
    if komi is None or not owners:
        return None
    area = sum(owners) - komi
    if getattr(game, "scoring", "area") != "territory":
        return float(area)
    (own, other), (taken, lost) = map(len, game.stones(state)), game.captures(state)  # type: ignore[attr-defined]
    return float(area - (own + lost) + (other + taken))


def is_dead(chain: Iterable[int], player: int, owners: Sequence[float]) -> bool:
    """Whether a chain of ``player``'s is dead, by ``ownership``. Its stones live and die together."""
    holds = [owners[point] if player == 0 else -owners[point] for point in chain]
    return sum(holds) / len(holds) < DEAD
