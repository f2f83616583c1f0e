"""The engine, or an opponent, as a program of its own on pipes."""

from __future__ import annotations

import atexit
import functools
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from ..patience import PATIENCE
from . import stock

ENGINES = {"analysis", "gnubg", "gtp", "ubgi", "ugi", "uci", "xboard"}


def playout(*arguments: str) -> list[str]:
    """The command ``playout`` beside this Python; from a checkout that is not installed, what it would run.

    Engines play with Seed 1, so that runs repeat, unless the arguments name another.
    """
    if ENGINES.intersection(arguments[:1]) and not any("Seed=" in argument for argument in arguments):
        arguments = (*arguments, "--option", "Seed=1")
    installed = Path(sys.executable).with_name("playout")
    if installed.exists():
        return [str(installed), *arguments]
    return [sys.executable, "-c", "import sys; from playout.cli.main import main; sys.exit(main())", *arguments]


def forked(*arguments: str, first: str = "") -> list[str]:
    """A command that runs ``playout`` with the arguments of an engine, after the statements ``first``.

    It is for tests of what an engine does, of which there are many: it is a fork of a process that has imported the
    package already. How an installed program starts is the subject of others, which run ``playout``.
    """
    words = playout(*arguments)
    return [sys.executable, "-I", "-S", stock.__file__, _address(), first, *words[words.index(arguments[0]) :]]


@functools.cache
def _address() -> str:
    """The address of the process whose forks are the engines, which is started, and ends with this one."""
    folder = tempfile.mkdtemp(prefix="playout-")
    address = str(Path(folder, "stock"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        number = listener.fileno()
        command = [sys.executable, stock.__file__, str(number)]
        parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=[number])
    assert parent.stdin is not None
    atexit.register(shutil.rmtree, folder)
    atexit.register(parent.wait)
    atexit.register(parent.stdin.close)
    return address


class Pipe:
    """One running program. A context manager: leaving it ends the program."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._out: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._err: list[str] = []
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_out, self._read_err)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_input()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._join()

    def send(self, *lines: str | bytes) -> None:
        """Sends lines, or bytes as they are, all at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"".join(line.encode() + b"\n" if isinstance(line, str) else line for line in lines))
        self._process.stdin.flush()

    def line(self, timeout: float = PATIENCE) -> str:
        """The next line."""
        try:
            line = self._out.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no line for {timeout:g} s; standard error: {self.errors()}") from None
        assert line is not None, f"the program ended; standard error: {self.errors()}"
        return line

    def until(self, start: str, timeout: float = PATIENCE) -> list[str]:
        """The lines up to and including the first one that starts with ``start``."""
        end = time.monotonic() + timeout
        lines = [self.line(timeout)]
        while not lines[-1].startswith(start):
            lines.append(self.line(max(0.0, end - time.monotonic())))
        return lines

    def ask(self, command: str, timeout: float = PATIENCE) -> str:
        """The text of a GTP command's response, which must be a success."""
        response = self.respond(command, timeout)
        assert response.startswith("="), f"{command}: {response}"
        return response[1:].strip()

    def respond(self, command: str, timeout: float = PATIENCE) -> str:
        """A GTP command's whole response."""
        self.send(command)
        lines = [self.line(timeout)]
        while lines[-1] != "":
            lines.append(self.line(timeout))
        return "\n".join(lines).rstrip()

    def rest(self, timeout: float = PATIENCE) -> list[str]:
        """The rest of the output, until the program ends by itself or because its input has ended."""
        self.exit_status(timeout)
        self._join()
        lines = []
        while (line := self._out.get()) is not None:
            lines.append(line)
        return lines

    def close_input(self) -> None:
        """The end of the input."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def interrupt(self, number: int) -> None:
        """Sends it a signal."""
        self._process.send_signal(number)

    def exit_status(self, timeout: float = PATIENCE) -> int:
        """The exit status, once it has ended."""
        return self._process.wait(timeout)

    def error_line(self, timeout: float = PATIENCE) -> str:
        """The first line of standard error."""
        end = time.monotonic() + timeout
        while not self._err:
            assert time.monotonic() < end, f"nothing on standard error for {timeout:g} s"
            time.sleep(0.02)
        return self._err[0]

    def errors(self) -> str:
        """The text on standard error so far."""
        return "\n".join(self._err)

    def _join(self) -> None:
        for reader in self._readers:
            reader.join(PATIENCE)

    def _read_out(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            for line in pipe:
                self._out.put(line.decode("utf-8", "replace").rstrip("\n"))
        self._out.put(None)

    def _read_err(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as pipe:
            for line in pipe:
                self._err.append(line.decode("utf-8", "replace").rstrip("\n"))
