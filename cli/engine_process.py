"""An engine run as a graphical interface runs it: the installed command, in its own process, over pipes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Self

from playout.games.errors import PlayoutError

PATIENCE = 30.0
"""Seconds to wait for a reply."""
FAREWELL = 5.0
"""Seconds for an engine to end after ``quit``."""


def installed_command() -> str:
    """Returns the path of the command ``playout`` of this Python installation.

    Raises:
        PlayoutError: if it is not installed.
    """
    found = shutil.which("playout", path=str(Path(sys.executable).parent)) or shutil.which("playout")
    if found is None:
        raise PlayoutError("the command playout is not installed beside this Python: pip install .")
    return found


class EngineProcess:
    """One running engine. As a context manager, it ends the process on exit."""

    def __init__(self, *arguments: str) -> None:
        self.name = f"playout {' '.join(arguments)}"
        self._process = subprocess.Popen(
            [installed_command(), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            bufsize=1,
        )
        self._replies = _lines(self._process.stdout)
        self._remarks = _lines(self._process.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        with suppress(PlayoutError):
            self.send("quit")
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def send(self, line: str) -> None:
        """Sends one line.

        Raises:
            PlayoutError: if the engine has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
        except OSError as error:
            raise self._gone() from error

    def receive(self, last: Callable[[str], bool]) -> list[str]:
        """Returns the lines that the engine writes, up to and including the first for which ``last`` is true. Blocks.

        Raises:
            PlayoutError: if the engine ends before that, or writes nothing for ``PATIENCE`` seconds.
        """
        lines: list[str] = []
        while not lines or not last(lines[-1]):
            try:
                line = self._replies.get(timeout=PATIENCE)
            except Empty:
                raise PlayoutError(f"{self.name}: no reply for {PATIENCE:g} s") from None
            if line is None:
                raise self._gone()
            lines.append(line)
        return lines

    def remark(self, timeout: float) -> str:
        """Returns the engine's next line on standard error; empty if there is none within ``timeout`` seconds."""
        try:
            return self._remarks.get(timeout=timeout) or ""
        except Empty:
            return ""

    def _gone(self) -> PlayoutError:
        said = ""
        while line := self.remark(1.0):
            said = line
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        status = self._process.returncode
        return PlayoutError(f"{self.name}: the engine ended with status {status}" + (f": {said}" if said else ""))


def _lines(pipe: IO[str] | None) -> SimpleQueue[str | None]:
    """Returns a queue of the lines of a pipe, filled by a thread; None marks the end."""
    queue: SimpleQueue[str | None] = SimpleQueue()
    assert pipe is not None

    def read() -> None:
        with pipe:
            for line in pipe:
                queue.put(line.rstrip("\n"))
        queue.put(None)

    threading.Thread(target=read, daemon=True).start()
    return queue
