"""One search on a thread of its own, with what an analysis wants to know beside it: priors, ownership, scores.

Each search has a session of its own, so that it depends on nothing but its task: with one thread and a bound on the
nodes it repeats, whatever is searched beside it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import Any

from playout.engine.judge.ownership import PLAYOUTS, kernel_position, lead, playout_position
from playout.engine.judge.prior import priors
from playout.engine.search.restriction import bounds, named
from playout.engine.session import Session
from playout.engine.terms.info import NOTHING, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits, Restriction
from playout.engine.terms.line import Line
from playout.engine.terms.rights import Rights
from playout.games.errors import PlayoutError
from playout.games.game import Game, is_over, text_to_action

MOVE_PLAYOUTS = (20, 200)
"""Playouts behind the score and the ownership of a root move: as many as it has visits, within these bounds."""
ROOT_PLAYOUTS = (100, PLAYOUTS)
"""The same behind the position's ownership."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is worked out beside the search."""

    priors: bool = True
    score: bool = False
    """Points, in games that are decided by them."""
    ownership: bool = False
    moves_ownership: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """A search."""

    game: Game[Any, Any]
    line: Line
    """The position is its end; not a chance position."""
    limits: Limits
    settings: Mapping[str, str]
    """Options, by name; sound ones."""
    wanted: Wanted = Wanted()
    reports: bool = False
    """Whether findings are wanted while the search goes on."""
    restrictions: tuple[Restriction, ...] = ()
    """Moves in the user's words; what is no move is passed over."""
    rights: Rights = field(default_factory=Rights)
    """What the user may have of the machine."""


@dataclass(frozen=True, slots=True)
class MoveFindings:
    """What is known of a root move beside the search."""

    owners: Sequence[float] = ()
    lead: float | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """The state of an analysis at one moment."""

    info: SearchInfo
    last: bool = True
    """False while the search goes on."""
    reason: str = "stop"
    """Why it ended, as ``SearchResult`` says."""
    remarks: tuple[str, ...] = ()
    """Lines for people, of what went wrong beside the search."""
    returns: Sequence[float] | None = None
    """Of a finished game, for player 0 and player 1; there is nothing to search then."""
    fault: str | None = None
    """Why there is nothing else, on one line."""
    key: tuple[int, int] | None = None
    """The position's own key, and that which it shares with its images."""
    priors: Mapping[str, float] = field(default_factory=dict)
    owners: Sequence[float] = ()
    """How surely each point is player 0's at the end, in [-1, 1]."""
    lead: float | None = None
    """By how many points player 0 leads: the mean of what is known of the moves, weighted by their visits."""
    moves: Mapping[str, MoveFindings] = field(default_factory=dict)


class Analyst:
    """Carries out one task."""

    def __init__(self, task: Task, tell: Callable[[Analyst], None]) -> None:
        """``tell`` is called, from another thread, whenever ``take`` has something; it must not block."""
        self.task = task
        self._tell = tell
        self._lock = threading.Lock()
        self._latest: Findings | None = None
        self._session: Session | None = None
        self._stopped = False
        self._owners: dict[str | None, tuple[int, Sequence[float]]] = {}
        """By root move, or None for the position itself: the number of playouts, and what came of them."""
        self._beside = Findings(NOTHING)

    def start(self) -> None:
        """Begins. Must not block."""
        threading.Thread(target=copy_context().run, args=(self._run,), name="playout-analyst", daemon=True).start()

    def stop(self) -> None:
        """Ends the search, whose last findings come soon. Any thread. Must not block."""
        with self._lock:
            self._stopped = True
            if self._session is not None:
                self._session.stop()

    def take(self) -> Findings | None:
        """The latest findings, each once; what nobody took in time is left out, but for the last. Any thread."""
        with self._lock:
            latest, self._latest = self._latest, None
        return latest

    def _post(self, findings: Findings) -> None:
        with self._lock:
            waiting, self._latest = self._latest, findings
        if waiting is None:
            self._tell(self)

    def _run(self) -> None:
        try:
            last = self._search()
        except PlayoutError as error:
            last = Findings(NOTHING, fault=str(error))
        except BaseException as error:  # a panic in Rust is no Exception, and the client still waits for a reply
            log.exception("an analysis failed")
            last = Findings(NOTHING, fault=f"internal error: {type(error).__name__}: {error}")
        self._post(last)

    def _search(self) -> Findings:
        task, events = self.task, SimpleQueue[SearchInfo | SearchResult]()
        state = task.line.taken_up(task.game).state
        if is_over(task.game, state):
            return self._finished(state)
        limits = self._restricted(state)
        session = Session(task.game, post=events.put)
        try:
            for name, text in task.settings.items():
                session.options.set(name, text)
            session.set_option("UCI_AnalyseMode", "true")
            session.restrict(task.rights)
            session.set_line(task.line)
            self._look(state, session)
            with self._lock:
                if self._stopped:
                    return self._beside
                self._session = session
            session.go(limits)
            if self._stopped:  # it may have come before there was anything to stop
                session.stop()
            while isinstance(event := events.get(), SearchInfo):
                if task.reports and events.empty():
                    self._post(self._findings(event))
            session.wait()
            with self._lock:
                self._session = None
            if event.fault is not None:
                return Findings(NOTHING, fault=event.fault.strip().rpartition("\n")[2])
            last = self._findings(event.info)
            return replace(last, last=True, reason=event.reason, remarks=event.remarks)
        finally:
            session.close()

    def _finished(self, state: Any) -> Findings:
        game, wanted = self.task.game, self.task.wanted
        score = game.score(state) if wanted.score and hasattr(game, "score") else None
        return Findings(NOTHING, reason="over", returns=game.returns(state), lead=score)

    def _restricted(self, state: Any) -> Limits:
        """The limits with the moves that are to be searched.

        Raises:
            IllegalMove: if none is left.
        """
        game, limits = self.task.game, self.task.limits
        if not self.task.restrictions:
            return limits
        rules = []
        for rule in self.task.restrictions:
            names = {named(game, state, word) for word in rule.moves}
            rules.append(replace(rule, moves=frozenset(name for name in names if name is not None)))
        search_moves, restrictions = bounds(game, state, rules)
        return replace(limits, search_moves=search_moves, restrictions=restrictions)

    def _look(self, state: Any, session: Session) -> None:
        """Works out what does not hang on the search."""
        game, wanted = self.task.game, self.task.wanted
        position = kernel_position(game, *self.task.line.taken_up(game).path(game))
        known = priors(game, state, position, session.options.number("PriorTemperature")) if wanted.priors else {}
        self._beside = Findings(
            NOTHING,
            key=(position.key(), position.canonical()[0]) if position is not None else None,
            priors=known,
        )

    def _findings(self, info: SearchInfo) -> Findings:
        """What is known with ``info``."""
        beside, wanted = self._beside, self.task.wanted
        moves: dict[str, MoveFindings] = {}
        owners = self._owned(None, info.visits, ROOT_PLAYOUTS) if wanted.ownership else ()
        if wanted.score or wanted.moves_ownership:
            moves = {move.move: self._after(move.move, move.visits) for move in info.moves}
        points = _mean_lead(info, moves)
        if wanted.score and points is None:
            task = self.task
            owned = self._owned(None, info.visits, ROOT_PLAYOUTS)
            points = lead(task.game, task.line.taken_up(task.game).state, owned)
        return replace(beside, info=info, last=False, owners=owners, moves=moves, lead=points)

    def _after(self, move: str, visits: int) -> MoveFindings:
        """Ownership and score after a root move."""
        owners = self._owned(move, visits, MOVE_PLAYOUTS)
        if not self.task.wanted.score:
            return MoveFindings(owners)
        game, state = self.task.game, self.task.line.taken_up(self.task.game).state
        return MoveFindings(owners, lead(game, game.next_state(state, text_to_action(game, state, move)), owners))

    def _owned(self, move: str | None, visits: int, bounds: tuple[int, int]) -> Sequence[float]:
        """Ownership after ``move``, by about as many playouts as there are visits; worked out anew only from twice as
        many. Empty for a game without territory."""
        wanted = min(max(visits, bounds[0]), bounds[1])
        before, owners = self._owners.get(move, (0, ()))
        if wanted < 2 * before:
            return owners
        game = self.task.game
        text, words = self.task.line.taken_up(game).path(game)
        position = playout_position(game, text, words if move is None else (*words, move))
        owners = position.ownership(wanted, int(self.task.settings.get("Seed", 0))) if position is not None else ()
        self._owners[move] = wanted, owners
        return owners


def _mean_lead(info: SearchInfo, moves: Mapping[str, MoveFindings]) -> float | None:
    """The moves' leads, weighted by their visits."""
    known = [(move.visits, moves[move.move].lead) for move in info.moves if move.move in moves]
    leads = [(max(visits, 1), points) for visits, points in known if points is not None]
    whole = sum(visits for visits, _ in leads)
    return sum(visits * points for visits, points in leads) / whole if whole else None
