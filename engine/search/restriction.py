"""Restrictions of a search to some moves: converts a user's names of moves to the game's, and finds the moves left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from playout.engine.options.config import kernel_of
from playout.engine.terms.limits import Restriction
from playout.games.board_hooks import HasPoints
from playout.games.errors import IllegalMove
from playout.games.game import Game, HasPlayerChange, action_to_text, text_to_action

BOARD_KERNELS = frozenset({"connect_four", "tic_tac_toe"})
"""Kernels of the games without ``HasPoints`` whose moves have the same name in all positions and are all legal at the
start."""


def named(game: Game[Any, Any], state: Any, word: str) -> str | None:
    """The game's name of the move ``word``, which either player may make at ``state`` or later; None if no such move
    exists. If the names of moves depend on the position, a word that names no move at ``state`` is returned as it is.
    """
    states = [state]
    if isinstance(game, HasPlayerChange) and (player := game.current_player(state)) in (0, 1):
        states.append(game.with_player(state, 1 - player))
    for known in (*states, game.initial_state()):
        try:
            return action_to_text(game, known, text_to_action(game, known, word))
        except IllegalMove:
            continue
    return None if isinstance(game, HasPoints) or kernel_of(game) in BOARD_KERNELS else word


def permitted(game: Game[Any, Any], state: Any, restrictions: Iterable[Restriction]) -> list[str]:
    """The legal moves at the root ``state`` that ``restrictions`` permit. These name moves as the game does."""
    rules = [rule for rule in restrictions if rule.player == game.current_player(state)]
    avoided = {move for rule in rules if not rule.only for move in rule.moves}
    allowed = {move for rule in rules if rule.only for move in rule.moves}
    narrowed = any(rule.only for rule in rules)
    legal = [action_to_text(game, state, action) for action in game.legal_actions(state)]
    return [move for move in legal if move not in avoided and (not narrowed or move in allowed)]


def bounds(
    game: Game[Any, Any], state: Any, restrictions: Sequence[Restriction]
) -> tuple[tuple[str, ...], tuple[Restriction, ...]]:
    """``restrictions`` as the fields ``search_moves`` and ``restrictions`` of ``Limits``, of which one is empty.

    Restrictions that apply at the root alone become ``search_moves``, because these keep the graph of other searches.

    Raises:
        IllegalMove: if no legal move is left at ``state``.
    """
    left = permitted(game, state, restrictions)
    if not left and game.legal_actions(state):
        raise IllegalMove("no legal move is left to search")
    if any(rule.plies > 1 for rule in restrictions):
        return (), tuple(restrictions)
    at_root = any(rule.player == game.current_player(state) for rule in restrictions)
    return tuple(left) if at_root else (), ()
