"""What books and macros tell the search: hints for the positions that they lead to from the root.

Books are walked along their moves. Macros are looked for at the root and at the positions after its next moves, and
followed as far as their trees go. A position has the hints of what the player to move knows himself; in the midst of a
tree, where there is nothing of the kind, the replies that it answers, so that playouts go through the whole tree.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.base.book import BookMove
from playout.books.macros.macro import Macro, Step
from playout.engine.known.session_books import Books
from playout.engine.options.table import Options
from playout.engine.search.searcher import Hint
from playout.engine.terms.line import Line
from playout.games.game import CHANCE, Game, HasActionText, HasKey

Hinted = tuple[str | None, Sequence[str], Sequence[Hint]]
"""A position, by a text and the words from there, with its hints."""

MOST_POSITIONS = 20_000
"""Positions that are looked up for one root."""
MACRO_POSITIONS = 500
"""Of these, positions in the midst of a macro, or near."""
NEAR_POSITIONS = 150
"""Of these, positions off all lines of books and macros, at which macros are looked for, the nearest first."""
MOST_PLIES = 60
"""From the root to a position with hints."""
MOST_SECONDS, TIME_SHARE = 0.05, 0.05
"""For one root, where the search has a time limit: at most, and as a share of a move's. Without one it must repeat."""
MOST_COUNT = 100
"""Observations that a book move brings along at most: what others played is no proof."""

LOST_GAMES = 5
"""From so many games on, all lost, a move that is not to be played counts as known to lose."""


class Guide:
    """The hints for one root after another; the last ones are kept until the root or what is known changes."""

    def __init__(self) -> None:
        self._of: object = None
        self._told = False

    def refresh(
        self, game: Game[Any, Any], line: Line, books: Books, options: Options, *, apart: bool, seconds: float | None
    ) -> list[Hinted] | None:
        """The hints for the root at the end of ``line``, none if the search is to be kept ``apart`` from books; None
        if those that were given last hold still. ``seconds`` is the time for the move, None if there is no limit."""
        depth = options.integer("BookDepth")
        known = apart or (game, line.text, line.words, len(line.resumed), books.version, depth)
        if known == self._of:
            return None
        self._of = known
        entries = []
        if not apart and books.active:
            until = None if seconds is None else time.monotonic() + min(MOST_SECONDS, TIME_SHARE * seconds)
            try:
                entries = _Walk(game, line, books, depth, until).entries()
            except Exception as error:
                books.lay_macros_aside(error)
        told, self._told = self._told or bool(entries), bool(entries)
        return entries if told else None

    def forget(self) -> None:
        """The next root is for another searcher, which has no hints."""
        self._of, self._told = None, False


@dataclass(slots=True)
class _Place:
    """A position to look at."""

    state: Any
    words: tuple[str, ...]
    """From the root."""
    through: Sequence[Step]
    """Of the macros whose trees come through here: what led here."""
    near: bool
    """Whether macros are looked for here, other than those."""
    booked: bool
    """Whether it was reached by book moves."""


class _Walk:
    """From the root, breadth first: what books and macros know comes before what is merely near."""

    def __init__(self, game: Game[Any, Any], line: Line, books: Books, depth: int, until: float | None) -> None:
        self._game, self._books, self._depth, self._until = game, books, depth, until
        self._ply = len(line.moves)
        # Asked once: a look for a hook takes as long as a move.
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
        """The hints, ordered by their lines."""
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
        """Notes the hints of a position and what is to be looked at after it."""
        game, state = self._game, place.state
        if game.returns(state) is not None or len(place.words) >= MOST_PLIES or self._was_seen(place):
            return
        if game.current_player(state) == CHANCE:
            for outcome in game.legal_actions(state):
                self._follow(place, outcome, (), near=False, booked=place.booked)
            return
        begun = [step for macro in self._applying(place) for step in macro.at(state, self._until)]
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
        after: dict[Any, list[Step]] = {}
        for step in steps:
            after.setdefault(step.action, []).append(step)
        for action, move in moves.items():
            if move.weight > 0:
                after.setdefault(action, [])
        for action, follow in after.items():
            self._follow(place, action, follow, near=self._is_near(place), booked=action in moves)
        if self._is_near(place) and not place.through:
            others = [action for action in legal if action not in after]
            for action in others[: NEAR_POSITIONS - self._nearby]:
                self._nearby += 1
                self._follow(place, action, (), near=True, booked=False)

    def _is_near(self, place: _Place) -> bool:
        """Whether macros are looked for after each move here."""
        return place.near and any(not macro.is_rule for macro in self._books.macros)

    def _applying(self, place: _Place) -> Sequence[Macro]:
        """The macros to look for: rules, which take long, only at the root; their trees go on by themselves."""
        if not place.near:
            return ()
        return self._books.macros if place is self._root else [m for m in self._books.macros if not m.is_rule]

    def _book_moves(self, place: _Place) -> dict[Any, BookMove]:
        beyond = self._depth and self._ply + len(place.words) >= self._depth
        known = self._books.lookup(place.state) if place.booked and not beyond else None
        return {move.action: move for move in known[1]} if known is not None else {}

    def _follow(self, place: _Place, action: Any, steps: Sequence[Step], *, near: bool, booked: bool) -> None:
        state = self._game.next_state(place.state, action)
        words = (*place.words, self._name(place.state, action))
        where = self._booked if booked else self._known if steps else self._near
        where.append(_Place(state, words, steps, near, booked))

    def _was_seen(self, place: _Place) -> bool:
        """Whether the position was looked at by another line; trees in progress are looked at again."""
        key = self._key(place.state)
        if (key, place.booked) in self._seen and not place.through:
            return True
        self._seen.add((key, place.booked))
        return False


def _hint_of_book(text: str, move: BookMove) -> Hint:
    """The move with what searching found it worth or, where nobody searched, with the results of its games."""
    count = move.wins + move.draws + move.losses
    if move.value is not None:
        return Hint(text, move.weight, MOST_COUNT, move.value, _lost(move))
    value = (move.wins - move.losses) / count if count else 0.0
    return Hint(text, move.weight, min(count, MOST_COUNT), value, _lost(move))


def _lost(move: BookMove) -> bool:
    """Whether the book knows that the move loses: it is not to be played, and lost whenever it was, in more than a few
    games, or by its value."""
    always = move.losses >= LOST_GAMES and not (move.wins or move.draws)
    return move.weight <= 0 and (always if move.value is None else move.value <= -1)


def _hint_of_macro(text: str, step: Step) -> Hint:
    if not step.ours:
        return Hint(text)
    return Hint(text, step.macro.weight, step.macro.visits, step.macro.value)


def _joined(one: Hint | None, other: Hint) -> Hint:
    """What two sources say of a move: the greater weight, and the results of the one that has more of them."""
    if one is None:
        return other
    more = max(one, other, key=lambda hint: hint.visits)
    return Hint(one.move, max(one.weight, other.weight), more.visits, more.value, one.banned and other.banned)
