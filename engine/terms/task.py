"""The task of a search: everything that the search reads, frozen when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playout.books.base.book import Book
from playout.engine.terms.limits import Limits
from playout.engine.terms.line import Line
from playout.engine.terms.option_values import FrozenOptions
from playout.engine.terms.rights import Rights
from playout.games.game import Game


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One search, of the position at the end of ``line``.

    A session makes a task of what it holds at that moment. Whatever is set in the session afterwards belongs to the
    next task.
    """

    game: Game[Any, Any]
    line: Line
    """The moves up to the position; after a draw that nobody has claimed, play goes on (``Line.taken_up``)."""
    limits: Limits
    options: FrozenOptions
    rights: Rights = field(default_factory=Rights)
    books: tuple[Book, ...] = ()
    """Books that the program handed to the session. They are asked before those that ``options`` name."""
    variation: int = 0
    """The game's own random numbers, as ``Searcher.run`` takes them; 0 if the option Seed decides alone."""

    @property
    def state(self) -> Any:
        """The state to search."""
        return self.line.state

    @property
    def ply(self) -> int:
        """Number of moves made before the search."""
        return len(self.line.moves)

    @property
    def lines(self) -> int:
        """Number of principal variations in the reports. Where there are several, no book replaces the search."""
        return max(1, self.limits.reports.lines or self.options.integer("MultiPV"))

    @property
    def analysis(self) -> bool:
        """Whether the search analyses: it is endless, or UCI_AnalyseMode is set. Books then neither answer nor guide
        it."""
        return self.limits.infinite or self.options.flag("UCI_AnalyseMode")

    @property
    def only_timed(self) -> bool:
        """Whether the task asks for one move that only time bounds, now and not while it ponders."""
        limits = self.limits
        return (limits.movetime is not None or limits.clock is not None) and self.one_move and not limits.ponder

    @property
    def one_move(self) -> bool:
        """Whether the task asks for one move and sets no bound but time.

        A search of N simulations must be one on any machine; several lines, or a search of some moves only, ask for
        more than the value of one move.
        """
        limits = self.limits
        plain = limits.nodes is None and limits.depth is None and limits.mate is None and not limits.narrowed
        return plain and self.lines == 1 and not self.analysis
