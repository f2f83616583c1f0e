"""The analysis protocol: JSON lines, many positions at the same time, with KataGo's field names where they fit.

Every position that a query names becomes a job. Jobs of higher priority are searched first, at most ``parallel`` at a
time, each on a thread with a session of its own; their findings reach the loop by ``call``. Each job ends with exactly
one reply in which ``isDuringSearch`` is false.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from playout.engine.analysis_queue import AnalysisQueue
from playout.engine.analyst import AnalysisRequest, Analyst, Findings
from playout.engine.terms.limits import Restriction
from playout.games import catalogue
from playout.games.board_hooks import HasTerritory
from playout.games.errors import RAISED_BY_GAMES, IllegalMove, PlayoutError
from playout.games.game import text_to_action
from playout.games.nearest import nearest
from playout.protocols.analysis.game import Played, played, player_of
from playout.protocols.analysis.query import Query, QueryError, convert, read_id, read_object, read_query
from playout.protocols.analysis.reply import no_results, reply
from playout.protocols.analysis.settings import Defaults, QuerySettings, read_settings
from playout.protocols.base.cause import cause, caused_by
from playout.protocols.base.dispatch import Dispatcher, internal_error
from playout.protocols.base.lines import clean, one_line
from playout.protocols.base.protocol import Call, Event, Passing
from playout.protocols.base.version import VERSION

if TYPE_CHECKING:
    from playout.engine.session import Session

MOST_JOBS = 100_000
"""Maximum number of waiting positions."""

logger = logging.getLogger(__name__)

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A line of input, read as a JSON object."""

    name: str
    """The action; empty if it is not a text, and for a query."""
    id: str
    fields: Fields
    line: str


@dataclass(slots=True, eq=False)
class Job:
    """One position to analyse."""

    query: Query
    played: Played
    settings: QuerySettings
    turn: int
    cause: str
    """The line of input that asked for it."""
    state: Any = None
    """The state of the position, set when its search begins."""
    analyst: Analyst | None = None
    next_report: float = 0.0
    """Seconds of search until the next reply during it."""


class AnalysisProtocol(Dispatcher[Request]):
    """Implements ``Protocol``. ``session`` is never searched; its game and options are the defaults for all queries."""

    def __init__(
        self,
        session: Session,
        call: Call | None,
        *,
        parallel: int = 0,
        winrates_as: str = "SIDETOMOVE",
        quit_without_waiting: bool = False,
        files: bool = True,
    ) -> None:
        """``call`` passes work to the loop; without it queries are refused.

        ``parallel`` positions are searched at the same time; 0 means one for each processor, divided by the option
        Threads. ``files`` says whether a query may name files, if the session's user may. The user's limits of memory
        and threads apply to all searches together.
        """
        super().__init__(session)
        self._call = call
        self._hurry = quit_without_waiting
        threads = session.options.integer("Threads")
        rights = session.rights
        most = len(os.sched_getaffinity(0)) if rights.threads is None else rights.threads
        if not parallel or rights.threads is not None:
            parallel = max(1, min(parallel or most, most // threads))
        self._defaults = Defaults(session.options.changed(), parallel, winrates_as, files and rights.files, rights)
        self._before: Played | None = None
        self._queue = AnalysisQueue[Job](parallel)
        """Jobs whose final reply is owed."""
        self._commands = {
            "query_version": self._query_version,
            "query_models": self._query_models,
            "clear_cache": self._clear_cache,
            "terminate": self._terminate,
            "terminate_all": self._terminate_all,
        }

    @property
    def busy(self) -> bool:
        return self._queue.running > 0

    def parse(self, line: str, received: float) -> Request | None:
        text = clean(line).strip()
        if not text:
            return None
        fields = read_object(text)
        id, action = read_id(fields), fields.get("action")
        return Request(action if isinstance(action, str) else "", id, fields, text)

    def held(self, _request: Request) -> bool:
        return False

    def carry_out(self, request: Request) -> Sequence[str]:
        return super().carry_out(request) if "action" in request.fields else self._ask(request.fields)

    def unknown(self, request: Request) -> QueryError:
        near = nearest(request.name, self._commands)
        return QueryError(f"must be one of {', '.join(self._commands)}{near}", "action", request.id)

    def refused(self, error: PlayoutError, request: Request | None) -> Sequence[str]:
        id = None if request is None else request.id
        if isinstance(error, QueryError):
            return [_error(str(error), error.field, error.id if error.id is not None else id)]
        return [_error(str(error), None, id)]

    def defect(self, error: BaseException, at: Request | Event | None) -> Sequence[str]:
        return [_error(internal_error(error), None, at.id if isinstance(at, Request) else None)]

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [_error(reason)]

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        """Finishes all queries first, unless ``at_once`` or told to hurry."""
        self._ended = True
        replies = self._end(lambda _: True) if at_once or self._hurry else []
        self.closed = at_once or not self._queue
        return replies

    def _ask(self, fields: Fields) -> Sequence[str]:
        """Queues the positions of a query."""
        query, warnings = read_query(fields)
        if self._call is None:
            raise QueryError("this transport cannot return results of searches", None, query.id)
        known = self._before = played(
            query, self.session.game, self._defaults.files, self._before, self._defaults.rights.moves
        )
        settings = read_settings(query, known.game, self._defaults)
        _check_points(query, known)
        turns = list(dict.fromkeys(query.analyze_turns if query.analyze_turns is not None else (len(query.moves),)))
        if len(self._queue) + len(turns) > MOST_JOBS:
            raise QueryError(f"too many positions wait: at most {MOST_JOBS}", None, query.id)
        priorities = dict(zip(query.analyze_turns or (), query.priorities or (), strict=False))
        for turn in turns:
            job = Job(query, known, settings, turn, cause(), next_report=settings.first_report or 0.0)
            self._queue.put(job, priorities.get(turn, query.priority))
        warnings += [*known.warnings, *settings.warnings]
        replies = [_line({"warning": text, "field": field, "id": query.id}) for field, text in warnings]
        return [*replies, *self._start()]

    def _start(self) -> list[str]:
        """Starts as many searches as there is room for."""
        replies: list[str] = []
        while self._call is not None and (job := self._queue.take()) is not None:
            with caused_by(job.cause):
                try:
                    self._search(job, self._call)
                except RAISED_BY_GAMES as error:
                    logger.exception("a search of %s could not begin", job.query.id)
                    replies.append(self._last(job, no_results(job.query.id, job.turn, f"internal error: {error}")))
        return replies

    def _search(self, job: Job, call: Call) -> None:
        line = job.played.turn(job.turn)
        game, query, settings = job.played.game, job.query, job.settings
        job.state = line.taken_up(game).state
        restrictions = tuple(
            Restriction(player_of(game, one.player), frozenset(one.moves), only, one.until_depth)
            for only, given in ((False, query.avoid_moves), (True, query.allow_moves))
            for one in given
        )
        request = AnalysisRequest(
            game,
            line,
            settings.limits,
            settings.options,
            settings.wanted,
            settings.first_report is not None,
            restrictions,
            self._defaults.rights,
        )
        job.analyst = Analyst(request, lambda _: call(lambda: self._report(job)))
        job.analyst.start()

    def _report(self, job: Job) -> Sequence[str]:
        """Returns the reply with a search's latest results and, when it has ended, the replies that follow
        from that.
        """
        assert job.analyst is not None
        findings = job.analyst.take()
        if findings is None:
            return ()
        if not findings.last:
            return self._interim(job, findings)
        last = self._last(job, self._written(job, findings))
        replies = [_line({"warning": text, "id": job.query.id}) for text in findings.remarks]
        replies += [last, *self._start()]
        if self._ended and not self._queue:
            self.closed = True
        return replies

    def _interim(self, job: Job, findings: Findings) -> Sequence[str]:
        time = findings.info.time
        if job.settings.first_report is None or time < job.next_report or not findings.info.moves:
            return ()
        job.next_report = max(job.next_report + job.settings.report_every, time)
        return Passing([_line(self._written(job, findings))])

    def _written(self, job: Job, findings: Findings) -> dict[str, Any]:
        try:
            return reply(job.query.id, job.turn, job.played.game, job.state, findings, job.settings.style)
        except RAISED_BY_GAMES as error:
            logger.exception("a reply to %s could not be written", job.query.id)
            return no_results(job.query.id, job.turn, internal_error(error))

    def _last(self, job: Job, found: dict[str, Any]) -> str:
        """Returns the final reply of a job."""
        self._queue.end(job)
        return _line(found)

    def _end(self, concerns: Callable[[Job], bool]) -> list[str]:
        """Ends jobs: waiting ones at once, running ones as soon as their search stops."""
        replies = []
        for job in filter(concerns, self._queue):
            if job.analyst is not None:
                job.analyst.stop()
            else:
                replies.append(self._last(job, no_results(job.query.id, job.turn)))
        return replies

    def _query_version(self, request: Request) -> Sequence[str]:
        """``query_version``: the action comes back with ``version`` and ``git_hash``."""
        return [_line({**request.fields, "version": VERSION, "git_hash": "<omitted>"})]

    def _query_models(self, request: Request) -> Sequence[str]:
        """``query_models``: the action comes back with ``models``, which is empty, and the names of the ``games``."""
        return [_line({**request.fields, "models": [], "games": catalogue.names()})]

    def _clear_cache(self, request: Request) -> Sequence[str]:
        """``clear_cache``: the action comes back; no search leaves anything behind that could be cleared."""
        return [_line(request.fields)]

    def _terminate(self, request: Request) -> Sequence[str]:
        """``terminate terminateId [turnNumbers]``: ends the queries with that id, or of them only those turns. The
        action comes back at once; each turn ends with its final reply, with ``noResults`` if nothing was searched."""
        victim = request.fields.get("terminateId")
        if not isinstance(victim, str):
            raise QueryError("needs the id of a query, which is a text", "terminateId", request.id)
        turns = _turns(request)
        replies = self._end(lambda job: job.query.id == victim and (turns is None or job.turn in turns))
        return [_line(request.fields), *replies]

    def _terminate_all(self, request: Request) -> Sequence[str]:
        """``terminate_all [turnNumbers]``: the same for all queries."""
        turns = _turns(request)
        return [_line(request.fields), *self._end(lambda job: turns is None or job.turn in turns)]


def _turns(request: Request) -> frozenset[int] | None:
    """Returns the turns that an action is about; None means all."""
    if "turnNumbers" not in request.fields:
        return None
    return frozenset(convert(request.id, "turnNumbers", request.fields["turnNumbers"], list[int]))


def _check_points(query: Query, known: Played) -> None:
    """Refuses moves to avoid or allow that are not points of a board with territory."""
    if not isinstance(known.game, HasTerritory):
        return
    empty = known.game.initial_state()
    for name, restrictions in (("avoidMoves", query.avoid_moves), ("allowMoves", query.allow_moves)):
        for move in dict.fromkeys(move for restriction in restrictions for move in restriction.moves):
            try:
                text_to_action(known.game, empty, move)
            except IllegalMove as error:
                raise QueryError(str(error), name, query.id) from None


def _error(message: str, field: str | None = None, id: str | None = None) -> str:
    found = {"error": one_line(message), "field": field, "id": id}
    return _line({name: value for name, value in found.items() if value is not None})


def _line(found: Fields) -> str:
    return msgspec.json.encode(found).decode()
