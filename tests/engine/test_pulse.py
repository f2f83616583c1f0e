"""The watch over Python's standstill."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

BEATING = """
import ctypes, sys, threading, time
from playout.engine import _core
pulse = _core.Pulse(3.0, "no sign of life")
def beat():
    while True:
        pulse.beat()
        time.sleep(0.02)
threading.Thread(target=beat, daemon=True).start()
for line in sys.stdin:
    print(line, end="", flush=True)
    if line == "hold\\n":
        ctypes.PyDLL(None).sleep(3600)
"""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", BEATING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def says(process: subprocess.Popen[str], line: str) -> bool:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return process.stdout.readline() == f"{line}\n"


def test_a_process_that_was_suspended_goes_on(process: subprocess.Popen[str]) -> None:
    assert says(process, "before")
    process.send_signal(signal.SIGSTOP)
    time.sleep(4)
    process.send_signal(signal.SIGCONT)
    assert says(process, "after")
    time.sleep(0.5)
    assert says(process, "later")


def test_a_process_whose_interpreter_is_held_ends(process: subprocess.Popen[str]) -> None:
    assert says(process, "hold")
    assert process.stderr is not None
    assert process.stderr.read() == "no sign of life\n"
    assert process.wait() == -signal.SIGABRT


ENDED = """
import ctypes
from playout.engine import _core
pulse = _core.Pulse(0.5, "no sign of life")
pulse.beat()
pulse.end()
pulse.beat()
pulse.end()
ctypes.PyDLL(None).sleep(3)
"""


def test_a_watch_that_was_ended_ends_no_process() -> None:
    done = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
