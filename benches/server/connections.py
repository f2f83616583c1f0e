"""Thousands of connections to one server: who gets in, what the others are told, and what it costs an honest client.

    python benches/server/connections.py [--connections 10000] [--sessions 2000] [--files 256]

Four servers in turn. The first two have the default limits and get connections from 80 loopback addresses, faster than
they end: silent ones, and ones that send a byte, which is no line. The third may open ``--files`` files only; the
fourth has places for ``--sessions`` sessions, which open and wait. An honest client sends ``isready`` meanwhile, and
further ones connect. Afterwards all connections are closed, and the server must have its threads and files back.

Needs Linux, for the many loopback addresses, and a limit of open files above the connections (``ulimit -n``).
"""

from __future__ import annotations

import argparse
import errno
import resource
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from served import PATIENCE, Client, Served

ADDRESSES = 80
"""Number of loopback addresses that the connections come from."""
MOST_SHOWN = 5
"""Number of different lines of the log that are shown."""
HOLD = 8.0
"""Seconds for which the connections are held; a silent one is closed by the server after 10."""


class Crowd:
    """Connections without a thread each."""

    def __init__(self, port: int, count: int, says: bytes = b"") -> None:
        """Opens ``count`` connections, each of which ``says`` this at once. Blocks until all have been tried."""
        self.states: Counter[str] = Counter()
        """Number of connections by what became of them."""
        self.seconds = 0.0
        """Time that the connections took."""
        self._selector = selectors.DefaultSelector()
        self._says = says
        self._connecting = 0
        self._open: set[socket.socket] = set()
        start = time.monotonic()
        for number in range(count):
            sock = socket.socket()
            sock.setblocking(False)
            sock.bind((f"127.0.1.{1 + number % ADDRESSES}", 0))
            sock.connect_ex(("127.0.0.1", port))
            self._selector.register(sock, selectors.EVENT_WRITE, b"")
            self._connecting += 1
            self._open.add(sock)
            if number % 50 == 0:
                self.watch(0)
        while self._connecting and time.monotonic() < start + 20:
            self.watch(0.1)
        self.seconds = time.monotonic() - start

    def watch(self, seconds: float) -> None:
        """Handles what happens within ``seconds``."""
        deadline = time.monotonic() + seconds
        while True:
            for key, event in self._selector.select(max(0.0, deadline - time.monotonic())):
                assert isinstance(key.fileobj, socket.socket)
                self._handle(key.fileobj, key.data, event)
            if time.monotonic() >= deadline:
                return

    def close(self) -> None:
        """Closes all."""
        for sock in self._open:
            sock.close()
        self._selector.close()

    def _handle(self, sock: socket.socket, heard: bytes, event: int) -> None:
        if event & selectors.EVENT_WRITE:
            self._connecting -= 1
            error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                self._end(sock, errno.errorcode[error])
                return
            self.states["open"] += 1
            self._selector.modify(sock, selectors.EVENT_READ, b"")
            try:
                sock.send(self._says)
            except OSError:
                return  # it is closed already: the next event tells
        try:
            data = sock.recv(2**16)
        except BlockingIOError:
            return
        except OSError as error:
            self._end(sock, f"open, {heard.decode()!r}, {errno.errorcode[error.errno or 0]}")
            self.states["open"] -= 1
            return
        if data:
            self._selector.modify(sock, selectors.EVENT_READ, heard + data)
        else:
            self._end(sock, f"closed, told {heard.decode()!r}")
            self.states["open"] -= 1

    def answered(self, line: bytes) -> int:
        """Returns the number of open connections that have heard ``line``."""
        return sum(key.data.endswith(line) for key in self._selector.get_map().values())

    def _end(self, sock: socket.socket, state: str) -> None:
        self.states[state] += 1
        self._selector.unregister(sock)
        self._open.discard(sock)
        sock.close()


class Honest:
    """A client with a session that sends ``isready`` all the time, and others that come and go; on a thread."""

    def __init__(self, port: int) -> None:
        self.delays: list[float] = []
        """Seconds of each ``isready``."""
        self.openings: list[float] = []
        """Seconds from each connection to its first answer."""
        self.refusals: Counter[str] = Counter()
        """Number of connections that got no session, by what they were told."""
        self._port = port
        self._client = Client(port)
        self._client.send("isready")
        self._client.until("readyok")
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._talk)
        self._thread.start()

    def leave(self) -> None:
        """Ends the session. Blocks."""
        self._leaving.set()
        self._thread.join()
        self._client.close()

    def describe(self, values: list[float]) -> str:
        """Describes times."""
        if not values:
            return "none"
        return f"median {1000 * statistics.median(values):.1f} ms, at most {1000 * max(values):.0f} ms of {len(values)}"

    def _talk(self) -> None:
        number = 0
        while not self._leaving.wait(0.02):
            at = time.monotonic()
            self._client.send("isready")
            self._client.until("readyok")
            self.delays.append(time.monotonic() - at)
            number += 1
            if number % 10 == 0:
                self._come(f"127.0.2.{1 + number // 10 % 250}")

    def _come(self, address: str) -> None:
        at = time.monotonic()
        try:
            with Client(self._port, source=address) as client:
                client.send("isready")
                answer = client.line()
        except OSError as error:
            answer = errno.errorcode[error.errno] if error.errno else repr(error)
        if answer == "readyok":
            self.openings.append(time.monotonic() - at)
        else:
            self.refusals[answer] += 1


@contextmanager
def measured(title: str, *arguments: str, files: int | None = None) -> Iterator[tuple[Served, Honest]]:
    """Starts a server, with a limit of open ``files``, and prints what it used and whether it is whole afterwards."""
    limit = [] if files is None else ["prlimit", f"--nofile={files}:{files}"]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        with Served("--listen", "uci=127.0.0.1:0", *arguments, log=log, before=limit) as server:
            port = server.ports["uci"]
            base = server.threads, server.files, server.memory
            say(f"{title}: {base[0]} threads, {base[1]} files, {base[2]:.0f} MiB at first")
            honest = Honest(port)
            start, used = time.monotonic(), server.used
            try:
                yield server, honest
            finally:
                honest.leave()
            taken = time.monotonic() - start
            say(f"  processor time of the server {server.used - used:.1f} s in {taken:.1f} s")
            say(f"  isready meanwhile: {honest.describe(honest.delays)}")
            say(f"  new clients meanwhile: {honest.describe(honest.openings)}; refused: {dict(honest.refusals)}")
            start = time.monotonic()
            deadline = start + PATIENCE
            while (server.threads > base[0] or server.files > base[1]) and time.monotonic() < deadline:
                time.sleep(0.01)
            seconds = time.monotonic() - start
            after = server.threads, server.files, server.memory
            with Client(port) as client:
                client.send("isready")
                whole = client.line() == "readyok" and after[:2] <= base[:2]
            state = "whole" if whole else "BROKEN"
            say(f"  afterwards, {seconds:.1f} s: {after[0]} threads, {after[1]} files, {after[2]:.0f} MiB: {state}")
        log.seek(0)
        lines = log.read().decode().splitlines()
        kinds = Counter(line.split(" ", 1)[0] for line in lines)
        say(f"  log: {len(lines)} lines, {dict(kinds)}")
        for line in list(dict.fromkeys(line for line in lines if not line.startswith("INFO")))[:MOST_SHOWN]:
            say(f"    {line}")


def peak(server: Served, crowds: Sequence[Crowd], seconds: float) -> tuple[float, int, int]:
    """Watches the connections; returns the most memory in MiB, threads and files of the server meanwhile."""
    most = (0.0, 0, 0)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for crowd in crowds:
            crowd.watch(0)
        now = (server.memory, server.threads, server.files)
        most = (max(most[0], now[0]), max(most[1], now[1]), max(most[2], now[2]))
        time.sleep(0.1)
    return most


def waiting(title: str, count: int, says: bytes = b"", files: int | None = None) -> None:
    """Opens connections without a line to a server with default limits."""
    with measured(title, files=files) as (server, _):
        crowd = Crowd(server.ports["uci"], count, says)
        most = peak(server, [crowd], HOLD)
        say(f"  {count} connections within {crowd.seconds:.1f} s; {dict(crowd.states)}")
        say(f"  at most {most[0]:.0f} MiB, {most[1]} threads, {most[2]} files")
        crowd.close()


def sessions(count: int) -> None:
    """Opens sessions up to a raised limit."""
    arguments = ("--sessions", str(count + 20), "--memory", str(count + 20))
    with measured(f"{count} sessions", *arguments) as (server, _):
        before = server.memory
        start = time.monotonic()
        crowds: list[Crowd] = []
        step = min(count, 250)
        while len(crowds) * step < count:
            crowd = Crowd(server.ports["uci"], step, b"isready\n")
            while crowd.states["open"] > crowd.answered(b"readyok\n") and time.monotonic() < start + PATIENCE:
                crowd.watch(0.02)
            crowds.append(crowd)
        seconds = time.monotonic() - start
        most = peak(server, crowds, HOLD)
        states = sum((crowd.states for crowd in crowds), Counter[str]())
        got = sum(crowd.answered(b"readyok\n") for crowd in crowds)
        say(f"  {got} sessions within {seconds:.1f} s; {dict(states)}")
        say(
            f"  at most {most[0]:.0f} MiB, {1024 * (most[0] - before) / max(1, got):.0f} KiB a session, {most[1]} "
            f"threads, {most[2]} files"
        )
        for crowd in crowds:
            crowd.close()


def say(text: str) -> None:
    """Prints a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Runs the four servers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--files", type=int, default=256, help="limit of open files of the third server")
    words = parser.parse_args()
    needed = max(words.connections, words.sessions) + 200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < needed:
        raise SystemExit(f"a process may open {hard} files here; {needed} are needed (ulimit -n)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    if words.connections:
        waiting("silent connections", words.connections)
        waiting("connections that send one byte", words.connections, b"x")
    if words.files:
        waiting(f"at most {words.files} open files", max(1000, 4 * words.files), files=words.files)
    if words.sessions:
        sessions(words.sessions)


if __name__ == "__main__":
    main()
