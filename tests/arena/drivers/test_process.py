"""Processes of engines: lines with deadlines, faults that say what was seen, and ends from which nothing is left."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.arena.drivers import process as module
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.process import EngineProcess
from playout.arena.terms.end import End
from playout.games.errors import PlayoutError

from ...patience import PATIENCE, eventually
from .bad import bad
from .conftest import processes

SHORT = 0.3
"""Seconds until a deadline at which nothing is to have come. A slow machine only makes it come later."""
MEMORY = 4 * 2**20
"""Bytes that reading a flood may take: half of it."""


class Running(EngineProcess):
    """A bad engine that speaks UCI."""

    def __init__(self, mode: str, token: str) -> None:
        super().__init__(bad("uci", mode, token))

    def ask(self, text: str) -> None:
        self.send(text, time.monotonic() + PATIENCE)

    def until(self, start: str) -> str:
        """The next line that begins with ``start``."""
        while not (line := self.line(time.monotonic() + PATIENCE) or "").startswith(start):
            assert line
        return line

    def held(self) -> int:
        """Number of bytes that wait in the pipe."""
        return int(struct.unpack("i", fcntl.ioctl(self._out, termios.FIONREAD, b"\0" * 4))[0])


@pytest.fixture
def engine(request: pytest.FixtureRequest, token: str) -> Iterator[Running]:
    engine = Running(request.param, token)
    yield engine
    engine.close("quit\n")


def mode(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("engine", [name], indirect=True)


@mode("in_pieces")
def test_lines_come_whole_and_without_carriage_returns(engine: Running) -> None:
    engine.ask("go\n")
    assert [engine.until(""), engine.until("")] == ["mumble", "bestmove e2e4"]


@mode("mute")
def test_a_deadline_without_a_line(engine: Running) -> None:
    began = time.monotonic()
    assert engine.line(began + SHORT) is None
    assert time.monotonic() - began >= SHORT


@mode("good")
def test_what_came_in_time_is_read_after_the_deadline(engine: Running) -> None:
    """If the machine stands still, the time of the answer is for the referee to judge."""
    engine.ask("go\n")
    assert eventually(lambda: engine.held() > 0)
    assert engine.line(time.monotonic() - 1.0) == "bestmove e2e4"


@mode("in_pieces")
def test_a_deadline_holds_for_an_engine_that_never_pauses(engine: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.ask("go\n")
    assert eventually(lambda: engine.held() > 0)  # and nobody takes it: there is always more to read

    def read() -> int:
        engine._lines.append(b"a line")
        return 6

    monkeypatch.setattr(engine, "_read", read)
    for deadline in (time.monotonic() - 1.0, time.monotonic() + SHORT):
        count = 0
        while engine.line(deadline) is not None:
            assert time.monotonic() < deadline + PATIENCE
            count += 1
        assert count > 0


@mode("floods")
def test_a_flood_of_lines_takes_no_memory(engine: Running) -> None:
    tracemalloc.start()
    try:
        engine.ask("go\n")
        assert engine.until("bestmove") == "bestmove e2e4"
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


@mode("drones")
def test_a_line_without_an_end_takes_no_memory(engine: Running) -> None:
    tracemalloc.start()
    try:
        engine.ask("go\n")
        with pytest.raises(Fault, match="a line of more than 1048576 bytes") as fault:
            engine.until("bestmove")
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
    assert fault.value.end is End.GARBAGE


@mode("shouts")
def test_a_flood_on_standard_error_takes_no_memory_and_stops_nothing(engine: Running) -> None:
    tracemalloc.start()
    try:
        engine.ask("go\n")
        assert engine.until("bestmove") == "bestmove e2e4"
        assert eventually(lambda: engine.said == "so much for that")
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


@mode("spills")
def test_lines_that_nobody_asked_for_are_bounded(engine: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UNASKED", 1000)
    engine.ask("go\n")
    assert eventually(lambda: engine.held() > 2000)
    with pytest.raises(Fault, match="more than 1000 bytes that nobody asked for") as fault:
        engine.waiting()
    assert fault.value.end is End.GARBAGE


@mode("deaf")
def test_an_engine_that_does_not_read(engine: Running) -> None:
    engine.ask("go\n")
    with pytest.raises(Fault, match="it does not read its input") as fault:
        engine.send("x" * 2**22, time.monotonic() + SHORT)
    assert fault.value.end is End.HANG


ENDS = {
    "dies": (End.CRASH, "it ended with status 3: no file of weights"),
    "leaves": (End.EXIT, "it ended by itself"),
    "crashes": (End.CRASH, "it was ended by SIGSEGV: about to crash"),
}


@pytest.mark.parametrize(("engine", "end", "detail"), [(name, *ENDS[name]) for name in ENDS], indirect=["engine"])
def test_an_engine_that_ends(engine: Running, end: End, detail: str) -> None:
    engine.ask("go\n")
    with pytest.raises(Fault) as fault:
        engine.until("bestmove")
    assert (fault.value.end, str(fault.value)) == (end, detail)
    with pytest.raises(Fault) as fault:
        engine.ask("go\n" * 2**20)  # a pipe without a reader
    assert (fault.value.end, str(fault.value)) == (end, detail)


@pytest.mark.parametrize(("engine", "pipe"), [("closes", "output"), ("closes_input", "input")], indirect=["engine"])
def test_an_engine_that_closes_a_pipe(engine: Running, pipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VERDICT", SHORT)
    engine.ask("go\n")
    with pytest.raises(Fault) as fault:
        engine.until("bestmove") if pipe == "output" else engine.ask("go\n" * 2**20)
    assert (fault.value.end, str(fault.value)) == (End.DISCONNECT, f"it closed its {pipe}")


@pytest.mark.parametrize("engine", ["good", "stays", "forks", "spills", "babbles", "deaf", "drones"], indirect=True)
@pytest.mark.parametrize("farewell", ["", "quit\n"])
def test_nothing_is_left_after_the_end(engine: Running, farewell: str, token: str) -> None:
    engine.ask("go\n")
    silent, number = "deaf" in engine.command, 4 if "forks" in engine.command else 2  # the guardian is one of them
    assert eventually(lambda: len(processes(token)) == number and (silent or engine.held() > 0))
    engine.close(farewell)
    assert processes(token) == []
    engine.close(farewell)


@mode("good")
@pytest.mark.parametrize("farewell", ["quit\n", "goodbye\n"])
def test_the_end_of_the_input_is_the_end(engine: Running, farewell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that knows the word, or stops reading, ends by itself and is not killed."""
    monkeypatch.setattr(module, "FAREWELL", PATIENCE)
    engine.ask("go\n")
    engine.until("bestmove")
    engine.close(farewell)
    assert engine._process.returncode == 0


@mode("forks")
def test_nothing_is_left_of_an_engine_that_ends_by_itself(engine: Running, token: str) -> None:
    engine.ask("go\n")
    engine.until("bestmove")
    engine.ask("quit\n")
    with pytest.raises(Fault) as fault:
        engine.until("nothing")
    assert fault.value.end is End.EXIT
    assert processes(token) == []


ARENA = f"""
import sys, time
from playout.arena.drivers.process import EngineProcess
engine = EngineProcess(sys.argv[1:])
engine.send("go\\n", time.monotonic() + {PATIENCE})
time.sleep(3600)
"""


@pytest.mark.parametrize(
    ("name", "number"), [("good", 3), ("stays", 3), ("forks", 5), ("babbles", 3), ("deaf", 3), ("shouts", 3)]
)
def test_nothing_is_left_after_kill_9_of_the_arena(name: str, number: int, token: str) -> None:
    """``number`` counts the arena, the guardian, the engine, and the children that it leaves behind."""
    with subprocess.Popen([sys.executable, "-c", ARENA, *bad("uci", name, token)]) as arena:
        try:
            assert eventually(lambda: len(processes(token)) == number), processes(token)
        finally:
            arena.kill()
    assert eventually(lambda: not processes(token)), processes(token)


@mode("stays")
def test_the_engine_ends_with_its_guardian(engine: Running, token: str) -> None:
    engine.ask("go\n")
    engine.until("bestmove")
    os.kill(engine.number, signal.SIGKILL)
    assert eventually(lambda: not processes(token))
    with pytest.raises(Fault, match="it was ended by SIGKILL") as fault:
        engine.until("nothing")
    assert fault.value.end is End.CRASH


@pytest.mark.parametrize(
    ("command", "directory", "complaint"),
    [
        (["no-such-engine"], "", "no-such-engine: no such program on the path"),
        (["./no-such-engine"], "/tmp", "/tmp/no-such-engine: no such program"),
        (["/tmp"], "", "/tmp: no such program"),
        (["true"], "/no/such/folder", "/no/such/folder: No such file or directory"),
        ([], "", "no command"),
        (["true", "a\0b"], "", "true: embedded null byte"),
    ],
)
def test_what_cannot_be_started(command: list[str], directory: str, complaint: str) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    with pytest.raises(PlayoutError) as error:
        EngineProcess(command, directory)
    assert str(error.value) == complaint
    assert len(os.listdir("/proc/self/fd")) == descriptors


@pytest.mark.opponents
def test_a_program_of_the_folder_and_its_surroundings(tmp_path: Path) -> None:
    script = tmp_path / "engine"
    script.write_text("#!/bin/sh\npwd\necho $WORD\n")
    script.chmod(0o755)
    engine = EngineProcess(["./engine"], str(tmp_path), {"WORD": "given"})
    lines = [engine.line(time.monotonic() + PATIENCE) for _ in range(2)]
    engine.close()
    assert lines == [str(tmp_path.resolve()), "given"]


@mode("mute")
def test_another_thread_may_end_it(engine: Running) -> None:
    """The thread that waits for the engine gets a fault."""
    faults: list[Fault] = []

    def wait() -> None:
        with pytest.raises(Fault) as fault:
            engine.line(time.monotonic() + PATIENCE)
        faults.append(fault.value)

    thread = threading.Thread(target=wait)
    thread.start()
    engine.close()
    thread.join(PATIENCE)
    # It ends by itself where it sees the end of its input before it is killed.
    assert [fault.end for fault in faults] in ([End.CRASH], [End.EXIT])
    with pytest.raises(Fault):
        engine.ask("go\n")


def test_descriptors_are_given_back(token: str) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    engine = Running("good", token)
    engine.ask("go\n")
    engine.until("bestmove")
    assert len(os.listdir("/proc/self/fd")) > descriptors
    engine.close("quit\n")
    assert len(os.listdir("/proc/self/fd")) == descriptors
