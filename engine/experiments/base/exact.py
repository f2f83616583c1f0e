"""Exact values by exhaustive search."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.kernel import kernel_params
from playout.games.game import CHANCE, Game, HasChance, action_to_text


def exact_values(game: Game[Any, Any]) -> dict[str, float]:
    """Returns the exact value of each move of the initial position, for the player who makes it. For up to 10^5
    positions.
    """
    kernel = kernel_of(game)
    if kernel is not None:
        return _kernel_values(_core.Position(kernel, kernel_params(game)))
    state = game.initial_state()
    sign = 1.0 if game.current_player(state) == 0 else -1.0
    known: dict[Hashable, float] = {}
    return {
        action_to_text(game, state, action): sign * _value(game, game.next_state(state, action), known)
        for action in game.legal_actions(state)
    }


def _value(game: Game[Any, Any], state: Any, known: dict[Hashable, float]) -> float:
    """Returns player 0's value, computed with the Python definition."""
    returns = game.returns(state)
    if returns is not None:
        return float(returns[0])
    value = known.get(state)
    if value is None:
        player = game.current_player(state)
        if player == CHANCE:
            assert isinstance(game, HasChance)
            outcomes = game.chance_outcomes(state)
            value = sum(p * _value(game, game.next_state(state, outcome), known) for outcome, p in outcomes)
        else:
            values = (_value(game, game.next_state(state, action), known) for action in game.legal_actions(state))
            value = max(values) if player == 0 else min(values)
        known[state] = value
    return value


def _kernel_values(position: _core.Position) -> dict[str, float]:
    sign = 1.0 if position.player() == 0 else -1.0
    known: dict[int, float] = {}
    return {
        position.action_text(action): sign * _kernel_value(_after(position, action), known)
        for action in position.actions()
    }


def _kernel_value(position: _core.Position, known: dict[int, float]) -> float:
    """Returns player 0's value, computed with the kernel; symmetry images share one entry. Games without
    chance only.
    """
    result = position.result()
    if result is not None:
        return result
    key = position.canonical()[0]
    value = known.get(key)
    if value is None:
        best = max if position.player() == 0 else min
        value = known[key] = best(_kernel_value(_after(position, action), known) for action in position.actions())
    return value


def _after(position: _core.Position, action: int) -> _core.Position:
    after = position.copy()
    after.play(action)
    return after
