"""A process that only sleeps and records late wake-ups: it measures the time that the machine takes from a program.

Where permitted, it runs at real-time priority, so that only the machine itself can delay it, as a virtual machine does
when its host gives it no processor.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Protocol

STEP, LATE = 0.005, 0.02
"""Seconds of a sleep, and by how much it may be exceeded without a record."""


class Stillness(Protocol):
    """Tells how long the machine stood still."""

    def stood_still(self, begin: float, end: float) -> float:
        """Returns the seconds between two times of ``time.monotonic`` in which the machine ran nothing."""


class Witness:
    """Runs until ``close``."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", __file__, str(os.getpid())], stdout=subprocess.PIPE, text=True
        )
        self._late: list[tuple[float, float]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def stood_still(self, begin: float, end: float) -> float:
        """Returns the seconds between two times of ``time.monotonic`` in which the process was not woken."""
        time.sleep(0.1)
        return sum(max(0.0, min(end, until) - max(begin, since)) for since, until in list(self._late))

    def close(self) -> None:
        """Ends the process."""
        self._process.terminate()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            since, until = map(float, line.split())
            self._late.append((since, until))


def main() -> None:
    """Prints start and end of each sleep that was too long, until the process that started it ends.

    The argument is that process's number: it may have ended before this one could ask for its parent.
    """
    starter = int(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C lets the games under way end
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    while os.getppid() == starter:
        due = time.monotonic() + STEP
        time.sleep(STEP)
        woken = time.monotonic()
        if woken - due > LATE:
            sys.stdout.write(f"{due} {woken}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
