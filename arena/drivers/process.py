"""An engine's process on pipes: lines with deadlines, and an end from which nothing is left."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from playout.arena.drivers import guardian
from playout.arena.drivers.fault import Fault
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.games.errors import PlayoutError
from playout.games.nearest import nearest_file
from playout.protocols.base.lines import one_line

LONGEST_LINE = 2**20
"""Bytes of a line; an engine that writes a longer one has lost the protocol."""
CHUNK = 2**16
SOON = 0.0003
"""Seconds for which an answer is awaited without sleep."""
UNASKED = 2**22
"""Bytes that an engine may write between its moves."""
SAID = 20
"""Number of last lines of standard error that are kept."""
FAREWELL = 2.0
"""Seconds for a program to end after it was asked to."""
VERDICT = 10.0
"""Seconds after the end of a program's output in which its own end is noticed; a program that still runs then has only
closed its output."""
BROKEN_OFF = 1
"""Exit status of ``playout connect`` for a session that was broken off."""
KILLING = 30.0
"""Seconds for the guardian to kill everything. Only a process that the system itself holds takes that long."""


class EngineProcess:
    """One running program. Not for several threads, but ``close`` may come from any."""

    def __init__(self, command: Sequence[str], directory: str = "", variables: Mapping[str, str] | None = None) -> None:
        """Starts the program; ``variables`` are added to its environment.

        Raises:
            PlayoutError: if there is no such program or folder.
        """
        if not command:
            raise PlayoutError("no command")
        words = [program(command[0], directory), *command[1:]]
        self.command = list(command)
        self._bridge = list(command[:2]) == ["playout", "connect"]
        alive, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__, str(alive), *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=directory or None,
                env={**os.environ, **(variables or {})},
                pass_fds=(alive,),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._lifeline)
            reason = error.strerror if isinstance(error, OSError) else error
            raise PlayoutError(f"{directory or command[0]}: {reason}") from error
        finally:
            os.close(alive)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._out, select.POLLIN)
        self._writable.register(self._in, select.POLLOUT)
        self._rest = b""
        self._lines: deque[bytes] = deque()
        self._awaited = False
        """Whether something was sent, and nothing awaited since then."""
        self._passed: float | None = None
        """The last deadline that has passed."""
        self._said: deque[str] = deque(maxlen=SAID)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._closing = threading.Lock()
        self._closed = False

    def send(self, text: str, deadline: float) -> None:
        """Writes lines.

        Raises:
            Fault: if the program has ended, or does not read until ``deadline`` (``time.monotonic``).
        """
        data, began = text.encode(), time.monotonic()
        self._awaited = True
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                wait = deadline - time.monotonic()
                if wait <= 0 or not self._writable.poll(1000 * wait):
                    raise Fault(End.HANG, "it does not read its input", began) from None
            except OSError:
                raise self._gone("input") from None

    def line(self, deadline: float) -> str | None:
        """Returns the next line, None if there is none until ``deadline`` (``time.monotonic``).

        After the deadline it returns, in further calls with the same deadline, the lines that were in the pipe then.

        Raises:
            Fault: if the program ends, or writes a line without an end.
        """
        while not self._lines:
            wait = deadline - time.monotonic()
            if wait <= 0:
                # An engine that never pauses would otherwise be read for ever.
                if self._passed == deadline or not self._readable.poll(0):
                    return None
                self._passed = deadline
            elif not self._soon() and not self._readable.poll(1000 * wait):
                continue
            self._read()
        return self._lines.popleft().decode("utf-8", "replace").rstrip("\r")

    def _soon(self) -> bool:
        """Whether an answer to what was just sent can be read within ``SOON``.

        Meanwhile the processor does not sleep: it would wake more slowly than many an answer comes. Others may use it.
        """
        if not self._awaited:
            return False
        self._awaited = False
        end = time.monotonic() + SOON
        while not self._readable.poll(0):
            if time.monotonic() >= end:
                return False
            os.sched_yield()
        return True

    def waiting(self) -> list[str]:
        """Returns the lines that the program has written without being asked; does not wait.

        Raises:
            Fault: as ``line`` does.
        """
        size = 0
        while self._readable.poll(0):
            size += self._read()
            if size > UNASKED:
                raise Fault(End.GARBAGE, f"more than {UNASKED} bytes that nobody asked for")
        lines = [line.decode("utf-8", "replace").rstrip("\r") for line in self._lines]
        self._lines.clear()
        return lines

    @property
    def said(self) -> str:
        """The last line on standard error."""
        return self._said[-1] if self._said else ""

    @property
    def number(self) -> int:
        """The process number of the guardian."""
        return self._process.pid

    def close(self, farewell: str = "") -> None:
        """Ends the program: sends ``farewell``, closes its input, waits a little, kills it and all it started."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        with contextlib.suppress(OSError):
            os.write(self._in, farewell.encode())
        self.end_input()
        drain = threading.Thread(target=self._drain, daemon=True)
        drain.start()
        ended = bool(farewell) and self._has_ended(FAREWELL)
        os.close(self._lifeline)  # the guardian kills what is left
        if not ended and not self._has_ended(KILLING):
            self._process.kill()
            self._process.wait()
        drain.join(VERDICT)
        self._listener.join(VERDICT)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def end_input(self) -> None:
        """Closes the program's input. The descriptor stays taken: another thread may still be writing to it."""
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self._in, inheritable=False)
        os.close(nothing)

    def _has_ended(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _read(self) -> int:
        """Takes what is in the pipe; returns its size in bytes."""
        try:
            data = os.read(self._out, CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            raise self._gone("output")
        first, *others = data.split(b"\n")
        if others:
            self._lines.append(self._rest + first)
            self._lines.extend(others[:-1])
            self._rest = others[-1]
        else:
            self._rest += first
            if len(self._rest) > LONGEST_LINE:
                raise Fault(End.GARBAGE, f"a line of more than {LONGEST_LINE} bytes")
        return len(data)

    def _gone(self, pipe: str) -> Fault:
        """Returns the fault of a program at the other end of whose input or output nobody is."""
        try:
            status = self._process.wait(VERDICT)
        except subprocess.TimeoutExpired:
            return Fault(End.DISCONNECT, f"it closed its {pipe}")
        self._listener.join(VERDICT)
        said = f": {self.said}" if self.said else ""
        if self._bridge and status == BROKEN_OFF:
            return Fault(End.DISCONNECT, f"the connection to it was lost{said}")
        if status == 0:
            return Fault(End.EXIT, f"it ended by itself{said}")
        number = status - 128 if status > 128 else -status  # negative: the guardian itself was killed
        with contextlib.suppress(ValueError):
            return Fault(End.CRASH, f"it was ended by {signal.Signals(number).name}{said}")
        return Fault(End.CRASH, f"it ended with status {status}{said}")

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as pipe:
            rest = b""
            while data := pipe.read(CHUNK):
                *lines, rest = (rest + data).split(b"\n")
                self._said.extend(one_line(line.decode("utf-8", "replace")) for line in lines[-SAID:] if line.strip())
                rest = rest[-CHUNK:]
            if rest.strip():
                self._said.append(one_line(rest.decode("utf-8", "replace")))

    def _drain(self) -> None:
        """Reads what the program still writes, so that it does not wait for a reader at its end."""
        readable = select.poll()  # of its own: the thread that uses the engine may be waiting at the other one
        readable.register(self._out, select.POLLIN)
        while readable.poll(1000 * FAREWELL):
            try:
                if not os.read(self._out, CHUNK):
                    return
            except BlockingIOError:
                continue
            except OSError:
                return


def process_of(player: Player, game: str) -> EngineProcess:
    """Starts the program of ``player`` for the game of that name.

    Raises:
        PlayoutError: if there is no such program or folder.
    """
    return EngineProcess([word.replace("{game}", game) for word in player.command], player.directory)


def program(name: str, directory: str) -> str:
    """Returns the path of a program: one in ``directory`` by a path, one of the system by its name, or playout's own.

    Raises:
        PlayoutError: if there is none.
    """
    if "/" in name:
        path = Path(directory, name).absolute()
        if not os.access(path, os.X_OK) or path.is_dir():
            raise PlayoutError(f"{path}: no such program{'' if path.exists() else nearest_file(path)}")
        return str(path)
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if name.startswith("playout") and beside.exists() else None
    found = found or shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/games")
    if found is None:
        raise PlayoutError(f"{name}: no such program on the path")
    return found
