"""Walk through the trees of macros that begin at one position: the positions that they lead to, each with its hints."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.macros.macro import Macro, MacroStep
from playout.engine.search.searcher import Hint, Hinted
from playout.games.game import CHANCE, Game, action_to_text

MOST_PLIES = 60
"""Bound of the plies from the first position to one with hints."""


@dataclass(frozen=True, slots=True)
class TreeStart:
    """Position at which macros begin: the state, and the text and moves that lead to it for the searcher."""

    state: Any
    text: str | None
    words: tuple[str, ...]


def tree_numbers(macros: Sequence[Macro]) -> Mapping[int, int]:
    """Returns the number of each macro's tree for the searcher, by the macro's ``id``."""
    return {id(macro): number for number, macro in enumerate(macros)}


def tree_hints(
    game: Game[Any, Any],
    start: TreeStart,
    begun: Sequence[MacroStep],
    numbers: Mapping[int, int],
    most: int,
    until: float | None = None,
) -> Iterator[Hinted]:
    """Yields the positions to which the steps ``begun`` lead from ``start``, breadth first, with their hints.

    A position has the moves of the macros' player or, where that player is not to move, the replies that the trees
    answer. ``numbers`` are those of the macros' trees, from ``tree_numbers``. At most ``most`` positions are looked at,
    until ``until`` (``time.monotonic()``; None is no bound).
    """
    places = deque([(start.state, start.words, begun)])
    looked = 0
    while places and looked < most and (until is None or time.monotonic() < until):
        looked += 1
        state, words, steps = places.popleft()
        plies = len(words) - len(start.words)
        if game.returns(state) is not None or plies >= MOST_PLIES or game.current_player(state) == CHANCE:
            continue
        legal = game.legal_actions(state)
        steps = [step for step in steps if step.action in legal]
        hints = _hints(game, state, legal, steps, numbers, first=not plies)
        if hints:
            yield start.text, words, hints
        after: dict[Any, list[MacroStep]] = {}
        for step in steps:
            after.setdefault(step.action, []).append(step)
        for action, follow in after.items():
            reached = game.next_state(state, action)
            further = [step for before in follow for step in before.then(reached)]
            if further:
                places.append((reached, (*words, action_to_text(game, state, action)), further))


def _hints(
    game: Game[Any, Any],
    state: Any,
    legal: Sequence[Any],
    steps: Sequence[MacroStep],
    numbers: Mapping[int, int],
    *,
    first: bool,
) -> list[Hint]:
    """Returns the hints of the steps at ``state``. At the first position no tree has begun, so replies are no hints."""
    own = dict[Any, Hint]()
    theirs = dict[Any, Hint]()
    for step in steps:
        text = action_to_text(game, state, step.action)
        macro, trees = step.macro, (numbers[id(step.macro)],)
        if step.ours:
            hint = Hint(text, macro.weight, macro.visits, macro.value, trees=trees)
            own[step.action] = _joined(own.get(step.action), hint)
        elif not first:
            theirs[step.action] = _joined(theirs.get(step.action), Hint(text, trees=trees, ours=False))
    if any(step.ours and step.macro.only for step in steps):
        for action in legal:
            own.setdefault(action, Hint(action_to_text(game, state, action), 0.0, banned=True))
    return list((own or theirs).values())


def _joined(one: Hint | None, other: Hint) -> Hint:
    """Returns the hint of two macros: the greater weight, and the observations of the one that has more of them."""
    if one is None:
        return other
    more = max(one, other, key=lambda hint: hint.visits)
    trees = tuple(sorted({*one.trees, *other.trees}))
    return Hint(one.move, max(one.weight, other.weight), more.visits, more.value, trees=trees, ours=one.ours)
