"""A stay at the tests' server, on a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

from playout.arena.enter.cgos import CgosPlayer, Over
from playout.arena.enter.seat import Start, start_engine
from playout.arena.enter.session import CgosSession, Waits
from playout.arena.terms.job import Player
from playout.protocols.transport.address import Address

from ...patience import PATIENCE
from ..players import Reply, ScriptedDriver
from .server import Login, Server

OWN = Player(name="playout", protocol="inside", options={"MaxNodes": "60", "Seed": "1"})
SOON = Waits(retry=(0.0, 0.0), connect=PATIENCE, login=PATIENCE, settling=PATIENCE)
USERS = {"bot": "secret"}


class Client:
    """A stay on a thread of its own."""

    def __init__(
        self,
        port: int,
        engine: Player = OWN,
        start: Start = start_engine,
        *,
        password: str = "secret",
        games: int | None = None,
        waits: Waits = SOON,
    ) -> None:
        self.overs: SimpleQueue[Over] = SimpleQueue()
        self.error: BaseException | None = None
        player = CgosPlayer("bot", password, analyses=engine.protocol == "inside", games=games)
        address = Address("127.0.0.1", port)
        self.session = CgosSession(address, player, engine, ended=self.overs.put, waits=waits, start=start)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.session.run()
        except BaseException as error:
            self.error = error

    def wait(self) -> BaseException | None:
        """Waits for the end of the stay; the error that ended it."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.error

    def over(self) -> Over:
        """The next game that is over."""
        return self.overs.get(timeout=PATIENCE)


Enter = Callable[..., Client]


class Log(logging.Handler):
    """The log, as it is written."""

    def __init__(self) -> None:
        super().__init__()
        self._said: SimpleQueue[str] = SimpleQueue()

    def emit(self, record: logging.LogRecord) -> None:
        self._said.put(record.getMessage())

    def wait(self, text: str) -> str:
        """Waits for a message with ``text`` in it."""
        while text not in (said := self._said.get(timeout=PATIENCE)):
            pass
        return said


def admitted(server: Server) -> Login:
    """A client that the server has taken."""
    login = server.admit()
    assert login is not None
    return login


def scripted(*replies: Reply) -> Start:
    """Starts an engine with these answers."""
    engine = ScriptedDriver(replies)
    return lambda _player, _game: engine
