"""Analysis of one position on a thread of its own: a search, and beside it priors, ownership and scores.

Each analysis has a session of its own, so that it depends on its request alone: with one thread and a bound on the
nodes it repeats exactly, whatever is searched at the same time.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import Any

from playout.engine.judge.ownership import PLAYOUTS, OwnershipPlayouts
from playout.engine.judge.prior import Priors
from playout.engine.search.restriction import bounds, named
from playout.engine.session import Session
from playout.engine.terms.info import NOTHING, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits, Restriction
from playout.engine.terms.line import Line
from playout.engine.terms.option_values import OptionValues
from playout.engine.terms.rights import Rights
from playout.games.board_hooks import HasTerritory
from playout.games.errors import PlayoutError
from playout.games.game import Game, is_over

MOVE_PLAYOUTS = (20, 200)
"""Bounds of the playouts for the ownership of a root move; between them, one for each visit."""
ROOT_PLAYOUTS = (100, PLAYOUTS)
"""The same for the ownership of the root."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Extras that an analysis works out in addition to the search."""

    priors: bool = True
    ownership: bool = False
    moves_ownership: bool = False


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """One position to analyse, and how."""

    game: Game[Any, Any]
    line: Line
    """The moves up to the position, which is not a chance position."""
    limits: Limits
    settings: Mapping[str, str]
    """Values of options, by name. They have been checked."""
    wanted: Wanted = Wanted()
    reports: bool = False
    """Whether findings are wanted during the search too."""
    restrictions: tuple[Restriction, ...] = ()
    """Moves in the user's words. A word that is not a move is ignored."""
    rights: Rights = field(default_factory=Rights)
    """The user's share of the machine."""


@dataclass(frozen=True, slots=True)
class MoveFindings:
    """Extras of one root move."""

    owners: Sequence[float] = ()
    """Expected ownership after the move, as in ``Findings.owners``."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The state of an analysis at one moment."""

    info: SearchInfo
    last: bool = True
    """Whether the search has ended."""
    reason: str = "stop"
    """Reason of the search's end, as in ``SearchResult``."""
    remarks: tuple[str, ...] = ()
    """Lines for people about what went wrong beside the search."""
    returns: Sequence[float] | None = None
    """Results of a finished game for player 0 and player 1, in [-1, 1]; None while it goes on."""
    fault: str | None = None
    """Reason of a failure of the analysis, on one line; all other fields are empty then."""
    key: tuple[int, int] | None = None
    """The position's own key, and the key that it shares with its symmetry images."""
    priors: Mapping[str, float] = field(default_factory=dict)
    owners: Sequence[float] = ()
    """Expected ownership of each point at the end of the game, in [-1, 1]; 1 is player 0."""
    score: float | None = None
    """Lead of player 0 in points at the end of a finished game; None in games that are not decided by points."""
    moves: Mapping[str, MoveFindings] = field(default_factory=dict)


class Analyst:
    """Carries out one request.

    Thread contract: ``start`` once; ``stop`` and ``take`` on any thread.
    """

    def __init__(self, request: AnalysisRequest, tell: Callable[[Analyst], None]) -> None:
        """``tell`` is called, on the analysis thread, whenever ``take`` has findings; it must not block."""
        self.request = request
        self._tell = tell
        self._lock = threading.Lock()
        self._latest: Findings | None = None
        self._session: Session | None = None
        self._stopped = False

    def start(self) -> None:
        """Starts the analysis. Must not block."""
        threading.Thread(target=copy_context().run, args=(self._run,), name="playout-analyst", daemon=True).start()

    def stop(self) -> None:
        """Ends the search, whose last findings follow soon. Any thread. Must not block."""
        with self._lock:
            self._stopped = True
            if self._session is not None:
                self._session.stop()

    def take(self) -> Findings | None:
        """Returns the latest findings, each once; None if there are no new ones. Later findings replace those that were
        not taken in time; the last ones always come. Any thread."""
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
        request, events = self.request, SimpleQueue[SearchInfo | SearchResult]()
        line = request.line.taken_up(request.game)
        state = line.state
        if is_over(request.game, state):
            return self._finished(state)
        limits = self._restricted(state)
        session = Session(request.game, post=events.put)
        try:
            for name, text in request.settings.items():
                session.options.set(name, text)
            session.set_option("UCI_AnalyseMode", "true")
            session.restrict(request.rights)
            session.set_line(line)
            extras = _Extras(request, line, session.options)
            with self._lock:
                if self._stopped:
                    return extras.beside
                self._session = session
            session.go(limits)
            if self._stopped:  # it may have come before there was anything to stop
                session.stop()
            while isinstance(event := events.get(), SearchInfo):
                if request.reports and events.empty():
                    self._post(extras.findings(event))
            session.wait()
            with self._lock:
                self._session = None
            if event.fault is not None:
                return Findings(NOTHING, fault=event.fault.strip().rpartition("\n")[2])
            last = extras.findings(event.info)
            return replace(last, last=True, reason=event.reason, remarks=event.remarks)
        finally:
            session.close()

    def _finished(self, state: Any) -> Findings:
        game = self.request.game
        score = game.score(state) if isinstance(game, HasTerritory) else None
        return Findings(NOTHING, reason="over", returns=game.returns(state), score=score)

    def _restricted(self, state: Any) -> Limits:
        """Returns the limits with the moves that are to be searched.

        Raises:
            IllegalMove: if none is left.
        """
        game, limits = self.request.game, self.request.limits
        if not self.request.restrictions:
            return limits
        rules = []
        for rule in self.request.restrictions:
            names = {named(game, state, word) for word in rule.moves}
            rules.append(replace(rule, moves=frozenset(name for name in names if name is not None)))
        search_moves, restrictions = bounds(game, state, rules)
        return replace(limits, search_moves=search_moves, restrictions=restrictions)


class _Extras:
    """Works out the extras that a request wants, at the end of ``line``."""

    def __init__(self, request: AnalysisRequest, line: Line, options: OptionValues) -> None:
        self._game, self._state, self._wanted = request.game, line.state, request.wanted
        self._seed = int(request.settings.get("Seed", 0))
        self._playouts = OwnershipPlayouts(request.game, line)
        self._owners: dict[str | None, tuple[int, Sequence[float]]] = {}
        """By root move, or None for the root itself: the number of playouts, and the ownership that they gave."""
        position = self._playouts.kernel_position
        known = Priors().at(request.game, line, options) if request.wanted.priors else {}
        self.beside = Findings(
            NOTHING,
            key=(position.key(), position.canonical()[0]) if position is not None else None,
            priors=known,
        )
        """Findings that do not depend on the search."""

    def findings(self, info: SearchInfo) -> Findings:
        """Returns the findings that belong to ``info``."""
        wanted = self._wanted
        moves: dict[str, MoveFindings] = {}
        owners = self._owned(None, info.visits, ROOT_PLAYOUTS) if wanted.ownership else ()
        if wanted.moves_ownership:
            moves = {move.move: MoveFindings(self._owned(move.move, move.visits, MOVE_PLAYOUTS)) for move in info.moves}
        return replace(self.beside, info=info, last=False, owners=owners, moves=moves)

    def _owned(self, move: str | None, visits: int, bounds: tuple[int, int]) -> Sequence[float]:
        """Returns the ownership after ``move`` by about one playout for each visit, within ``bounds``.

        An earlier estimate serves until twice as many playouts are wanted. Empty where points have no owners.
        """
        wanted = min(max(visits, bounds[0]), bounds[1])
        before, owners = self._owners.get(move, (0, ()))
        if wanted < 2 * before:
            return owners
        owners = self._playouts.owners(wanted, self._seed, () if move is None else (move,))
        self._owners[move] = wanted, owners
        return owners
