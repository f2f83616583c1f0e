"""A search on its thread, from its start to its one result."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import replace
from typing import Any

from playout.engine.interrupt import Methods, calm
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.kernel import kernel_of
from playout.engine.terms.limits import Limits
from playout.engine.terms.task import SearchTask
from playout.engine.thinker import Thinker, any_move
from playout.games.errors import Interrupted

log = logging.getLogger(__name__)

Post = Callable[[SearchInfo | SearchResult], None]

SEARCH_THREAD = "playout-search"
"""Name of the thread of a session's search."""
PATIENCE = 0.5
"""Seconds after which a method of a user's game is interrupted when the move is due."""
LAST_PATIENCE = 0.8
"""Seconds after which the move is reported without waiting for the method."""
AGAIN = 0.1
"""Seconds between two interruptions of a method that goes on all the same."""


def thread_of(name: str, run: Callable[..., None], *arguments: Any) -> threading.Thread:
    """Returns a thread that calls ``run``. It inherits the context, so that its log lines name the command."""
    return threading.Thread(target=copy_context().run, args=(run, *arguments), name=name, daemon=True)


class Running:
    """A search under way.

    A search of a user's game is watched: when its move is due and a method does not return, the method is interrupted
    and, if that does not help, the best move that is known is reported and the thread left to itself.

    Thread contract: any thread, unless a method says otherwise.
    """

    def __init__(self, thinker: Thinker, task: SearchTask, post: Post) -> None:
        """``thinker`` is ready for ``task``. ``post`` gets the reports and exactly one result."""
        self.task = task
        self._thinker = thinker
        self._post = post
        self._changed = threading.Condition()
        self._released = not (task.limits.infinite or task.limits.ponder)
        self._pondering = task.limits.ponder
        self._stopped: float | None = None
        self._thinking = True
        self._posted = False
        self._poster: int | None = None
        """The thread that posts the result, which may itself wait for the end of the search."""
        self._known: SearchResult | None = None
        """The result if a method does not return; None if the search is not watched."""
        self._methods = Methods(task.game) if kernel_of(task.game) is None else None
        self._place = "a method of the game"
        self._thread = thread_of(SEARCH_THREAD, self._run)

    def start(self) -> None:
        """Starts the search. Once only."""
        if self._methods is not None:
            self._known = any_move(self.task.game, self.task.state, "interrupted")
            thread_of("playout-watch", self._watch).start()
        self._thread.start()

    @property
    def under_way(self) -> bool:
        """Whether no result is being posted or has been: whoever gets it may start another search."""
        return self._poster is None

    @property
    def stuck(self) -> str | None:
        """The method in which the thread is, if the result was posted without the thread and it goes on."""
        return self._place if not self.under_way and self._thinking and self._thread.is_alive() else None

    def stop(self) -> None:
        """Ends the search, whose result is posted soon."""
        with self._changed:
            self._pondering = False
            self._released = True
            if self._stopped is None:
                self._stopped = time.monotonic()
            self._thinker.stop()
            self._changed.notify_all()

    def hit(self, limits: Limits | None) -> None:
        """Ends pondering. ``limits``, which have ``received``, now bound the search; by default its own."""
        with self._changed:
            if not self._pondering:
                return
            self._pondering = False
            limits = limits or replace(self.task.limits, received=time.monotonic())
            self._thinker.hit(limits)
            self._released = not limits.infinite
            self._changed.notify_all()

    def wait(self, timeout: float | None) -> bool:
        """Blocks until the result has been posted, or for ``timeout`` seconds. Returns whether it has."""
        with self._changed:
            own = threading.get_ident()
            return self._changed.wait_for(lambda: self._posted or self._poster == own, timeout)

    def _run(self) -> None:
        if not self.under_way:  # the move was due before this thread could start
            self._calm()
            return
        try:
            result = self._thinker.think(self.task, self._tell)
            self._calm()
        except BaseException as error:  # a panic in Rust is no Exception, and the client still waits for a move
            self._calm()
            result = self._failed(error)
        if result.reason == "interrupted":
            result = self._explained(result, "did not return in time")
        if result.info.moves and not self._released:
            self._tell(result.info)
        with self._changed:
            self._changed.wait_for(lambda: self._released)
        self._end(result)

    def _failed(self, error: BaseException) -> SearchResult:
        if isinstance(error, Interrupted) and self._known is not None:
            return self._known
        log.exception("the search failed")
        result = any_move(self.task.game, self.task.state, "fault")
        return replace(result, fault=f"{type(error).__name__}: {error}")

    def _calm(self) -> None:
        """Ends the interruptions of this thread, the search's."""
        self._thinking = False
        if self._methods is not None:
            calm(threading.get_ident())
            with self._changed:  # an interruption that had begun is over now
                calm(threading.get_ident())
                self._changed.notify_all()

    def _explained(self, result: SearchResult, what: str) -> SearchResult:
        remark = f"{self._place} {what}: the move is the best that was known"
        log.error("%s", remark)
        return replace(result, remarks=(*result.remarks, remark))

    def _tell(self, info: SearchInfo) -> None:
        if self.under_way:
            if info.moves and self._known is not None:
                self._known = replace(self._known, move=info.moves[0].move, info=info)
            self._post(info)

    def _end(self, result: SearchResult) -> None:
        """Posts the result, unless one has been posted."""
        with self._changed:
            if not self.under_way:
                return
            self._poster = threading.get_ident()
        try:
            self._thinker.deadlines.answered()
            self._post(result)
        finally:
            with self._changed:
                self._posted = True
                self._changed.notify_all()

    def _watch(self) -> None:
        """Ends a search of a user's game whose move is due, if its thread does not."""
        with self._changed:
            while True:
                due = self._due()
                left = None if due is None else due + PATIENCE - time.monotonic()
                if not self._thinking or (left is not None and left <= 0):
                    break
                self._changed.wait(left)
        while self._thread.ident is None or self._thread.is_alive():  # it may not have started yet
            with self._changed:
                if not self._thinking:
                    return
                assert self._methods is not None and due is not None
                solving = self._thinker.solving if self.under_way else None  # else it is another search's
                for thread in (self._thread.ident, solving):
                    self._place = (thread and self._methods.interrupt(thread)) or self._place
            if time.monotonic() > due + LAST_PATIENCE and self.under_way:
                self._give_up()
            with self._changed:
                self._changed.wait(AGAIN)

    def _due(self) -> float | None:
        """The time of ``time.monotonic`` at which the move has to be there; None if there is none yet."""
        if not self._released:
            return None
        times = [due for due in (self._stopped, self._thinker.due) if due is not None]
        return min(times, default=None)

    def _give_up(self) -> None:
        """Reports the move without the thread, which keeps the searcher."""
        assert self._known is not None
        self._thinker.abandon()
        self._end(self._explained(self._known, "does not return"))
