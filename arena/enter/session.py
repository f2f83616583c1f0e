"""A stay at a CGOS server: connects, plays one game after another, and logs in again when the connection is lost."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue

from playout.arena.enter.cgos import Action, CgosPlayer, Halt, Leave, Over, Prepare, Reconnect, Send, Think
from playout.arena.enter.seat import Seat, Start, start_engine
from playout.arena.terms.job import Player
from playout.games.errors import PlayoutError
from playout.protocols.base.lines import LineSplitter, one_line
from playout.protocols.transport.address import Address
from playout.protocols.transport.connection import Connection, connect

LONGEST_LINE = 2**20
"""Bytes of a line of the server."""
PULSE = 0.2
"""Seconds after which a wait is begun anew, so that signals are seen."""
FAREWELL = 2.0
"""Seconds for the server to close the connection after ``quit``."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waits:
    """Times of the connection, in seconds."""

    retry: tuple[float, float] = (30.0, 35.0)
    """Least time between two attempts to connect, drawn between these bounds."""
    connect: float = 20.0
    """Time for the connection."""
    login: float = 60.0
    """Time for the server to ask for name and password."""
    settling: float = 10.0
    """Time after a login in the middle of a game, in which the server sets it up again."""


class CgosSession:
    """The stay of one player. One thread calls ``run``; ``stop`` is for any thread and for signal handlers."""

    def __init__(
        self,
        address: Address,
        player: CgosPlayer,
        engine: Player,
        *,
        ended: Callable[[Over], None] = lambda _: None,
        waits: Waits | None = None,
        start: Start = start_engine,
    ) -> None:
        """``ended`` gets each game that is over."""
        self._address, self._player, self._engine = address, player, engine
        self._ended, self._waits, self._start = ended, waits or Waits(), start
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._connection: Connection | None = None
        self._reader: threading.Thread | None = None
        self._welcome = False
        """Whether the server has ever taken name and password."""
        self._earliest = 0.0
        """Time before which there is no further attempt to connect."""
        self._deadline: float | None = None
        """Time at which the login, or the wait for a game that went on, is over."""
        self._over = False

    def stop(self) -> None:
        """Asks to leave between games. Any thread; a signal handler, too."""

        def stop() -> None:
            if self._player.match is not None:
                logger.info("leaving at the end of the game")
            self._do(self._player.stop())

        self._events.put(stop)

    def run(self) -> None:
        """Plays until the player leaves. Blocks. However it ends, the engine is ended, too.

        Raises:
            PlayoutError: if the engine does not start, the server cannot be reached the first time, or it refuses the
                player.
        """
        self._seat = Seat(self._engine, self, self._start)
        try:
            logger.info("the engine is %s", self._seat.name)
            while not self._over:
                self._look(time.monotonic())
                try:
                    event = self._events.get(timeout=PULSE)
                except Empty:
                    continue
                event()
        finally:
            self._drop()
            self._seat.close()

    def answered(self, asked: Think, move: str, analysis: str) -> None:
        """See ``Listener``."""
        self._events.put(lambda: self._do(self._player.answer(asked, move, time.monotonic(), analysis)))

    def failed(self, error: Exception) -> None:
        """See ``Listener``."""

        def again() -> None:
            raise error

        self._events.put(again)

    def _look(self, now: float) -> None:
        """Does what is due."""
        if self._connection is None:
            if now >= self._earliest:
                self._connect(now)
        elif self._deadline is not None and now >= self._deadline:
            self._deadline = None
            if self._player.uncertain:
                self._do(self._player.settled())
            elif not self._player.entered:
                self._lose("the server does not ask for name and password")

    def _connect(self, now: float) -> None:
        self._earliest = now + random.uniform(*self._waits.retry)
        logger.info("connecting to %s", self._address)
        try:
            connection = connect(self._address.host, self._address.port, self._waits.connect)
        except OSError as error:
            self._lose(_reason(error))
            # The game cannot be played to its end, and who asked to leave need not wait for the server.
            self._over = self._over or self._player.stopping
            return
        self._connection = connection
        self._deadline = now + self._waits.login
        self._player.connected()
        self._reader = threading.Thread(target=self._read, args=(connection,), name="playout-cgos", daemon=True)
        self._reader.start()

    def _read(self, connection: Connection) -> None:
        splitter, reason = LineSplitter(LONGEST_LINE), "the server closed the connection"
        try:
            while data := connection.receive():
                now = time.monotonic()
                for line in splitter.feed(data, now):
                    self._events.put(partial(self._heard, connection, line.text, now))
        except OSError as error:
            reason = _reason(error)
        self._events.put(lambda: self._lose(reason) if connection is self._connection else None)

    def _heard(self, connection: Connection, line: str, now: float) -> None:
        if connection is not self._connection:
            return
        logger.debug("< %s", one_line(line))
        entered = self._player.entered
        self._do(self._player.receive(line, now))
        if self._player.entered and not entered:
            self._welcome = True
            self._deadline = time.monotonic() + self._waits.settling
            logger.info("%s has sent name and password", self._player.name)

    def _do(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Send():
                    self._send(action)
                case Prepare():
                    self._seat.prepare(action.match)
                case Think():
                    self._seat.think(action)
                case Halt():
                    self._seat.halt()
                case Over():
                    self._seat.finish(action.value)
                    self._ended(action)
                case Reconnect():
                    self._lose(action.reason)
                case Leave():
                    self._over = True

    def _send(self, action: Send) -> None:
        if self._connection is None:
            return
        logger.debug("> %s", "(the password)" if action.secret else action.line)
        try:
            self._connection.send(f"{action.line}\n".encode())
        except OSError as error:
            self._lose(_reason(error))

    def _lose(self, reason: str) -> None:
        """Notes that there is no connection.

        Raises:
            PlayoutError: if there never was a login: then the address is wrong, most likely.
        """
        if not self._welcome:
            raise PlayoutError(f"{self._address}: {reason}")
        self._drop()
        wait = max(0.0, self._earliest - time.monotonic())
        logger.warning("%s: %s; the next attempt in %.0f s", self._address, reason, wait)
        self._do(self._player.lost())

    def _drop(self) -> None:
        """Closes the connection; after ``quit`` everything that was sent arrives."""
        connection, reader = self._connection, self._reader
        self._connection = self._reader = None
        if connection is None or reader is None:
            return
        if self._over:
            connection.finish()
            reader.join(FAREWELL)
        connection.interrupt()
        reader.join()
        connection.close()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
