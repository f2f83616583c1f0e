"""playout itself at a server's board: a driver that resigns, can be told to stop, and says what it thinks."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.inside import clock_of
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.engine.options.table import in_order
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits, Reports
from playout.games.board_hooks import points
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.protocols.base.lines import last_line
from playout.protocols.base.version import NAME, VERSION
from playout.protocols.gtp.info_lines import ShownPosition, cgos
from playout.protocols.gtp.protocol import RESIGN as MARGIN

PASS = "pass"
SHOWN = 10
"""Moves in an analysis. The server reads lines of at most 64 KiB."""
PULSE = 0.2
"""Seconds after which a wait for the search is begun anew, so that signals are seen."""


class OwnEngine:
    """Drives a session of this process. See ``Driver``; beside it ``stop`` is for any thread.

    It plays as under GTP: with its books, and with the same default of the option Resign. Dead stones need no care:
    the search counts a board after two passes as the server does, with all that stands there.
    """

    def __init__(self, player: Player, game: Game[Any, Any]) -> None:
        """Makes the engine. ``begin`` may change the game.

        Raises:
            PlayoutError: if there is no such option, or a value is wrong.
        """
        self.name = f"{NAME} {VERSION}"
        self.remarks: list[str] = []
        self.analyses = False
        """Whether ``analysis`` is wanted."""
        self.wanted: Callable[[], bool] = lambda: True
        """Whether anybody waits for the move; asked once the search can be stopped."""
        self.analysis = ""
        """JSON object, in the form of CGOS, about the last answer; empty if none is wanted, or nothing was searched."""
        self._results: SimpleQueue[SearchResult] = SimpleQueue()
        self._session = Session(game, post=self._post)
        self._session.options.prefer("Resign", MARGIN)
        try:
            for name, value in in_order((name, str(value)) for name, value in player.options.items()):
                self._session.set_option(name, value)
        except BaseException:
            self.close()
            raise

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        """Takes up ``game``, which may be another one. ``seed`` is ignored: the option Seed says which games repeat."""
        if game.name != self._session.game.name:
            self._session.set_game(game)
        elif afresh:
            self._session.new_game()

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        """Searches by the clock alone, which is shorter than ``limit``."""
        session, began = self._session, time.monotonic()
        try:
            session.set_position(scene.start, scene.moves)
            clock = clock_of(clocks[scene.player])
            session.go(Limits(clock=clock, received=began, reports=Reports(ownership=self.analyses)))
        except PlayoutError as error:
            raise Fault(End.CRASH, str(error)) from error
        if not self.wanted():  # a stop that came before the search was none
            session.stop()
        result = self._result()
        if result.fault is not None:
            raise Fault(End.CRASH, f"the search failed: {last_line(result.fault)}")
        self.remarks += result.remarks
        hopeless = result.info.hopeless(session.options.number("Resign"))
        self.analysis = self._said(result, scene.player) if self.analyses and result.info.moves else ""
        return Answer(RESIGN if hopeless else result.move or PASS, time.monotonic() - began, began)

    def finish(self, result: float | None) -> None:
        """Lets books learn from the game, if the option BookLearn is set."""
        if result is not None:
            self._session.ended(result)

    def stop(self) -> None:
        """Ends the search under way, whose move comes soon. Any thread."""
        self._session.stop()

    def close(self) -> None:
        self._session.close()

    def _post(self, event: SearchInfo | SearchResult) -> None:
        if isinstance(event, SearchResult):
            self._results.put(event)

    def _result(self) -> SearchResult:
        while True:
            try:
                return self._results.get(timeout=PULSE)
            except Empty:
                continue

    def _said(self, result: SearchResult, player: int) -> str:
        game: Any = self._session.game
        shown = ShownPosition(player, most=SHOWN, priors=self._session.priors(), points=points(game), ownership=True)
        return cgos(result.info, shown)
