"""The engine at a server's board: a thread that gives it the games and moves, and checks what it answers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, Protocol

from playout.arena.drivers import table
from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Driver, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.enter.cgos import Match, Think
from playout.arena.enter.own import PASS, OwnEngine
from playout.arena.play.board import Board, board_of
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.games import catalogue
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.game import Game
from playout.protocols.base.lines import one_line

USUAL = "go:9,komi=7"
"""The game with which an engine starts, before a server has named one."""
ATTEMPTS = 2
"""Attempts at a move of an engine that fails; then it resigns."""
PATIENCE = 10.0
"""Seconds beyond the clock after which an engine hangs."""
GRACE = 2.0
PULSE = 0.2
"""Seconds between two requests to stop at the end."""

logger = logging.getLogger(__name__)

Start = Callable[[Player, Game[Any, Any]], Driver]


class Listener(Protocol):
    """Takes what the engine says. Called on the engine's thread; must not block."""

    def answered(self, asked: Think, move: str, analysis: str) -> None:
        """Takes the answer to ``asked``; each gets exactly one."""

    def failed(self, error: Exception) -> None:
        """Takes the error for which the engine cannot go on."""


def start_engine(player: Player, game: Game[Any, Any]) -> Driver:
    """Starts an engine; playout itself as ``OwnEngine``.

    Raises:
        PlayoutError: if there is no such program or option.
    """
    return OwnEngine(player, game) if player.protocol == "inside" else table.start(player, game)


class Seat:
    """One engine, for one game at a time. One thread calls the methods, of which only the first and the last block.

    A crashed engine is started anew, and gets the moves of the game.
    """

    def __init__(self, player: Player, listener: Listener, start: Start = start_engine) -> None:
        """Starts the engine. Blocks.

        Raises:
            PlayoutError: if it does not start.
        """
        self._player, self._listener, self._start = player, listener, start
        self._driver = self._started()
        self._match: Match | None = None
        """The game that the engine knows; None if it has to be told anew."""
        self._told: list[str] = []
        """The moves that it knows."""
        self._wanted: Think | None = None
        self._closing = False
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="playout-seat", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """Name by which the engine calls itself."""
        return self._driver.name

    def prepare(self, match: Match) -> None:
        """Gets the engine ready for a game."""
        self._tasks.put(partial(self._begin, match, afresh=True))

    def think(self, asked: Think) -> None:
        """Looks for a move, which the listener gets."""
        self._wanted = asked
        self._tasks.put(partial(self._think, asked))

    def halt(self) -> None:
        """Ends a search that nobody waits for, if the engine can be told; its answer still comes."""
        self._wanted = None
        if isinstance(self._driver, OwnEngine):
            self._driver.stop()

    def finish(self, result: float | None) -> None:
        """Tells the engine that its game is over. ``result`` is Black's."""
        self._tasks.put(partial(self._finish, result))

    def close(self) -> None:
        """Ends the engine. Blocks. Does not raise."""
        self._closing = True
        self._tasks.put(None)
        while self._thread.is_alive():
            self.halt()
            if not isinstance(self._driver, OwnEngine):
                self._driver.close()
            self._thread.join(PULSE)
        self._driver.close()

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task()
            except Exception as error:
                if self._closing:
                    return
                self._listener.failed(error)

    def _started(self) -> Driver:
        return self._start(self._player, catalogue.load(USUAL))

    def _begin(self, match: Match, *, afresh: bool) -> None:
        game = catalogue.load(match.game)
        # The protocols count time in whole seconds.
        pace = Pace(time=max(1.0, match.seconds // 1))
        self._match, self._told = match, []
        try:
            self._driver.begin(game, None, pace, afresh=afresh, seed=0)
        except Fault as fault:
            self._restart(fault)
            try:
                self._driver.begin(game, None, pace, afresh=True, seed=0)
            except Fault as again:
                raise PlayoutError(f"{self._player.name}: {again}") from again

    def _restart(self, fault: Fault) -> None:
        logger.warning("%s: %s: %s", self._player.name, fault.end, fault)
        if self._closing or not fault.end.restarts:
            return
        self._driver.close()
        self._driver = self._started()

    def _think(self, asked: Think) -> None:
        board = board_of(catalogue.load(asked.match.game))
        try:
            for move in asked.moves:
                if board.player is not None:
                    board.play(move)
        except IllegalMove as error:
            logger.error(
                "%s: the rules here do not allow a move of the game, so it is resigned: %s", asked.match, error
            )
            self._listener.answered(asked, RESIGN, "")
            return
        move, analysis = (PASS, "") if board.player is None else self._found(asked, board)
        self._listener.answered(asked, move, analysis)

    def _found(self, asked: Think, board: Board) -> tuple[str, str]:
        """Returns the engine's move, or ``RESIGN``, and what it says about it."""
        for _ in range(ATTEMPTS):
            if self._wanted is not asked:
                break
            try:
                answer = self._ask(asked, board)
            except Fault as fault:
                self._match = None
                self._restart(fault)
                continue
            if answer.move == RESIGN:
                return RESIGN, ""
            return self._checked(answer, board)
        else:
            logger.error("%s: no move in %d attempts: the game is resigned", self._player.name, ATTEMPTS)
        return RESIGN, ""

    def _ask(self, asked: Think, board: Board) -> Answer:
        match, moves = asked.match, board.moves
        same = self._match is not None and self._match.number == match.number
        if not same or moves[: len(self._told)] != self._told:
            self._begin(match, afresh=not same)
        driver, pace = self._driver, Pace(time=match.seconds)
        left = max(0.0, asked.planned - (time.monotonic() - asked.received))
        own, other = ClockFace(pace, left), ClockFace(pace, asked.opponent)
        faces = (own, other) if asked.player == 0 else (other, own)
        if isinstance(driver, OwnEngine):
            driver.analyses, driver.wanted = asked.analysis, lambda: self._wanted is asked
        answer = driver.choose(Scene(None, moves, asked.player), faces, max(0.0, asked.left) + PATIENCE, GRACE)
        for remark in driver.remarks:
            logger.info("%s", remark)
        driver.remarks.clear()
        return answer

    def _checked(self, answer: Answer, board: Board) -> tuple[str, str]:
        """Returns a move in the game's notation; a pass in the place of one that would lose the game at once."""
        try:
            text = board.play(answer.move)
        except IllegalMove:
            logger.warning("%s: an illegal move, a pass instead: %s", self._player.name, one_line(answer.move, 80))
            self._match = None
            return PASS, ""
        self._told = list(board.moves)
        return text, self._driver.analysis if isinstance(self._driver, OwnEngine) else ""

    def _finish(self, result: float | None) -> None:
        if self._match is not None:
            try:
                self._driver.finish(result)
            except Fault as fault:
                self._restart(fault)
        self._match = None
