"""The loop and the streams, over pipes and files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from playout.games.tic_tac_toe import TicTacToe
from playout.protocols import serve as serving
from playout.protocols.base.lines import MAX_LINE, InputLine
from playout.protocols.gtp.protocol import Gtp
from playout.protocols.serve import Inbox, Message, serve
from playout.protocols.transport.stdio import FileStream
from playout.protocols.uci.uci import Uci

from ..patience import PATIENCE, eventually
from .fake_session import FakeSession


class Client:
    """The other side of a protocol that is served on two pipes by a thread."""

    def __init__(self, kind: Callable[[Any], Any], instant: bool = True) -> None:
        source, self._out = os.pipe()
        self._in, sink = os.pipe()
        inbox = Inbox()
        self.session = FakeSession(TicTacToe(), inbox.post)
        self.session.instant = instant
        self.replies = os.fdopen(self._in, "r")

        def run() -> None:
            serve(kind(self.session), FileStream(source, sink), inbox)
            os.close(sink)

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        self.inbox = inbox

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._out, data) :]

    def hang_up(self) -> None:
        os.close(self._out)

    def rest(self) -> list[str]:
        """The remaining answers, until the session ends."""
        lines = self.replies.read().splitlines()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        self.replies.close()
        return lines


def test_a_session_over_pipes() -> None:
    client = Client(Uci)
    client.send(b"isready\r\n  isre")
    assert client.replies.readline() == "readyok\n"
    client.send(b"ady\nposition startpos moves b2\ngo nodes 5\n")
    assert client.replies.readline() == "readyok\n"
    assert client.replies.readline().startswith("info depth")
    assert client.replies.readline() == "bestmove a1\n"
    client.send(b"quit\n")
    assert client.rest() == []
    client.hang_up()


def test_isready_is_answered_during_a_search_and_end_of_file_stops_it() -> None:
    client = Client(Uci, instant=False)
    client.send(b"go infinite\nisready\n")
    assert client.replies.readline() == "readyok\n"
    client.session.instant = True
    client.send(b"isready")
    client.hang_up()
    lines = client.rest()
    assert lines[0] == "readyok"
    assert lines[-1] == "bestmove a1"


def test_gtp_finishes_what_it_was_sent() -> None:
    client = Client(Gtp)
    client.send(b"genmove b\ngenmove w\n3 name")
    client.hang_up()
    assert client.rest() == ["= a1", "", "= b1", "", "=3 playout", ""]


def test_garbage_is_one_line_and_the_session_lives() -> None:
    client = Client(Uci)
    client.send(bytes(range(256)) * 8 + b"\n" + b"x" * (MAX_LINE + 9) + b"\nisready\n")
    client.hang_up()
    lines = client.rest()
    assert lines[-1] == "readyok"
    assert lines[-2] == f"info string line too long: {'x' * 37}..."
    assert all(line.startswith("info string unknown command: ") for line in lines[:-2])
    assert all(line.isprintable() for line in lines)


def test_a_client_that_goes_away_ends_the_session() -> None:
    client = Client(Uci)
    client.replies.close()
    client.send(b"isready\n")
    client.thread.join(PATIENCE)
    assert not client.thread.is_alive()
    client.hang_up()


def test_an_interrupt_ends_the_session_while_the_reader_waits() -> None:
    client = Client(Gtp, instant=False)
    client.send(b"name\n")
    assert client.replies.readline() == "= playout\n"
    client.inbox.end(at_once=True)
    assert client.rest() == [""]
    client.hang_up()


def test_a_search_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "GRACE", 0.05)
    client = Client(Uci, instant=False)
    client.send(b"go infinite\nquit\n")
    assert client.rest() == []
    client.hang_up()


def test_a_session_in_which_nothing_happens_ends() -> None:
    """The clock is the inbox's: it says that the time is over when it has no more lines."""

    class Hurried(Inbox):
        def take(self, timeout: float | None = None) -> Message | None:
            waits.append(timeout)
            return super().take() if len(waits) == 1 else None

    class Stream:
        def read(self) -> Iterator[InputLine]:
            yield InputLine("isready", 0.0)
            over.wait(PATIENCE)

        def write(self, lines: Sequence[str], droppable: bool = False) -> None:
            written.extend(lines)

        def close(self) -> None:
            over.set()

    waits: list[float | None] = []
    written: list[str] = []
    over, inbox = threading.Event(), Hurried()
    session: Any = FakeSession(TicTacToe(), inbox.post)
    serve(Uci(session), Stream(), inbox, idle=7.0)
    assert written == ["readyok", "info string idle for 7 s: the session ends"]
    assert waits == [7.0, 7.0]


SCRIPT = """
import os, signal, threading, time
from playout.protocols.serve import Inbox
from playout.protocols.transport.stdio import serve_stdio

class Echo:
    closed = busy = False
    def handle_line(self, line, received):
        print("stray text")
        os.system("echo stray command")
        if line == "aside":
            # A signal that comes just before the main thread waits does not wake it. The same: another thread gets it.
            threading.Thread(target=self.kill, daemon=True).start()
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        if line.startswith("SIG"):
            os.kill(os.getpid(), signal.Signals[line])
        return [line]
    def kill(self):
        time.sleep(0.5)  # until the main thread waits
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1000)
    def handle_eof(self, at_once):
        self.closed = True
        return [f"end {at_once}"]

serve_stdio(Echo(), Inbox())
"""


@pytest.mark.parametrize(
    ("word", "last"),
    [("hello", "end False"), ("SIGINT", "end True"), ("SIGTERM", "end True"), ("aside", "end True")],
)
def test_nothing_but_the_protocol_reaches_standard_output(word: str, last: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()
    assert process.stdout.readline() == f"{word}\n"
    if word != "hello":
        assert process.wait(PATIENCE) == 0
    process.stdin.close()
    output, errors = process.stdout.read(), process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    process.wait(PATIENCE)
    assert (output, process.returncode) == (f"{last}\n", 0)
    assert sorted(errors.splitlines()) == ["stray command", "stray text"]


def test_a_second_signal_ends_the_process() -> None:
    """The session does not end by the first one, because the protocol is busy."""
    program = SCRIPT.replace("self.closed = True", "print('ending'); time.sleep(1000)")
    process = subprocess.Popen([sys.executable, "-uc", program], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        try:
            assert process.stdin is not None
            assert process.stderr is not None
            process.stdin.write(b"SIGTERM\n")
            process.stdin.flush()
            while process.stderr.readline() != b"ending\n":
                pass
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 128 + signal.SIGINT
        finally:
            process.kill()


def test_a_file_may_be_the_input(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_bytes(b"\xef\xbb\xbfuci\ngo nodes 5\r\nquit")
    with path.open("rb") as file:
        stream = FileStream(file.fileno(), -1)
        assert [line.text for line in stream.read()] == ["\ufeffuci", "go nodes 5\r", "quit"]


def test_an_input_that_is_closed_or_empty_has_no_lines() -> None:
    assert list(FileStream(None, -1).read()) == []
    with open(os.devnull, "rb") as file:
        assert list(FileStream(file.fileno(), -1).read()) == []


def test_a_pipe_that_does_not_block_is_written_and_read_whole() -> None:
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    os.set_blocking(source, False)
    text = "word " * 100_000
    lines: list[InputLine] = []
    reader = threading.Thread(target=lambda: lines.extend(FileStream(source, -1).read()))
    reader.start()
    FileStream(-1, sink).write([text, "end"])
    os.close(sink)
    reader.join(PATIENCE)
    os.close(source)
    assert [line.text for line in lines] == [text, "end"]


def test_the_reader_does_not_run_far_ahead() -> None:
    taken = []

    class Flood:
        def read(self) -> Iterator[InputLine]:
            for number in range(100_000):
                taken.append(number)
                yield InputLine("name", 0.0)

    inbox = Inbox()
    threading.Thread(target=serving._read, args=(Flood(), inbox), daemon=True).start()
    assert eventually(lambda: len(taken) > serving.WAITING_LINES)
    time.sleep(0.02)
    assert len(taken) == serving.WAITING_LINES + 1
    assert isinstance(inbox.take(), InputLine)
