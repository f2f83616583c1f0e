"""A ``playout serve`` process that a bench measures from outside, and clients that speak to it by plain sockets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

PLAYOUT = (sys.executable, "-c", "import sys; from playout.cli.main import main; sys.exit(main())")
PATIENCE = 300.0
"""Seconds for an answer; a safety net."""
PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")


def used(process: int) -> float:
    """Returns the seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Served:
    """``playout serve`` with these arguments. A context manager: leaving it ends the process."""

    def __init__(
        self, *arguments: str, places: int = 1, log: IO[bytes] | int = subprocess.DEVNULL, before: Sequence[str] = ()
    ) -> None:
        """``places`` is the number of addresses that it prints; ``before`` is a command that runs it, as ``ip netns``
        does.
        """
        self.process = subprocess.Popen(
            [*before, *PLAYOUT, "serve", *arguments], stdout=subprocess.PIPE, stderr=log, text=True
        )
        assert self.process.stdout is not None
        told = dict(self.process.stdout.readline().split() for _ in range(places))
        self.mqtt = told.pop("mqtt", "")
        """URL of the server at its broker, if it has one."""
        self.ports = {name: int(address.rpartition(":")[2]) for name, address in told.items()}
        """Ports by protocol."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> int:
        """Ends the process as a service manager does; returns its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()

    @property
    def memory(self) -> float:
        """Resident memory in MiB."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE / 2**20

    @property
    def threads(self) -> int:
        """Number of threads."""
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    @property
    def files(self) -> int:
        """Number of open files, sockets among them."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def opened(self) -> list[str]:
        """Returns a name for each open file: what the kernel calls it, with both addresses and the state of a TCP
        socket.
        """
        sockets = {}
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/{self.process.pid}/net/{table}").read_text("ascii").splitlines()[1:]:
                words = line.split()
                sockets[f"socket:[{words[9]}]"] = f"{table} {words[1]} {words[2]} state {words[3]}"
        names = []
        for file in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed since
                target = str(file.readlink())
                names.append(f"{file.name}: {target} {sockets.get(target, '')}".rstrip())
        return sorted(names)

    @property
    def used(self) -> float:
        """Seconds of processor time so far."""
        return used(self.process.pid)


class Client:
    """A connection, read by lines. A context manager: leaving it closes the connection."""

    def __init__(self, port: int, host: str = "127.0.0.1", source: str | None = None) -> None:
        """``source`` is the address to connect from; the system chooses it by default."""
        self.socket = socket.create_connection(
            (host, port), PATIENCE, source_address=None if source is None else (source, 0)
        )
        self._lines = self.socket.makefile("r", encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, *lines: str) -> None:
        self.socket.sendall("".join(f"{line}\n" for line in lines).encode())

    def line(self) -> str:
        """Returns the next line, empty at the end of the connection."""
        return self._lines.readline().rstrip("\n")

    def until(self, word: str) -> list[str]:
        """Returns the lines up to the one that begins with ``word``.

        Raises:
            ConnectionError: if the connection ends before.
        """
        found: list[str] = []
        for text in self._lines:
            found.append(text.rstrip("\n"))
            if text.startswith(word):
                return found
        raise ConnectionError(f"the connection ended before {word!r}, after {found[-3:]}")

    def close(self) -> None:
        self._lines.close()
        self.socket.close()
