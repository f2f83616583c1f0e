"""Priors P(a): probabilities of the moves by the game's own knowledge H(s, a), before any search."""

from __future__ import annotations

import logging
import math
from typing import Any

from playout.engine import _core
from playout.engine.judge.ownership import kernel_position
from playout.engine.options.config import SearchConfig
from playout.engine.terms.line import Line
from playout.engine.terms.policies import WITH_PRIORS
from playout.games.game import CHANCE, Game, HasActionValues, action_to_text, is_over

log = logging.getLogger(__name__)


def priors(
    game: Game[Any, Any], state: Any, position: _core.Position | None, temperature: float = 1.0
) -> dict[str, float]:
    """Returns the softmax of H(s, a) at ``temperature`` over the legal moves at ``state``; the priors add up to 1.

    Empty if the game has no such knowledge. ``position`` is the kernel's position; None without a kernel.
    """
    if position is not None:
        logits = position.preferences()
        names = [position.action_text(action) for action in position.actions()] if logits is not None else []
    elif isinstance(game, HasActionValues):
        actions = game.legal_actions(state)
        logits = [float(value) for value in game.action_values(state, actions)]
        names = [action_to_text(game, state, action) for action in actions]
    else:
        return {}
    if not names or logits is None:
        return {}
    most = max(logits)
    weights = [math.exp((logit - most) / temperature) for logit in logits]
    whole = math.fsum(weights)
    return {name: weight / whole for name, weight in zip(names, weights, strict=True)}


def search_priors(game: Game[Any, Any], line: Line, config: SearchConfig) -> dict[str, float]:
    """Returns the priors that a search of the end of ``line`` uses.

    Empty if its policy uses none, at a chance position, and if the game fails. Never raises.
    """
    try:
        line = line.taken_up(game)
        over = is_over(game, line.state)
        if config.tree_policy not in WITH_PRIORS or over or game.current_player(line.state) == CHANCE:
            return {}
        position = kernel_position(game, *line.path(game))
        return priors(game, line.state, position, config.prior_temperature)
    except Exception:
        log.exception("the game failed")
        return {}
