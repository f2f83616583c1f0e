"""A server of playout as a program of its own, and clients that speak to it by plain sockets."""

from __future__ import annotations

import resource
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from playout.protocols.transport.connection import Connection
from playout.protocols.transport.tcp import TcpStream

from ...opponents.pipe import playout
from ...patience import PATIENCE


class Server:
    """``playout serve`` with these arguments. A context manager: leaving it ends the process."""

    def __init__(self, *arguments: str, places: int = 1, program: Sequence[str] = ()) -> None:
        """``places`` is how many lines it prints about where it listens, ``program`` what runs in place of playout."""
        words = [*program, "serve", *arguments] if program else playout("serve", *arguments)
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._errors: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.places = [self.process.stdout.readline().split() for _ in range(places)]
        assert all(self.places), self.errors()
        self._threads_at_rest = self.threads()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    @property
    def address(self) -> str:
        """Address of the first place, as HOST:PORT."""
        return self.places[0][1]

    @property
    def port(self) -> int:
        """Port of the first place."""
        return int(self.address.rpartition(":")[2])

    def errors(self) -> str:
        """Standard error of the process so far."""
        return "\n".join(self._errors)

    def terminate(self) -> int:
        """Asks it to end as ``kill`` does; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def rests(self) -> bool:
        """Whether it has no thread that it did not have before the first session: none searches, none is left over."""
        return self.threads() <= self._threads_at_rest

    def searches(self, sessions: int = 1) -> bool:
        """Whether there is a thread beyond the loop, the reader and the sender of each of ``sessions`` sessions."""
        return self.threads() > self._threads_at_rest + 3 * sessions

    def used(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def memory(self) -> int:
        """Bytes of memory that the process has in use."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * resource.getpagesize()

    def threads(self) -> int:
        """Number of threads of the process."""
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as pipe:
            for line in pipe:
                self._errors.append(line.rstrip("\n"))


class Client:
    """A socket. A context manager: leaving it closes the connection."""

    def __init__(self, server: Server, *, tls: ssl.SSLContext | None = None, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.connect(("127.0.0.1", server.port))
            if tls is not None:
                self.socket = tls.wrap_socket(self.socket, server_hostname="127.0.0.1")
        except BaseException:
            self.socket.close()
            raise
        self._begun = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *lines: str | bytes) -> None:
        """Sends lines, or bytes as they are, all at once."""
        self.socket.sendall(b"".join(line.encode() + b"\n" if isinstance(line, str) else line for line in lines))

    def line(self) -> str:
        """The next line, None at the end of the connection."""
        while b"\n" not in self._begun:
            data = self.socket.recv(2**16)
            assert data, f"the connection ended after {self._begun!r}"
            self._begun += data
        line, _, self._begun = self._begun.partition(b"\n")
        return line.decode()

    def until(self, start: str) -> list[str]:
        """The lines up to and with the first one that starts so."""
        lines = [self.line()]
        while not lines[-1].startswith(start):
            lines.append(self.line())
        return lines

    def rest(self) -> list[str]:
        """The lines to the end of the connection."""
        data = self._begun
        while part := self.socket.recv(2**16):
            data += part
        return data.decode().splitlines()

    def reset(self) -> None:
        """Breaks the connection off, as when the client's process has died."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()


def pair() -> tuple[TcpStream, socket.socket]:
    """A stream, and the socket at its other end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    ours.settimeout(PATIENCE)
    return TcpStream(Connection(theirs)), ours
