"""Priors of a position's moves, as the tree policy sees them before the first simulation."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

from playout.engine.config import SearchConfig
from playout.engine.line import Line
from playout.engine.positions import kernel_position
from playout.games.game import CHANCE, Game, HasActionValues, action_to_text, is_over

WITH_PRIORS = ("puct",)
"""The tree policies that go by priors."""


log = logging.getLogger(__name__)


def priors(game: Game[Any, Any], line: Line, config: SearchConfig) -> dict[str, float]:
    """The prior of each legal move, adding up to 1: the softmax of H(s, a) at the configuration's temperature. Empty
    where the policy has no priors, the game no H(s, a), or dice decide, and if the game fails. Never raises."""
    try:
        return _priors(game, line.taken_up(game), config)
    except Exception:
        log.exception("the game failed")
        return {}


def _priors(game: Game[Any, Any], line: Line, config: SearchConfig) -> dict[str, float]:
    state = line.state
    if config.tree_policy not in WITH_PRIORS or is_over(game, state) or game.current_player(state) == CHANCE:
        return {}
    position = kernel_position(game, *line.path(game))
    values: Sequence[float] | None
    if position is not None:
        moves = [position.action_text(action) for action in position.actions()]
        values = position.preferences()
    elif isinstance(game, HasActionValues):
        actions = game.legal_actions(state)
        moves = [action_to_text(game, state, action) for action in actions]
        values = game.action_values(state, actions)
    else:
        return {}
    return {} if values is None else dict(zip(moves, _softmax(values, config.prior_temperature), strict=True))


def _softmax(values: Sequence[float], temperature: float) -> list[float]:
    greatest = max(values, default=0.0)
    weights = [math.exp((value - greatest) / temperature) for value in values]
    total = sum(weights)
    return [weight / total for weight in weights]
