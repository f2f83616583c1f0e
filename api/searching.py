"""The searches of one session, one at a time, and their results as users see them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from queue import Empty, SimpleQueue
from typing import Any

from playout.bounds import limits
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import GameError, PlayoutError
from playout.games.game import Game
from playout.results import Analysis, Result, analysis_of, result_of

Sink = Callable[[SearchInfo | SearchResult], None]
"""Takes the reports of one search and then its result, on the search's thread; it must not block."""

PULSE = 0.2
"""Seconds after which a wait for a report is begun anew. A signal that arrives just before a wait is handled only when
the wait returns, so no wait may last for ever."""


class Searches:
    """The session of an engine, and the search that it is at. ``stop`` is for any thread, the rest for the engine's."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.session = Session(game, post=self._deliver)
        self.closed = False
        self._sink: Sink | None = None
        self._stopping = False

    def idle(self) -> Session:
        """Returns the session, which is not searching. A search that was told to stop is waited for.

        Raises:
            PlayoutError: if the engine is closed, or a search is under way.
        """
        if self.closed:
            raise PlayoutError("the engine is closed")
        if self.session.searching:
            if not self._stopping:
                raise PlayoutError("a search is under way: stop() ends it, and so does leaving the loop over analyse()")
            self.session.wait()
        return self.session

    def limits(self, **bounds: Any) -> Limits:
        """Returns the limits of a search of the present position, as ``bounds.limits`` does."""
        game = self.session.game
        return limits(game, self.session.line.taken_up(game).state, **bounds)

    def begin(self, wanted: Limits, sink: Sink, *, analysis: bool = False) -> None:
        """Starts a search, whose reports and result go to ``sink``. An analysis does without books.

        Raises:
            PlayoutError: if the engine is closed, a search is under way, or dice are to be rolled.
        """
        session = self.idle()
        self._sink, self._stopping = sink, False
        options = session.options.frozen()
        session.go(wanted, options.with_values(UCI_AnalyseMode=True) if analysis else options)

    def watch(self, wanted: Limits, *, analysis: bool = False) -> Generator[SearchInfo | SearchResult, None, None]:
        """Starts a search and yields its reports and then its result. The search ends with the loop, however it is
        left; so it does if a signal such as Ctrl-C interrupts the start.

        Raises:
            PlayoutError: as ``begin`` does.
        """
        events: SimpleQueue[SearchInfo | SearchResult] = SimpleQueue()
        begun = False
        try:
            self.begin(wanted, events.put, analysis=analysis)
            begun = True
            event: SearchInfo | SearchResult | None = None
            while not isinstance(event, SearchResult):
                try:
                    event = events.get(timeout=PULSE)
                except Empty:
                    continue
                yield event
        except BaseException as error:
            if begun or not isinstance(error, Exception):
                self.end()
            raise

    def stop(self) -> None:
        """Ends the search; its result comes soon. Any thread. Returns at once."""
        self._stopping = True
        self.session.stop()

    def end(self) -> None:
        """Ends the search and waits until it has ended."""
        self.stop()
        self.session.wait()

    def close(self) -> None:
        """Ends the search and frees the memory. A second call does nothing."""
        if not self.closed:
            self.closed = True
            self.session.close()

    def shown(self, info: SearchInfo) -> Analysis:
        """Returns a report as users see it."""
        return analysis_of(info, self.shape)

    def shown_result(self, result: SearchResult) -> Result:
        """Returns a result as users see it.

        Raises:
            GameError: if the search failed; its traceback is a note of the error.
        """
        if result.fault is not None:
            fault = result.fault.strip()
            error = GameError(f"{self.session.game.name}: the search failed: {fault.splitlines()[-1]}")
            error.add_note(fault)
            raise error
        return result_of(result, self.shape)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the points of a board."""
        game: Any = self.session.game
        return (game.rows, game.columns) if hasattr(game, "rows") and hasattr(game, "columns") else (0, 0)

    def _deliver(self, event: SearchInfo | SearchResult) -> None:
        if self._sink is not None:
            self._sink(event)
