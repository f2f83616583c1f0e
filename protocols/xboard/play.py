"""CECP's game: what the engine is to do, and the search that does it.

Commands say what is wanted from then on: a move, pondering, analysis or nothing (``task``). ``follow`` brings the
search into line with that: it stops one whose result nobody wants any more and, once that has ended, starts the one
that is wanted.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits, Reports
from playout.games.errors import RAISED_BY_GAMES, IllegalMove
from playout.games.game import is_over
from playout.protocols.base.lines import last_line, one_line
from playout.protocols.xboard.clock import TimeControl
from playout.protocols.xboard.format import move_text, result_claim, thinking
from playout.protocols.xboard.settings import XBoardSettings

if TYPE_CHECKING:
    from playout.engine.session import Session

logger = logging.getLogger(__name__)


class Purpose(Enum):
    """Purpose of a search."""

    MOVE = "the engine is to move"
    PONDER = "it thinks on the opponent's time"
    ANALYSE = "it analyses"


@dataclass(slots=True)
class Search:
    """The current search."""

    task: Purpose
    root: Any
    """The state that is searched."""
    lines: int
    """Variations to report: MultiPV when the search started."""
    margin: float
    """Resign when the search started."""
    expected: str | None = None
    """The opponent's expected move that leads to ``root``; None if ``root`` is the position on the board."""
    dropped: bool = False
    """Whether it was stopped and its result is to be ignored."""
    latest: SearchInfo | None = None


class Play:
    """Runs the game. The loop's thread only; ``start_game`` and changes of the position require an idle session."""

    def __init__(self, session: Session, settings: XBoardSettings, now: Callable[[], float] = time.monotonic) -> None:
        self.session = session
        self.settings = settings
        self.clock = TimeControl()
        self.search: Search | None = None
        self.task: Purpose | None = None
        self.posting, self.pondering = False, session.options.flag("Ponder")
        self.analysing = False
        self._now = now
        self.start_game(side=None)

    def start_game(self, side: int | None) -> None:
        """Resets the state of the game; the engine plays ``side``, 0 or 1, or neither."""
        self.side = side
        self.since = 0.0
        """Time at which the owed move was requested."""
        self.paused_at: float | None = None
        self.may_ponder = self.draw_offered = self._offered = self.broken = False
        """``broken``: the interface shows an illegal position."""
        self.turn: int | None = None
        """Player to move by ``white`` or ``black``, which may differ from the turn on the board."""
        self.clock.new_game()
        self.new_position()
        self.rest()

    def new_position(self) -> None:
        """Resets the state that belongs to a position."""
        self.expected: str | None = None
        """The opponent's reply that the engine's last search expects."""
        self.value: float | None = None
        """Value of that search, for the engine."""
        self.excluded: frozenset[str] = frozenset()
        """Moves excluded from the search, in the game's notation."""
        self.clock.ply = len(self.session.move_texts)

    @property
    def game(self) -> Any:
        """The rules of chess: ``playout.games.chess``."""
        return self.session.game

    @property
    def mover(self) -> int:
        """The player to move on the board."""
        return self.session.game.current_player(self.session.state)

    def legal(self) -> list[str]:
        """The legal moves, also after a draw that nobody has claimed."""
        game, state = self.game, self.session.state
        resumed = game.without_claim(state) if is_over(game, state) else state
        if resumed is None:
            return []
        return [game.action_to_text(resumed, action) for action in game.legal_actions(resumed)]

    def considered(self) -> list[str]:
        """The legal moves without the excluded ones."""
        return [move for move in self.legal() if move not in self.excluded]

    def rest(self) -> None:
        """Ends the engine's task, except for analysis."""
        self.task = Purpose.ANALYSE if self.analysing else None

    def owe_move(self, received: float) -> None:
        """Makes the engine owe a move; its clock has been running since ``received``."""
        self.task, self.since, self.may_ponder = Purpose.MOVE, received, True

    def await_opponent(self) -> None:
        """Waits for the opponent to move."""
        if self.task is not Purpose.MOVE and not self.analysing:
            waits = self.pondering and self.may_ponder and self.side == 1 - self.mover
            self.task = Purpose.PONDER if waits and not is_over(self.game, self.session.state) else None

    def expects(self, text: str) -> bool:
        """Whether ``text`` is the move on which the current search ponders."""
        search = self.search
        if search is None or search.task is not Purpose.PONDER or search.expected is None or search.dropped:
            return False
        game, state = self.game, self.session.state
        try:
            move: str = game.action_to_text(state, game.text_to_action(state, text))
        except IllegalMove:
            return False
        return move == search.expected

    def take_over(self, text: str, received: float) -> None:
        """Called when the expected move was played: the search for the reply continues by the clock."""
        assert self.search is not None
        self.session.play(text)
        self.new_position()
        self.owe_move(received)
        self.session.ponder_hit(self.clock.limits(received))
        self.search.task, self.search.expected = Purpose.MOVE, None

    def drop(self) -> None:
        """Stops the search; its result is ignored."""
        if self.search is not None and not self.search.dropped:
            self.search.dropped = True
            self.session.stop()

    def follow(self) -> list[str]:
        """Stops the current search if it is not wanted; starts the wanted one if none is running."""
        wanted = self.wanted()
        if self.search is not None:
            if self.search.task is not wanted:
                self.drop()
            return []
        try:
            return [] if wanted is None else self._start(wanted)
        except RAISED_BY_GAMES as fault:
            logger.exception("the search did not start")
            self.task = None
            self.side = self.side if wanted is Purpose.PONDER else None
            return [f"tellusererror the search failed: {one_line(str(fault))}"]

    def wanted(self) -> Purpose | None:
        if self.broken or self.paused_at is not None or self.turn not in (None, self.mover):
            return None
        if self.task in (Purpose.MOVE, Purpose.ANALYSE) and not self.considered():
            return None
        return self.task

    def _start(self, task: Purpose) -> list[str]:
        if task is Purpose.PONDER:
            return self._ponder()
        moves = tuple(self.considered()) if self.excluded else ()
        limits = Limits(infinite=True, past_proof=True) if task is Purpose.ANALYSE else self.clock.limits(self.since)
        self.session.go(dataclasses.replace(limits, search_moves=moves, reports=Reports(plain=True)))
        self.search = self._searching(task, self.session.state)
        return []

    def _searching(self, task: Purpose, root: Any, expected: str | None = None) -> Search:
        """Returns the record of the search that has just been started."""
        options = self.session.options
        return Search(task, root, options.integer("MultiPV"), options.number("Resign"), expected)

    def _ponder(self) -> list[str]:
        """Ponders on the expected reply or, without one, on the position itself, whose graph helps for any reply."""
        game, state, expected = self.game, self.session.state, self.expected
        root = None if expected is None else game.next_state(state, game.text_to_action(state, expected))
        if expected is None or is_over(game, root):
            self.session.go(Limits(ponder=True))
            self.search = self._searching(Purpose.PONDER, state)
            return []
        self.session.play(expected)
        try:
            self.session.go(self.clock.limits(self._now(), ponder=True))
        finally:
            self.session.undo()
        self.search = self._searching(Purpose.PONDER, root, expected)
        return [f"Hint: {move_text(game, state, expected)}"]

    def report(self, info: SearchInfo) -> list[str]:
        """Returns the thinking output of a report."""
        search = self.search
        if search is None:
            return []
        search.latest = info
        return self._thoughts(search, info) if self.posting and not search.dropped else []

    def conclude(self, result: SearchResult) -> list[str]:
        """Handles the end of the search."""
        search, self.search = self.search, None
        self.session.wait()
        if search is None or search.dropped:
            return []
        replies = self.settings.comment(*result.remarks)
        if result.fault is not None:
            replies.append(f"tellusererror the search failed: {last_line(result.fault)}")
        if search.task is not Purpose.MOVE or result.move is None:
            self.task = None
            return replies
        if self.posting:
            replies += self._last_thoughts(search, result)
        return [*replies, *self._move(search, result)]

    def _thoughts(self, search: Search, info: SearchInfo) -> list[str]:
        opponents = search.task is Purpose.PONDER and search.expected is None
        return thinking(self.game, search.root, info, search.lines, opponent=opponents)

    def _last_thoughts(self, search: Search, result: SearchResult) -> list[str]:
        if result.book is not None:
            return [f"0 0 0 0 ({result.book})"]
        moves = sorted(result.info.moves, key=lambda move: move.move != result.move)
        return self._thoughts(search, dataclasses.replace(result.info, moves=tuple(moves)))

    def _move(self, search: Search, result: SearchResult) -> list[str]:
        """Returns the engine's move with the offers and claims that go with it, or its resignation."""
        assert result.move is not None
        self.task = None
        best = next((move for move in result.info.moves if move.move == result.move), None)
        value = None if best is None else best.value
        if result.info.hopeless(search.margin):
            return ["resign"]
        drawn = best is not None and best.lower == best.upper == 0.0
        accepts = self.draw_offered and value is not None and value <= 0.0
        replies = ["offer draw"] if accepts or (drawn and not self._offered) else []
        self._offered, self.draw_offered = drawn, False
        replies.append(f"move {move_text(self.game, search.root, result.move)}")
        self.session.play(result.move)
        self.new_position()
        self.clock.spend(self._now() - self.since)
        self.value, self.expected = value, result.ponder
        claim = result_claim(self.game, self.session.state)
        if claim is not None:
            return [*replies, claim]
        self.await_opponent()
        return replies
