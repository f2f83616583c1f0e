"""Sessions over a bad network: packets lost, late, doubled and reordered, links that go away, and clients that vanish.

    python benches/server/bad_network.py [--only WORD] [--seed 1] [--at-once 4]

The server and its clients are in network namespaces of their own; ``bad_link`` passes the packets between them, so root
is needed. In each weather a client plays a few moves of chess by UCI, directly over TCP, by ``playout connect`` over
TCP, and by it over MQTT with the broker inside the server and with mosquitto. Between the moves it sends lines whose
replies have numbers. What must hold: no reply is lost, doubled or out of order, each ``go`` has one ``bestmove``, and
no process is busy with waiting. Prints a table and ends with status 1 if something did not hold.

A session that the weather ends is counted as ``lost``: after the times of docs/server.md it may.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

import chess
from bad_link import DOWN, FAIR, SERVER, BadLink, Namespace, Weather
from served import PLAYOUT, Served, used

ANSWER = 240.0
"""Seconds for an answer."""
MOVES = 6
ECHOES = 3
"""Numbered lines between two moves."""
BUSY = 0.2
"""Part of a core that a server or a bridge may use, with what the moves cost."""

WEATHERS = {
    "fair": FAIR,
    "50 ms, loss 1 %": Weather(delay=0.05, loss=0.01),
    "100+-20 ms, loss 5 %, reorder, double": Weather(0.1, 0.02, loss=0.05, doubled=0.02, reordered=0.1),
    "200 ms, loss 5 %": Weather(delay=0.2, loss=0.05),
    "200 ms, loss 20 %": Weather(delay=0.2, loss=0.2),
    "1000 ms, loss 1 %": Weather(delay=1.0, loss=0.01),
    "1000 ms, loss 20 %": Weather(delay=1.0, loss=0.2),
    "10 kbit/s": Weather(delay=0.05, rate=10_000),
}
OUTAGES = (5.0, 30.0, 90.0)
"""Seconds for which the link is away."""


class Client(Protocol):
    """A client at its end of the link."""

    def send(self, text: str) -> None:
        """Sends lines, each with its end."""

    def lines(self) -> Iterator[str]:
        """Yields the lines that come, to the end of the session."""

    def close(self) -> str:
        """Ends the client; returns why its session was lost, empty if it was not."""

    @property
    def used(self) -> float:
        """Seconds of processor time so far; 0 for one without a process."""


class Direct:
    """A socket."""

    used = 0.0

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((SERVER, port), ANSWER)
        self._error = ""

    def send(self, text: str) -> None:
        self._socket.sendall(text.encode())

    def lines(self) -> Iterator[str]:
        try:
            with self._socket.makefile("r") as file:
                yield from file
        except OSError as error:
            self._error = str(error)

    def close(self) -> str:
        self._socket.close()
        return self._error


class Bridge:
    """``playout connect``."""

    def __init__(self, address: str) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [*PLAYOUT, "connect", address], stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1
        )

    def send(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)

    def lines(self) -> Iterator[str]:
        assert self._process.stdout is not None
        yield from self._process.stdout

    @property
    def used(self) -> float:
        return used(self._process.pid) if self._process.poll() is None else 0.0

    def close(self) -> str:
        assert self._process.stderr is not None
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return "the bridge has not noticed yet"
        said = self._process.stderr.read().strip().rpartition("\n")[2]
        return said or f"exit status {self._process.returncode}" if self._process.returncode else ""


@dataclass
class Result:
    """Outcome of one session."""

    path: str
    weather: str
    moves: int = 0
    echoes: int = 0
    slowest: float = 0.0
    """Seconds of the slowest answer."""
    seconds: float = 0.0
    busy: float = 0.0
    """Part of a core that server or bridge used, whichever used more."""
    ended: float = -1.0
    """Seconds from the end of the client to that of the server's session."""
    lost: str = ""
    """Reason for which the session ended too early; empty if it did not."""
    faults: list[str] = field(default_factory=list)


class Lost(Exception):
    """Raised if the session has ended."""


class Conversation:
    """Plays and counts."""

    def __init__(self, client: Client, result: Result) -> None:
        self._client = client
        self._result = result
        self._heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._sent = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def play(self, between: Callable[[int], None]) -> None:
        """Plays ``MOVES`` moves, with ``between`` called while each is searched.

        Raises:
            Lost: if the session ends.
        """
        board = chess.Board()
        self.ask("uci\nsetoption name OwnBook value false\n", "uciok")
        for number in range(MOVES):
            moves = " ".join(move.uci() for move in board.move_stack)
            self._client.send(f"position startpos moves {moves}\ngo movetime 50\n".replace(" moves \n", "\n"))
            between(number)
            word = self.until("bestmove").split()[1]
            self._result.moves += 1
            board.push_uci(word)
            self.echo()
        self.ask("position startpos\ngo infinite\n", "info depth")
        self.ask("stop\n", "bestmove")
        self._result.moves += 1
        self.echo()

    def echo(self) -> None:
        """Sends numbered lines and waits for their replies, before which nothing else may come."""
        first = self._sent
        self._sent += ECHOES
        self._client.send("".join(f"echo{number}\n" for number in range(first, self._sent)))
        for number in range(first, self._sent):
            line = self.until("info string unknown", "bestmove")
            if line != f"info string unknown command: echo{number}":
                self._result.faults.append(f"{line!r} for echo{number}")
            self._result.echoes += 1

    def finish(self) -> None:
        """Ends the session in order; nothing more may come."""
        self._client.send("quit\n")
        while (line := self._take()) is not None:
            if not line.startswith("info depth"):
                self._result.faults.append(f"{line!r} after the end")

    def ask(self, text: str, word: str) -> str:
        """Sends lines; returns the first answer that begins with ``word``."""
        self._client.send(text)
        return self.until(word)

    def until(self, *words: str) -> str:
        """Returns the next line that begins with one of ``words``.

        Raises:
            Lost: if the session ends before.
        """
        start = time.monotonic()
        while (line := self._take()) is not None:
            if line.startswith(words):
                self._result.slowest = max(self._result.slowest, time.monotonic() - start)
                return line
        raise Lost

    def _take(self) -> str | None:
        try:
            return self._heard.get(timeout=ANSWER)
        except queue.Empty:
            self._result.faults.append(f"no answer for {ANSWER:g} s")
            raise Lost from None

    def _listen(self) -> None:
        for line in self._client.lines():
            self._heard.put(line.rstrip("\n"))
        self._heard.put(None)


@contextmanager
def broker(namespace: Namespace) -> Iterator[int]:
    """Starts mosquitto; yields its port."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        with namespace, socket.create_server((SERVER, 0)) as listener:
            port = listener.getsockname()[1]
        text = f"listener {port} {SERVER}\nset_tcp_nodelay true\nallow_anonymous true\n"
        (Path(folder) / "conf").write_text(text)
        with namespace:
            process = subprocess.Popen(
                ["mosquitto", "-c", f"{folder}/conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        stack.callback(process.wait)
        stack.callback(process.terminate)
        time.sleep(1)
        yield port


BLOCKED = {"to the server": (False, True), "to the client": (True, False), "at all": (True, True)}
"""Ways in which a client vanishes."""
PATHS = ("socket", "bridge", "broker inside", "mosquitto")


@contextmanager
def session(path: str, link: BadLink) -> Iterator[tuple[Served, Path, Callable[[], Client]]]:
    """Starts a server; yields it, its log, and what connects a client."""
    with ExitStack() as stack:
        log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log"
        arguments = ["--listen", f"{SERVER}:0"]
        if path == "broker inside":
            arguments = ["--broker", f"{SERVER}:0"]
        elif path == "mosquitto":
            arguments = ["--mqtt", f"mqtt://{SERVER}:{stack.enter_context(broker(link.server))}"]
        with link.server:
            server = stack.enter_context(Served(*arguments, log=stack.enter_context(log.open("wb"))))

        def connect() -> Client:
            with link.client:
                if path == "socket":
                    return Direct(server.ports["uci"])
                return Bridge(server.mqtt or f"{SERVER}:{server.ports['uci']}")

        yield server, log, connect


def ending(log: Path) -> float:
    """Waits until each session in a server's log has ended; returns the seconds."""
    start = time.monotonic()
    while time.monotonic() < start + 2000:
        text = log.read_text()
        if text.count("session opened") <= text.count("session ended"):
            break
        time.sleep(0.05)
    return time.monotonic() - start


def plays(path: str, name: str, weather: Weather, outage: float, seed: int) -> Result:
    """Plays in one weather, from the first packet on, or with an outage of the link in the third move."""
    result = Result(path, name)

    def between(number: int) -> None:
        if outage and number == 2:
            link.weather = DOWN
            time.sleep(outage)
            link.weather = weather

    with BadLink(seed) as link, session(path, link) as (server, log, connect):
        link.weather = weather
        start, before = time.monotonic(), server.used
        client = None
        try:
            client = connect()
            conversation = Conversation(client, result)
            conversation.play(between)
            result.busy = client.used / (time.monotonic() - start)
            conversation.finish()
        except (Lost, OSError) as error:
            result.lost = str(error) or "the session ended"
        finally:
            if client is not None:
                result.lost = client.close() or result.lost
        result.seconds = time.monotonic() - start
        result.busy = max(result.busy, (server.used - before) / result.seconds)
        link.weather = FAIR
        result.ended = ending(log)
    if result.busy > BUSY and result.seconds > 20:
        result.faults.append(f"{result.busy:.0%} of a core")
    return result


def vanishes(path: str, name: str, searching: bool, blocked: tuple[bool, bool], seed: int) -> Result:
    """Opens a session, then blocks the link for good; measures the time until the server's session has ended."""
    result = Result(path, name)
    with BadLink(seed) as link, session(path, link) as (server, log, connect):
        client = connect()
        conversation = Conversation(client, result)
        if searching:
            conversation.ask("setoption name OwnBook value false\ngo infinite\n", "info depth")
        else:
            conversation.ask("isready\n", "readyok")
        before = server.used
        link.weather = Weather(blocked=blocked)
        result.ended = ending(log)
        result.busy = 0.0 if searching else (server.used - before) / max(1.0, result.ended)
        result.lost = client.close() or "the link was blocked"
        link.weather = FAIR
    if result.ended > 70:
        result.faults.append("the session lasted too long")
    return result


def cases(seed: int) -> dict[str, Callable[[], Result]]:
    """Returns all cases by name, the longest first."""
    found: dict[str, Callable[[], Result]] = {}
    for path in PATHS:
        for outage in reversed(OUTAGES):
            name = f"away for {outage:g} s"
            found[f"{path}: {name}"] = partial(plays, path, name, Weather(delay=0.02), outage, seed)
        for state in ("idle", "searching"):
            for what, blocked in BLOCKED.items():
                name = f"{state}, nothing comes through {what}"
                found[f"{path}: {name}"] = partial(vanishes, path, name, state == "searching", blocked, seed)
        for name, weather in WEATHERS.items():
            found[f"{path}: {name}"] = partial(plays, path, name, weather, 0.0, seed)
    return found


def say(text: str) -> None:
    """Prints a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Runs the cases, a few at once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="regular expression that the name of a case has")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=4, help="cases at a time")
    words = parser.parse_args()
    if os.geteuid() != 0 or not os.path.exists("/dev/net/tun"):
        raise SystemExit("network namespaces and TUN devices need Linux and root")
    chosen = {name: case for name, case in cases(words.seed).items() if re.search(words.only, name)}
    faults = 0
    say(
        "| path | weather | moves | echoes | slowest answer | whole session | a core | server's session ended after | |"
    )
    say("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    with ThreadPoolExecutor(words.at_once) as pool:
        for done in as_completed([pool.submit(case) for case in chosen.values()]):
            result = done.result()
            notes = "; ".join([*result.faults, *([f"lost: {result.lost}"] if result.lost else [])])
            say(
                f"| {result.path} | {result.weather} | {result.moves} | {result.echoes} | {result.slowest:.1f} s | "
                f"{result.seconds:.1f} s | {result.busy:.1%} | {result.ended:.1f} s | {notes} |"
            )
            faults += bool(result.faults)
    say(f"{faults} of {len(chosen)} cases with a fault")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
