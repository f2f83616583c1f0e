"""A client of GNU Backgammon's external interface, which GNU Backgammon opens by the command ``external HOST:PORT``."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from playout.engine.judge.cube import Chances
from playout.games.backgammon import Backgammon, State
from playout.games.errors import ProtocolError
from playout.games.support.backgammon.setup import Match, Setup
from playout.protocols.backgammon.fibs_board import fibs_board
from playout.protocols.base.lines import LineSplitter, one_line

PROGRAM = "gnubg"
PLACES = (PROGRAM, "/usr/games/gnubg")
"""Places where the program is searched for. Debian installs it in a folder that is often not on PATH."""
PATIENCE = 30.0
"""Seconds for GNU Backgammon to start, or to answer."""
LONGEST = 255
"""Longest command in bytes. GNU Backgammon discards the rest."""


def find_gnubg() -> str | None:
    """Path of the program, or None if it is not installed."""
    return next((found for place in PLACES if (found := shutil.which(place)) is not None), None)


class NoAnswer(ProtocolError):
    """Raised if no answer arrives in time, or the connection is lost. The cause is a TimeoutError in the first case."""


class GnubgClient:
    """A connection; a context manager. GNU Backgammon serves one connection at a time and listens again after its end.

    Every method blocks. It raises ProtocolError if no answer arrives in time, or if the answer is an ``Error``.
    """

    def __init__(self, place: tuple[str, int], patience: float = PATIENCE) -> None:
        self._splitter = LineSplitter()
        self._lines: list[str] = []
        try:
            self._connection = socket.create_connection(place, timeout=patience)
        except OSError as error:
            raise ProtocolError(
                f"cannot connect to GNU Backgammon at {place[0]}:{place[1]}: {error.strerror or error}"
            ) from error
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def set_patience(self, seconds: float) -> None:
        """Sets the time for an answer."""
        self._connection.settimeout(seconds)

    def version(self) -> dict[str, str]:
        """GNU Backgammon's versions by name: ``Interface``, ``RFBF``, ``Engine``, ``Software``."""
        lines = [self._ask("version"), *(self._line() for _ in range(3))]
        return {name: text.strip() for name, _, text in (line.partition(":") for line in lines)}

    def decide(self, setup: Setup) -> str:
        """GNU Backgammon's decision: a play such as ``"24/18 18/13"``, empty if none is possible, or ``double``,
        ``roll``, ``take``, ``drop``, ``beaver``."""
        return self._ask(fibs_board(setup)).strip()

    def choose(self, game: Backgammon, state: State) -> int:
        """GNU Backgammon's play of a roll, as an action of ``game``.

        Raises:
            IllegalMove: if the answer is not a legal play.
        """
        match = Match(player=state.player, dice=state.dice)
        return game.text_to_action(state, self.decide(Setup(state.checkers, match)))

    def evaluate(self, setup: Setup, plies: int = 0) -> tuple[Chances, float]:
        """GNU Backgammon's evaluation before the roll, for the player on roll: the chances of each result, and the
        cubeless equity in points; in a match, the chance of winning the match instead of the equity."""
        answer = self._ask(f"evaluation fibsboard {fibs_board(setup)} plies {plies} cubeless")
        try:
            win, gammon, backgammon, lost_gammon, lost_backgammon, worth = map(float, answer.split())
        except ValueError:
            raise ProtocolError(f"not an evaluation: {one_line(answer)!r}") from None
        return Chances(win, gammon, backgammon, lost_gammon, lost_backgammon), worth

    def _ask(self, command: str) -> str:
        line = command.encode()
        if len(line) > LONGEST:
            raise ProtocolError(f"a command of {len(line)} bytes is too long: GNU Backgammon reads {LONGEST}")
        try:
            self._connection.sendall(line + b"\n")
        except OSError as error:
            raise NoAnswer(f"the connection to GNU Backgammon is lost: {error.strerror or error}") from error
        answer = self._line()
        if answer.startswith("Error"):
            raise ProtocolError(f"GNU Backgammon: {one_line(answer)}")
        return answer

    def _line(self) -> str:
        while not self._lines:
            try:
                data = self._connection.recv(4096)
            except OSError as error:
                raise NoAnswer(f"GNU Backgammon does not answer: {error.strerror or error}") from error
            if not data:
                raise NoAnswer("GNU Backgammon has closed the connection")
            self._lines += [line.text for line in self._splitter.feed(data, 0.0)]
        return self._lines.pop(0)


class GnubgLaunch:
    """Everything that a process of GNU Backgammon needs to listen for connections; the caller starts the process."""

    def __init__(self, plies: int = 0, *, program: str | None = None, commands: Sequence[str] = ()) -> None:
        """``plies`` is the depth of GNU Backgammon's evaluations, which it counts from 0; ``commands`` are more of its
        commands.

        Raises:
            ProtocolError: if GNU Backgammon is not installed.
        """
        found = program or find_gnubg()
        if found is None:
            raise ProtocolError("GNU Backgammon is not installed")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.place: tuple[str, int] = free.getsockname()[:2]
        self.command = [found, "--tty", "--quiet", "--no-rc"]
        settings = (
            "set threads 1",
            f"set evaluation chequerplay evaluation plies {plies}",
            f"set evaluation cubedecision evaluation plies {plies}",
            "set evaluation chequerplay evaluation cubeful off",
            *commands,
            "external {}:{}".format(*self.place),
        )
        self.input = "".join(f"{line}\n" for line in settings)
        """Text for its standard input, which must stay open."""
        self._home = tempfile.TemporaryDirectory(prefix="playout-gnubg-")
        (Path(self._home.name) / ".gnubg").mkdir()
        self.variables = {"HOME": self._home.name, "LC_ALL": "C"}
        """Variables for its environment."""

    def connect(self, patience: float, check: Callable[[], None]) -> GnubgClient:
        """Connects once the program listens. Blocks, at most ``patience`` seconds. ``check`` raises if the program has
        ended.

        Raises:
            ProtocolError: if the program does not listen in time.
        """
        end = time.monotonic() + patience
        while True:
            try:
                return GnubgClient(self.place, patience)
            except ProtocolError:
                check()
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def close(self) -> None:
        """Removes the folder that the process used."""
        self._home.cleanup()


class GnubgProcess:
    """A process of GNU Backgammon that listens for connections; a context manager. Its end ends the process."""

    def __init__(self, plies: int = 0, *, program: str | None = None) -> None:
        """``plies`` is the depth of GNU Backgammon's evaluations, which it counts from 0.

        Raises:
            ProtocolError: if GNU Backgammon is not installed, or does not start.
        """
        self._launch = GnubgLaunch(plies, program=program)
        self._process = subprocess.Popen(
            self._launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self._launch.variables},
        )
        assert self._process.stdin is not None
        self._process.stdin.write(self._launch.input.encode())
        self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def place(self) -> tuple[str, int]:
        """Address at which it listens."""
        return self._launch.place

    def connect(self, patience: float = PATIENCE) -> GnubgClient:
        """Connects once the program listens. Blocks, at most ``patience`` seconds.

        Raises:
            ProtocolError: if the program does not listen in time.
        """
        return self._launch.connect(patience, self._check)

    def close(self) -> None:
        """Ends the program."""
        self._process.kill()
        self._process.communicate()
        self._launch.close()

    def _check(self) -> None:
        if self._process.poll() is not None:
            raise ProtocolError(f"GNU Backgammon has ended with status {self._process.returncode}")
