"""Macros for the searcher: drawings with their trees as plain data, and the positions of exact macros with their hints.

The searcher matches drawings itself, wherever it chooses between moves. A macro with a position has its hints at the
positions of its tree, wherever the search meets them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from playout.books.macros.decision_tree import OTHERS, MacroTurn
from playout.books.macros.declared_boards import board_of
from playout.books.macros.macro import Macro
from playout.books.macros.patterns import ANY
from playout.books.macros.reader import START, MacroText, legal
from playout.engine.known.macro_trees import TreeStart, tree_hints, tree_numbers
from playout.engine.search.searcher import DrawnMacro, DrawnTurn, Hinted, Images
from playout.games.game import Game, action_to_text

MOST_POSITIONS = 20_000
"""Bound of the positions of all exact macros together."""


def drawn_macros(game: Game[Any, Any], macros: Sequence[Macro]) -> tuple[Images, list[DrawnMacro]]:
    """Returns the symmetry images in which drawings apply, and the macros with drawings, in their order."""
    drawn = [macro for macro in macros if macro.is_drawn]
    # The board of a user's game is asked for only where it is needed: the game may be at fault.
    board = board_of(game) if drawn else None
    if board is None:
        return ((), False), []
    return (board.images, board.owned_edges), [
        (
            (macro.weight, macro.visits, macro.value, macro.only),
            [
                [(cell.column, cell.row, cell.symbol) for cell in pattern.value.cells if cell.symbol != ANY]
                for pattern in macro.text.patterns
            ],
            _turns(macro.text.turn),
        )
        for macro in drawn
    ]


def _turns(top: MacroTurn) -> list[DrawnTurn]:
    """Returns the turns of a tree, the first one at its root."""
    turns, numbered = list[DrawnTurn](), 1
    todo = deque([top])
    while todo:
        turn = todo.popleft()
        replies, others = list[tuple[str, int]](), None
        for reply, answer in turn.replies:
            if reply.value == OTHERS:
                others = numbered
            else:
                replies.append((reply.value, numbered))
            todo.append(answer)
            numbered += 1
        turns.append((turn.play.value if turn.play is not None else None, replies, others))
    return turns


def exact_hints(game: Game[Any, Any], macros: Sequence[Macro]) -> list[Hinted]:
    """Returns the hints of the macros with positions, at no more than ``MOST_POSITIONS`` positions."""
    found, numbers = list[Hinted](), tree_numbers(macros)
    for macro in macros:
        if macro.text.position is not None:
            start = _start(game, macro.text)
            found += tree_hints(game, start, macro.at(start.state), numbers, MOST_POSITIONS - len(found))
    return found


def _start(game: Game[Any, Any], text: MacroText) -> TreeStart:
    """Returns the position of a macro."""
    assert text.position is not None
    named = None if text.position.value == START else text.position.value
    state = text.first_state(game)
    words = list[str]()
    for move in text.moves:
        action = legal(game, state, move)
        words.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    return TreeStart(state, named, tuple(words))
