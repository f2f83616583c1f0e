"""Desks in processes of their own: in one process they would wait for each other at the interpreter's lock.

The two sides speak over a socket, a line of JSON a message; ``desk_program.py`` is the other side.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator

import msgspec

from playout.arena.play.cores import Cores
from playout.arena.play.desk import Desk, void
from playout.arena.play.witness import Stillness
from playout.arena.terms.job import Job, Played
from playout.arena.terms.live import Stage

PROGRAM = "from playout.arena.play.desk_program import main; main()"
VERDICT = 10.0
"""Seconds in which the end of a process that has closed its socket is noticed."""
FAREWELL = 60.0
"""Seconds for a desk's process to end its engines and itself."""

Moved = Callable[[int, Stage], None]
"""Is told how many moves were made since the last time, and how far the game is. What it raises ends the game."""


class Wanted(msgspec.Struct, frozen=True, tag="wanted"):
    """A game is to be played."""

    job: Job
    number: int


class Still(msgspec.Struct, frozen=True, tag="still"):
    """Answer to ``Ask``."""

    seconds: float


class Moves(msgspec.Struct, frozen=True, tag="moves"):
    """A number of moves that were made since the last such message, and how far the game is now."""

    count: int
    number: int
    moves: list[str]


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Asks how long the machine stood still between two times of ``time.monotonic``."""

    begin: float
    end: float


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A game was played."""

    played: Played


ToDesk = Wanted | Still
FromDesk = Moves | Ask | Ended


class Lost(Exception):
    """Raised if the process of a desk has ended; the message says how."""


class ApartDesk:
    """Plays as ``Desk`` does. Its process starts with the first game, and anew if it was lost. One thread uses it.

    A game whose process was lost is void.
    """

    def __init__(self, witness: Stillness, moved: Moved, cores: Cores = frozenset()) -> None:
        """``cores`` are the processors of the desk and its engines; without any the system chooses."""
        self._witness, self._moved, self._cores = witness, moved, cores
        self._process: subprocess.Popen[bytes] | None = None
        self._decoder: msgspec.json.Decoder[FromDesk] = msgspec.json.Decoder(FromDesk)

    def play(self, job: Job, played: Collection[int] = ()) -> Iterator[tuple[int, Played]]:
        """Yields the games of ``job`` with their numbers, each as it ends, but for those in ``played``. Blocks."""
        for number in range(job.games):
            if number not in played:
                yield number, self._game(job, number)

    def abandon(self) -> None:
        """Kills the process, and with it the game under way, which is void. Any thread."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Ends the process and its engines. Does not raise."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        self._end()

    def _game(self, job: Job, number: int) -> Played:
        try:
            self._start()
            self._say(Wanted(job, number))
            for line in self._lines:
                match self._decoder.decode(line):
                    case Moves(count, number=number, moves=moves):
                        self._moved(count, Stage(number, moves))
                    case Ask(begin, end):
                        self._say(Still(self._witness.stood_still(begin, end)))
                    case Ended(played):
                        return played
            raise Lost
        except (Lost, OSError):
            return void(job, number, f"the desk's process {self._end()}")
        except BaseException:
            self.abandon()
            self._end()
            raise

    def _say(self, message: ToDesk) -> None:
        self._socket.sendall(msgspec.json.encode(message) + b"\n")

    def _start(self) -> None:
        if self._process is not None:
            return
        self._socket, other = socket.socketpair()
        self._lines = self._socket.makefile("rb")
        with other:
            # A session of its own: Ctrl-C is for the arena, which lets the game under way end.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(other.fileno()), *map(str, self._cores)],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=(other.fileno(),),
                start_new_session=True,
            )

    def _end(self) -> str:
        """Ends the process if it runs, and returns how it has ended. Guardians end its engines."""
        if self._process is None:
            return "did not start"
        self._lines.close()
        self._socket.close()
        try:
            status = self._process.wait(VERDICT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._process = None
        return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def desk_among(desks: int, witness: Stillness, moved: Moved, cores: Cores = frozenset()) -> Desk | ApartDesk:
    """Returns one of a number of desks: in this process if it is the only one, otherwise in a process of its own."""
    if desks > 1:
        return ApartDesk(witness, moved, cores)
    return Desk(witness, lambda number, board: moved(1, Stage(number, board.moves)))
