"""P(a), what a game's knowledge H(s, a) makes of the moves before any search."""

from __future__ import annotations

import math
from typing import Any

from playout.engine import _core
from playout.games.game import Game, HasActionValues, action_to_text


def priors(
    game: Game[Any, Any], state: Any, position: _core.Position | None, temperature: float = 1.0
) -> dict[str, float]:
    """The softmax of H(s, a) at ``temperature`` over the legal moves at ``state``, adding up to 1; empty if the game
    has no such knowledge. ``position`` is the kernel's, if the game has one."""
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
