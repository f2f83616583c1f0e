"""Positions of the kernels, by the words that lead to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from playout.engine import _core
from playout.engine.config import kernel_of
from playout.engine.searcher import PLAYER_TOKENS, kernel_params
from playout.games.game import Game


def kernel_position(game: Game[Any, Any], text: str | None, words: Sequence[str]) -> _core.Position | None:
    """The position after ``words`` (moves and ``PLAYER_TOKENS``) from ``text``; None for a game without a kernel."""
    kernel = kernel_of(game)
    if kernel is None:
        return None
    position = _core.Position(kernel, kernel_params(game), text)
    play(position, words)
    return position


def play(position: _core.Position, words: Iterable[str]) -> None:
    """Plays ``words``, which must be legal."""
    for word in words:
        if word in PLAYER_TOKENS:
            position.set_player(PLAYER_TOKENS.index(word))
            continue
        action = position.parse_action(word)
        assert action is not None, word
        position.play(action)
