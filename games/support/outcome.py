"""Results and moves in the words of the game's people."""

from __future__ import annotations

from typing import Any

from playout.games.board_hooks import HasTerritory
from playout.games.game import Game, HasEnding, HasSpoken, colours, points_scale, text_to_action


def outcome(game: Game[Any, Any], state: Any, names: tuple[str, str] | None = None) -> str:
    """Returns the result in words, such as ``White wins by 3.5 points``; empty while the game goes on. ``names`` are
    those of the players, if they do not go by their colours.
    """
    returns = game.returns(state)
    if returns is None:
        return ""
    first = float(returns[0])
    names = names or _names(game)
    reason = game.ending(state) if isinstance(game, HasEnding) else ""
    if first == 0:
        return f"Draw by {reason}" if reason else "Draw"
    winner = names[first < 0]
    if reason:
        return f"{winner} wins by {reason}"
    if isinstance(game, HasTerritory):
        return f"{winner} wins by {abs(game.score(state)):g} points"
    if (scale := points_scale(game)) > 1:
        points = round(abs(first) * scale)
        return f"{winner} wins {points} {'point' if points == 1 else 'points'}"
    return f"{winner} wins"


def resignation(game: Game[Any, Any], loser: int, names: tuple[str, str] | None = None) -> str:
    """Returns the result of a game that player ``loser`` has given up, in words. ``names`` are as in ``outcome``."""
    names = names or _names(game)
    return f"{names[loser]} resigns; {names[1 - loser]} wins"


def overstepped(game: Game[Any, Any], loser: int, names: tuple[str, str] | None = None) -> str:
    """Returns the result of a game that player ``loser`` has lost on time, in words. ``names`` are those of
    ``outcome``.
    """
    return f"{(names or _names(game))[1 - loser]} wins on time"


def spoken(game: Game[Any, Any], state: Any, text: str) -> str:
    """Returns a legal move as people write it; ``text``, in any notation that the game reads, if that is all."""
    return game.spoken(state, text_to_action(game, state, text)) if isinstance(game, HasSpoken) else text


def _names(game: Game[Any, Any]) -> tuple[str, str]:
    first, second = colours(game)
    return first.capitalize(), second.capitalize()
