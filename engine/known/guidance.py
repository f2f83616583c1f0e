"""Hints of books and macros for the search: the positions that they lead to from the root, each with its moves.

Books are followed along their moves, from the root and from those positions after its next moves that a book knows,
whichever move leads there. Macros are looked for at the root and at the positions after its next moves, and
followed as far as their trees go. A position has the hints for the player to move. Inside a macro's tree, where there
are none, it has the replies that the tree answers, so that playouts go through the whole tree.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.base.book import BookMove
from playout.books.macros.macro import Macro, MacroStep
from playout.engine.known.session_books import Books
from playout.engine.search.searcher import Hint
from playout.engine.terms.task import SearchTask
from playout.games.game import CHANCE, HasActionText, HasKey

Hinted = tuple[str | None, Sequence[str], Sequence[Hint]]
"""A position, given by a start text and the words from there, with its hints."""

MOST_POSITIONS = 20_000
"""Bound of the positions that are looked up for one root."""
MACRO_POSITIONS = 500
"""Share of those positions that may lie inside or near a macro."""
NEAR_POSITIONS = 150
"""Share of those positions that may lie off all lines of books and macros; macros are looked for at the nearest."""
MOST_PLIES = 60
"""Bound of the plies from the root to a position with hints."""
MOST_SECONDS, TIME_SHARE = 0.05, 0.05
"""Bounds of the look-up for one root where the search has a time limit: in seconds, and as a share of the time for the
move. A search without one must repeat exactly, so its look-up is not timed."""
MOST_COUNT = 100
"""Bound of the observations that a book move stands for: what others played proves nothing."""

LOST_GAMES = 5
"""Number of games, all lost, from which on a move of weight 0 counts as known to lose."""


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
        depth = task.options.integer("BookDepth")
        known = task.analysis or (task.game, line.text, line.words, len(line.resumed), books.version, depth)
        if known == self._given_for:
            return None
        self._given_for = known
        entries = []
        if not task.analysis and books.active:
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
    booked: bool
    """Whether the position was reached by book moves."""


class _Walk:
    """A breadth-first walk from the root. Positions that books and macros lead to come before those that are near."""

    def __init__(self, task: SearchTask, books: Books, until: float | None) -> None:
        """``until`` is the ``time.monotonic()`` at which the walk ends; None is no bound."""
        game, line = task.game, task.line
        self._game, self._books, self._until = game, books, until
        self._depth, self._ply = task.options.integer("BookDepth"), task.ply
        # Looked up once, because to look for a hook takes as long as to make a move.
        self._name = game.action_to_text if isinstance(game, HasActionText) else lambda _, action: str(action)
        self._key = game.key if isinstance(game, HasKey) else lambda state: state
        self._text, self._words = line.path(game)
        self._root = _Place(line.state, (), (), True, True)
        self._booked: deque[_Place] = deque([self._root])
        self._known: deque[_Place] = deque()
        self._near: deque[_Place] = deque()
        self._nearby = 0
        self._seen: set[tuple[Any, bool]] = set()
        self._hints: dict[tuple[str, ...], dict[str, Hint]] = {}

    def entries(self) -> list[Hinted]:
        """Returns the hints, ordered by their lines."""
        looked = macros = 0
        while looked < MOST_POSITIONS and (self._until is None or time.monotonic() < self._until):
            if self._booked:
                place = self._booked.popleft()
            elif self._known and macros < MACRO_POSITIONS:
                place = self._known.popleft()
                macros += 1
            elif self._near and macros < MACRO_POSITIONS:
                place = self._near.popleft()
                macros += 1
            else:
                break
            self._look(place)
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
                self._follow(place, outcome, (), near=False, booked=place.booked)
            return
        begun = self._begun(place)
        moves = self._book_moves(place)
        legal = dict.fromkeys(game.legal_actions(state)) if place.through or begun or place.near or moves else {}
        # A book knows the board, not the history, by which Go forbids moves.
        moves = {action: move for action, move in moves.items() if action in legal}
        steps = [step for before in place.through for step in before.then(state) if step.action in legal]
        through = len(steps)
        steps += [step for step in begun if step.action in legal]
        own = {
            action: _hint_of_book(self._name(state, action), move)
            for action, move in moves.items()
            if move.weight > 0 or _lost(move)
        }
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
        for action, move in moves.items():
            if move.weight > 0:
                after.setdefault(action, [])
        for action, follow in after.items():
            self._follow(place, action, follow, near=self._is_near(place), booked=action in moves)
        others = [action for action in legal if action not in after]
        if place is self._root:
            found = [action for action in others if self._leads_to_a_book(place, action)]
            for action in found:
                self._follow(place, action, (), near=self._is_near(place), booked=True)
            others = [action for action in others if action not in found]
        if self._is_near(place) and not place.through:
            for action in others[: NEAR_POSITIONS - self._nearby]:
                self._nearby += 1
                self._follow(place, action, (), near=True, booked=False)

    def _begun(self, place: _Place) -> list[MacroStep]:
        """Returns the first steps of the macros that match, of those for which there is time."""
        begun: list[MacroStep] = []
        for macro in self._applying(place):
            if self._until is not None and time.monotonic() >= self._until:
                break
            begun += macro.at(place.state, self._until)
        return begun

    def _is_near(self, place: _Place) -> bool:
        """Whether macros are looked for after each move here."""
        return place.near and any(not macro.is_rule for macro in self._books.macros)

    def _applying(self, place: _Place) -> Sequence[Macro]:
        """Returns the macros to look for. Rules are slow, so they are looked for at the root only."""
        if not place.near:
            return ()
        return self._books.macros if place is self._root else [m for m in self._books.macros if not m.is_rule]

    def _book_moves(self, place: _Place) -> dict[Any, BookMove]:
        known = self._books.lookup(place.state) if place.booked and self._within_depth(len(place.words)) else None
        return {move.action: move for move in known[1]} if known is not None else {}

    def _within_depth(self, plies: int) -> bool:
        """Whether books are asked at this number of plies from the root."""
        return not self._depth or self._ply + plies < self._depth

    def _leads_to_a_book(self, place: _Place, action: Any) -> bool:
        """Whether a book knows the position after the action, or after it and a roll."""
        game = self._game
        after, plies = game.next_state(place.state, action), len(place.words) + 1
        if game.returns(after) is not None or (self._until is not None and time.monotonic() >= self._until):
            return False
        if game.current_player(after) != CHANCE:
            return self._within_depth(plies) and self._books.lookup(after) is not None
        rolled = (game.next_state(after, outcome) for outcome in game.legal_actions(after))
        return self._within_depth(plies + 1) and any(self._books.lookup(state) is not None for state in rolled)

    def _follow(self, place: _Place, action: Any, steps: Sequence[MacroStep], *, near: bool, booked: bool) -> None:
        state = self._game.next_state(place.state, action)
        words = (*place.words, self._name(place.state, action))
        where = self._booked if booked else self._known if steps else self._near
        where.append(_Place(state, words, steps, near, booked))

    def _was_seen(self, place: _Place) -> bool:
        """Whether the position was looked up along another line. Inside a macro's tree it is looked up again."""
        key = self._key(place.state)
        if (key, place.booked) in self._seen and not place.through:
            return True
        self._seen.add((key, place.booked))
        return False


def _hint_of_book(text: str, move: BookMove) -> Hint:
    """Returns the hint with the value that a search found or, without one, with the results of the move's games."""
    count = move.wins + move.draws + move.losses
    if move.value is not None:
        return Hint(text, move.weight, MOST_COUNT, move.value, _lost(move))
    value = (move.wins - move.losses) / count if count else 0.0
    return Hint(text, move.weight, min(count, MOST_COUNT), value, _lost(move))


def _lost(move: BookMove) -> bool:
    """Whether the book knows that the move loses: its weight is 0, and it lost all of at least ``LOST_GAMES`` games or
    has the value of a loss."""
    always = move.losses >= LOST_GAMES and not (move.wins or move.draws)
    return move.weight <= 0 and (always if move.value is None else move.value <= -1)


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
