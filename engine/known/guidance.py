"""Hints of macros for the search: the positions that they lead to from the root, each with its moves.

Macros are looked for at the root and at the positions after its next moves, and followed as far as their trees go. A
position has the hints for the player to move. Inside a macro's tree, where there are none, it has the replies that the
tree answers, so that playouts go through the whole tree.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.macros.macro import Macro, MacroStep
from playout.engine.known.session_books import Books
from playout.engine.search.searcher import Hint
from playout.engine.terms.task import SearchTask
from playout.games.game import CHANCE, HasActionText, HasKey

Hinted = tuple[str | None, Sequence[str], Sequence[Hint]]
"""A position, given by a start text and the words from there, with its hints."""

MOST_POSITIONS = 500
"""Bound of the positions that are looked up for one root."""
NEAR_POSITIONS = 150
"""Share of those positions that may lie off all lines of macros; macros are looked for at the nearest."""
MOST_PLIES = 60
"""Bound of the plies from the root to a position with hints."""
MOST_SECONDS, TIME_SHARE = 0.05, 0.05
"""Bounds of the look-up for one root where the search has a time limit: in seconds, and as a share of the time for the
move. A search without one must repeat exactly, so its look-up is not timed."""


class Guide:
    """Collects the hints for one root after another, and remembers which ones the searcher has.

    Thread contract: one thread at a time.
    """

    def __init__(self) -> None:
        self._given_for: object = None
        self._told = False

    def refresh(self, task: SearchTask, books: Books, seconds: float | None) -> list[Hinted] | None:
        """Returns the hints for the root of ``task``, or None if the searcher already has them.

        An analysis gets no hints. ``seconds`` is the expected time for the move; None without a time limit. ``books``
        have been prepared for ``task``. A macro that fails is laid aside, and nothing is raised.
        """
        line = task.line
        known = task.analysis or (task.game, line.text, line.words, len(line.resumed), books.version)
        if known == self._given_for:
            return None
        self._given_for = known
        entries = []
        if not task.analysis and books.macros:
            until = None if seconds is None else time.monotonic() + min(MOST_SECONDS, TIME_SHARE * seconds)
            try:
                entries = _Walk(task, books, until).entries()
            except Exception as error:
                books.lay_macros_aside(error)
        told, self._told = self._told or bool(entries), bool(entries)
        return entries if told else None

    def forget(self) -> None:
        """Notes that the next root is for another searcher, which has no hints."""
        self._given_for, self._told = None, False


@dataclass(slots=True)
class _Place:
    """A position to look up."""

    state: Any
    words: tuple[str, ...]
    """Moves from the root."""
    through: Sequence[MacroStep]
    """Steps of macros that led here: their trees go on from here."""
    near: bool
    """Whether further macros are looked for here."""


class _Walk:
    """A breadth-first walk from the root. Positions that macros lead to come before those that are near."""

    def __init__(self, task: SearchTask, books: Books, until: float | None) -> None:
        """``until`` is the ``time.monotonic()`` at which the walk ends; None is no bound."""
        game, line = task.game, task.line
        self._game, self._books, self._until = game, books, until
        # Looked up once, because to look for a hook takes as long as to make a move.
        self._name = game.action_to_text if isinstance(game, HasActionText) else lambda _, action: str(action)
        self._key = game.key if isinstance(game, HasKey) else lambda state: state
        self._text, self._words = line.path(game)
        self._root = _Place(line.state, (), (), True)
        self._known: deque[_Place] = deque([self._root])
        self._near: deque[_Place] = deque()
        self._nearby = 0
        self._seen: set[Any] = set()
        self._hints: dict[tuple[str, ...], dict[str, Hint]] = {}

    def entries(self) -> list[Hinted]:
        """Returns the hints, ordered by their lines."""
        looked = 0
        while looked < MOST_POSITIONS and (self._known or self._near) and not self._late():
            self._look((self._known or self._near).popleft())
            looked += 1
        return [
            (self._text, (*self._words, *words), tuple(hints.values())) for words, hints in sorted(self._hints.items())
        ]

    def _look(self, place: _Place) -> None:
        """Notes the hints of a position, and queues the positions after it."""
        game, state = self._game, place.state
        if game.returns(state) is not None or len(place.words) >= MOST_PLIES or self._was_seen(place):
            return
        if game.current_player(state) == CHANCE:
            for outcome in game.legal_actions(state):
                self._follow(place, outcome, (), near=False)
            return
        begun = self._begun(place)
        legal = dict.fromkeys(game.legal_actions(state)) if place.through or begun or place.near else {}
        steps = [step for before in place.through for step in before.then(state) if step.action in legal]
        through = len(steps)
        steps += [step for step in begun if step.action in legal]
        own: dict[Any, Hint] = {}
        theirs: dict[Any, Hint] = {}
        for number, step in enumerate(steps):
            if step.ours or number < through:
                into = own if step.ours else theirs
                text = self._name(state, step.action)
                into[step.action] = _joined(into.get(step.action), _hint_of_macro(text, step))
        if any(step.ours and step.macro.only for step in steps):
            for action in legal:
                if action not in own:
                    own[action] = Hint(self._name(state, action), 0.0, banned=True)
        hints = own or theirs
        if hints:
            self._hints[place.words] = {hint.move: hint for hint in hints.values()}
        after: dict[Any, list[MacroStep]] = {}
        for step in steps:
            after.setdefault(step.action, []).append(step)
        for action, follow in after.items():
            self._follow(place, action, follow, near=self._is_near(place))
        others = [action for action in legal if action not in after]
        if self._is_near(place) and not place.through:
            for action in others[: NEAR_POSITIONS - self._nearby]:
                self._nearby += 1
                self._follow(place, action, (), near=True)

    def _begun(self, place: _Place) -> list[MacroStep]:
        """Returns the first steps of the macros that match, of those for which there is time."""
        begun: list[MacroStep] = []
        for macro in self._applying(place):
            if self._late():
                break
            begun += macro.at(place.state, self._until)
        return begun

    def _late(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def _is_near(self, place: _Place) -> bool:
        """Whether macros are looked for after each move here."""
        return place.near and any(not macro.is_rule for macro in self._books.macros)

    def _applying(self, place: _Place) -> Sequence[Macro]:
        """Returns the macros to look for. Rules are slow, so they are looked for at the root only."""
        if not place.near:
            return ()
        return self._books.macros if place is self._root else [m for m in self._books.macros if not m.is_rule]

    def _follow(self, place: _Place, action: Any, steps: Sequence[MacroStep], *, near: bool) -> None:
        state = self._game.next_state(place.state, action)
        words = (*place.words, self._name(place.state, action))
        (self._known if steps else self._near).append(_Place(state, words, steps, near))

    def _was_seen(self, place: _Place) -> bool:
        """Whether the position was looked up along another line. Inside a macro's tree it is looked up again."""
        key = self._key(place.state)
        if key in self._seen and not place.through:
            return True
        self._seen.add(key)
        return False


def _hint_of_macro(text: str, step: MacroStep) -> Hint:
    if not step.ours:
        return Hint(text)
    return Hint(text, step.macro.weight, step.macro.visits, step.macro.value)


def _joined(one: Hint | None, other: Hint) -> Hint:
    """Returns the hint of two sources: the greater weight, and the results of the source that has more of them."""
    if one is None:
        return other
    more = max(one, other, key=lambda hint: hint.visits)
    return Hint(one.move, max(one.weight, other.weight), more.visits, more.value, one.banned and other.banned)
