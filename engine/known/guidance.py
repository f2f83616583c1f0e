"""Macros for the search: handed to the searcher when they change, and rules for each root.

The searcher matches drawings wherever it chooses between moves, and knows the positions of exact macros wherever it
meets them. Rules, whose moves are computed, are slow: they are asked at the root, and followed to the end of their
sequences.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from playout.books.macros.macro import Macro, MacroStep
from playout.engine.known.compiled_macros import drawn_macros, exact_hints
from playout.engine.known.macro_trees import TreeStart, tree_hints, tree_numbers
from playout.engine.known.session_books import Books
from playout.engine.search.searcher import Hinted, Searcher
from playout.engine.terms.task import SearchTask

MOST_POSITIONS = 500
"""Bound of the positions to which rules are followed from one root."""
MOST_SECONDS, TIME_SHARE = 0.05, 0.05
"""Bounds of the time for rules at one root where the search has a time limit: in seconds, and as a share of the time
for the move. A search without one must repeat exactly, so its rules are not timed."""


class Guide:
    """Lends a session's macros to its searcher, and remembers what the searcher has.

    Thread contract: one thread at a time.
    """

    def __init__(self) -> None:
        self._lent: tuple[Searcher, Sequence[Macro]] | None = None
        self._ruled_for: object = None
        self._told = False

    def lend(self, searcher: Searcher, task: SearchTask, books: Books, seconds: float | None) -> None:
        """Hands the macros to the searcher, if they have changed, and the moves of rules at the root of ``task``.

        An analysis gets none. ``seconds`` is the expected time for the move; None without a time limit. ``books`` have
        been prepared for ``task``. Macros that fail are laid aside, and nothing is raised.
        """
        try:
            self._lend(searcher, task, () if task.analysis else books.macros, seconds)
        except Exception as error:
            books.lay_macros_aside(error)
            self._lend(searcher, task, (), seconds)

    def forget(self) -> None:
        """Notes that the next root is for another searcher, which has no hints."""
        self._lent, self._ruled_for, self._told = None, None, False

    def _lend(self, searcher: Searcher, task: SearchTask, macros: Sequence[Macro], seconds: float | None) -> None:
        game, line = task.game, task.line
        if self._lent is None or self._lent[0] is not searcher or self._lent[1] is not macros:
            known = self._lent is not None and self._lent[0] is searcher
            self._lent = searcher, macros
            if macros or known:
                searcher.set_macros(*drawn_macros(game, macros))
                searcher.guide(exact_hints(game, macros), lasting=True)
            self._ruled_for = None
        root = (line.text, line.words, len(line.resumed))
        if root == self._ruled_for:
            return
        self._ruled_for = root
        hints = _ruled(task, macros, seconds)
        if hints or self._told:
            searcher.guide(hints)
        self._told = bool(hints)


def _ruled(task: SearchTask, macros: Sequence[Macro], seconds: float | None) -> list[Hinted]:
    """Returns the hints of rules from the root on, of those for which there is time."""
    until = None if seconds is None else time.monotonic() + min(MOST_SECONDS, TIME_SHARE * seconds)
    begun: list[MacroStep] = []
    for rule in (macro for macro in macros if macro.is_rule):
        if until is not None and time.monotonic() >= until:
            break
        begun += rule.at(task.state, until)
    if not begun:
        return []
    text, words = task.line.path(task.game)
    start = TreeStart(task.state, text, tuple(words))
    return list(tree_hints(task.game, start, begun, tree_numbers(macros), MOST_POSITIONS, until))
