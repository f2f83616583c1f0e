"""Look-ahead: a search of the game's own, by alpha-beta, goes before the tree and says which moves it has to choose
among.

A tree of mean values sees a sacrifice late: its prior is small, and the mean over the replies stays low until most of
them are known to lose. Alpha-beta sees forced lines soon, and judges quiet positions no better than its evaluation
does. So alpha-beta has the first part of the time, and the tree chooses among the moves that come near its best one. An
analysis that is read for lines and values is the look-ahead's alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from playout.engine import _core
from playout.engine.exact.pace import Pace
from playout.engine.options.config import kernel_of
from playout.engine.search.weights import Stamp, stamp, weight_files
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.task import SearchTask
from playout.games.game import Game, action_to_text

MEMORY = 0.25
"""Share of the option Hash that the table takes, beside the graph."""
WHOLE = 0.95
"""Share of a fixed time for the move that the look-ahead has in all where one move alone comes near the best."""
LEAST = 2
"""Depth in plies below which nothing is left out, and nothing reported."""
MOST_PIECES = 7
"""Pieces of the largest Syzygy tables."""
NO_TABLES: tuple[tuple[Path, ...], int] = ((), 1)


@dataclass(frozen=True, slots=True)
class Prospect:
    """Result of a look-ahead, and the part that is left to the search."""

    result: SearchResult | None = None
    """The move, if one alone comes near the best, after a stop, and after an analysis."""
    moves: tuple[str, ...] = ()
    """The moves that come near the best; empty means that all moves are searched."""
    seconds: float | None = None
    """The time from now on in which the search has to choose, if the look-ahead took another time than was planned."""
    info: SearchInfo | None = None
    """The report of the look-ahead, if the search goes on after it."""


NOTHING = Prospect()


class LookAheadPlay:
    """The look-ahead of one session, which keeps its table from move to move.

    Thread contract: ``think`` runs on the search thread, ``bound`` and ``stop`` on any thread, all other methods on the
    session thread.
    """

    def __init__(self) -> None:
        self._search: _core.LookAhead | None = None
        self._game: Game[Any, Any] | None = None
        self._mib = 0
        self._nets: Stamp | None = None
        """The file of nets that the look-ahead has."""
        self._tables = self._wanted_tables = NO_TABLES
        """Those that the look-ahead has, and those that it is to have."""
        self._stopped = False
        self._changing = threading.Lock()
        """Held for moments: the end is set here and in the search at once."""
        self._end: float | None = None
        """The time of ``time.monotonic`` at which the look-ahead ends; None is no end."""
        self._last_end: float | None = None
        """The end of a look-ahead that goes on with a single move: where the time for the move is fixed."""
        self._paced: _Paced | None = None
        """Where the move's time depends on what is found."""

    def forget(self) -> None:
        """Frees the table, as for another game."""
        self._search = self._game = None

    def set_tables(self, paths: Sequence[Path], *, depth: int) -> None:
        """Sets the tables of solved positions for the next ``think``, looked up from ``depth`` plies below
        the root on. Search thread."""
        self._wanted_tables = (tuple(paths), depth) if paths else NO_TABLES

    def get_ready(self, task: SearchTask) -> None:
        """Does now what the first ``think`` with this game and these options would have to do first. Session thread.
        Blocks."""
        if _on(task):
            self._equipped(task)

    def prepare(self) -> None:
        """Clears the stop flag before a search starts."""
        self._stopped = False
        search = self._search
        if search is not None:
            search.prepare()

    def stop(self) -> None:
        """Ends ``think``. Any thread. Must not block."""
        self._stopped = True
        search = self._search
        if search is not None:
            search.stop()

    def bound(self, task: SearchTask, soft: float | None, hard: float | None) -> None:
        """Sets the end of the look-ahead in ``task``, whose move is planned to take ``soft`` and at most ``hard``
        seconds since ``limits.received``; None is no such limit. Any thread. Must not block.

        While the task ponders, or has no end, what the user may search is the only end; the task that the ``hit`` of a
        pondered move makes sets another.
        """
        seconds = min((bound for bound in (soft, hard) if bound is not None), default=None)
        share, received = task.options.integer("LookAhead") / 100 if _on(task) else 0.0, task.limits.received
        with self._changing:
            self._last_end = self._paced = None
            if task.limits.ponder or task.limits.infinite:
                most = task.rights.seconds
                self._end_at(None if most is None else time.monotonic() + most)
            elif seconds is None or not _wanted(task):
                self._end_at(0.0)
            else:
                assert received is not None
                share = WHOLE if _analyses(task) else share
                if task.limits.clock is None:  # A clock keeps the time that is left; here it would be lost.
                    self._last_end = received + WHOLE * seconds if share < WHOLE else None
                elif soft is not None and hard is not None:
                    self._paced = _Paced(Pace(soft, hard), received, share)
                self._end_at(received + seconds * share)

    def _end_at(self, end: float | None) -> None:
        """The lock is held."""
        self._end = end
        if self._search is not None:
            self._search.set_deadline(None if end is None else end - time.monotonic())

    def _goes_on(self, sight: _Sight) -> bool:
        with self._changing:
            paced = self._paced
            if paced is None or sight.depth < LEAST:
                return True
            move, value = sight.near[0]
            goes_on = paced.pace.goes_on(move, value, sight.effort, time.monotonic() - paced.received)
            self._end_at(paced.received + paced.share * paced.pace.seconds)
            return goes_on

    def think(self, task: SearchTask, post: Callable[[SearchInfo], None], positions: int | None = None) -> Prospect:
        """Looks ahead from the root of ``task`` up to the end that ``bound`` has set; ``post`` gets the reports.

        Bounded ``positions`` are those of one thread, and find the move alone. Blocks.
        """
        if not _wanted(task) or (self._end is not None and self._end <= time.monotonic()):
            return NOTHING
        begun = time.monotonic()
        search = self._equipped(task)
        if self._stopped:  # Perhaps before the search was there.
            return NOTHING
        reports = _Reports(task, begun, post)
        text, words = task.line.path(task.game)
        threads = task.options.integer("Threads") if positions is None else 1
        alone = positions is not None or _analyses(task)
        margin = 0.0 if alone else task.options.number("LookAheadMargin")
        contempt, only = task.options.integer("Contempt"), list(task.limits.search_moves)

        def heard(*values: Any) -> bool:
            sight = _Sight(*values)
            reports.hear(sight)
            return self._goes_on(sight)

        def see(margin: float) -> _Sight:
            bounds: _Bounds = {"threads": threads, "positions": positions, "contempt": contempt}
            sight = search.see(text, list(words), margin=margin, lines=task.lines, only=only, heard=heard, **bounds)
            return _Sight(*sight)

        sight = see(margin)
        if sight.depth < LEAST or not sight.near:
            return NOTHING
        if len(sight.near) > 1 and not self._stopped:
            paced, info = self._paced, sight.info(time.monotonic() - begun)
            return Prospect(None, tuple(move for move, _ in sight.near), paced.rest() if paced else None, info)
        if self._last_end is not None and sight.plies is None and not alone:
            with self._changing:
                self._end_at(self._last_end)
            reports.before = sight
            more = see(0.0)
            deeper = more if more.depth >= sight.depth else sight
            sight = deeper.after(more if deeper is sight else sight)
        info = sight.info(time.monotonic() - begun)
        move, reply = sight.line[0], sight.line[1] if len(sight.line) > 1 else None
        ended = "nodes" if positions is not None and sight.nodes >= positions else "decided"
        return Prospect(SearchResult(move, reply, info, "stop" if self._stopped else ended))

    def _equipped(self, task: SearchTask) -> _core.LookAhead:
        search = self._made(task)
        nets = weight_files(task.game, task.options)["EvalFile"]
        wanted = stamp(nets)
        if wanted != self._nets:
            self._nets = wanted
            try:
                search.set_nets(nets)
            except ValueError:  # The search, which is given the same file, says so.
                search.set_nets(None)
        if self._wanted_tables != self._tables:
            self._tables = self._wanted_tables
            paths, depth = self._tables
            try:
                search.set_tables(paths, MOST_PIECES, depth)
            except ValueError:  # The search says so, or the book that has the same tables.
                search.set_tables((), MOST_PIECES, depth)
        return search

    def _made(self, task: SearchTask) -> _core.LookAhead:
        mib = max(1, int(MEMORY * task.options.integer("Hash")))
        if self._search is None or (task.game, mib) != (self._game, self._mib):
            kernel = kernel_of(task.game)
            assert kernel is not None
            search = _core.LookAhead(kernel, kernel_params(task.game), mib)
            with self._changing:
                self._game, self._mib, self._search, self._nets = task.game, mib, search, None
                self._tables = NO_TABLES
                search.set_deadline(None if self._end is None else self._end - time.monotonic())
        return self._search


@dataclass(frozen=True, slots=True)
class _Paced:
    """A look-ahead of a move whose time depends on what is found."""

    pace: Pace
    received: float
    """The time of ``time.monotonic`` at which the command arrived."""
    share: float
    """The share of the move's time that the look-ahead has."""

    def rest(self) -> float:
        """Returns the seconds from now on that are left to the search, if the look-ahead ends now."""
        now = time.monotonic()
        whole = min((now - self.received) / self.share, self.pace.hard)
        return max(0.0, self.received + whole - now)


class _Reports:
    """The reports of one look-ahead: the last depth at each interval, the first one as soon as there is one."""

    def __init__(self, task: SearchTask, begun: float, post: Callable[[SearchInfo], None]) -> None:
        self._begun, self._post = begun, post
        self._interval = task.limits.reports.interval or task.options.integer("InfoInterval") / 1000
        self._next = begun
        self.before: _Sight | None = None
        """The result of an earlier look-ahead in the same task."""

    def hear(self, sight: _Sight) -> None:
        now = time.monotonic()
        least = LEAST if self.before is None else self.before.depth
        if sight.depth >= least and now >= self._next and sight.near:
            self._next = now + self._interval
            whole = sight if self.before is None else sight.after(self.before)
            self._post(whole.info(now - self._begun))


class _Bounds(TypedDict):
    """Arguments of ``_core.LookAhead.see``."""

    threads: int
    positions: int | None
    contempt: int


class _Sight(NamedTuple):
    """The result of ``_core.LookAhead.see``."""

    near: list[tuple[str, float]]
    line: list[str]
    plies: int | None
    depth: int
    longest: int
    nodes: int
    effort: float
    """The share of them after the best move."""
    others: list[tuple[float, list[str], int | None, int]]
    """The next best moves: value, line, plies and positions of each."""

    def after(self, other: _Sight) -> _Sight:
        """Returns this sight as that of a look-ahead which was ``other`` too."""
        return self._replace(nodes=self.nodes + other.nodes, longest=max(self.longest, other.longest))

    def info(self, seconds: float) -> SearchInfo:
        value, nodes = self.near[0][1], self.nodes
        first = nodes - sum(nodes for *_, nodes in self.others)
        moves = tuple(_move(*one) for one in ((value, self.line, self.plies, first), *self.others))
        return SearchInfo(seconds, nodes, self.depth, self.longest, value, nodes, 0, moves)


def _move(value: float, line: Sequence[str], plies: int | None, nodes: int) -> MoveInfo:
    win = (1.0 + value) / 2
    lower, upper = (-1.0, 1.0) if plies is None else (value, value)
    return MoveInfo(line[0], nodes, value, win, 0.0, 1.0 - win, lower, upper, plies, tuple(line))


def _on(task: SearchTask) -> bool:
    return "LookAhead" in task.options and task.options.integer("LookAhead") > 0


def _wanted(task: SearchTask) -> bool:
    """Whether the option is on, and acts in this task, now or when the pondered move is played."""
    return _on(task) and (task.only_timed or (task.limits.ponder and task.one_move) or _analyses(task))


def _analyses(task: SearchTask) -> bool:
    """Whether the task asks for more than one move, in lines and values alone, and only time bounds it, if anything."""
    limits = task.limits
    bounded = limits.nodes is not None or limits.depth is not None or limits.mate is not None
    if not _on(task) or not limits.reports.plain or bounded or limits.restrictions or limits.ponder or task.one_move:
        return False
    game, state, only = task.game, task.state, limits.search_moves
    return not only or any(action_to_text(game, state, action) in only for action in game.legal_actions(state))
