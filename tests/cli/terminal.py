"""A program on a terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path


def on_terminal(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    typed: str | None = None,
    piped: bool = False,
    folder: Path | None = None,
) -> tuple[str, str]:
    """Runs a program to its end, with status 0. Returns its standard output, and what the terminal shows.

    Standard error is the terminal, and standard output too unless it is ``piped``. ``typed`` comes through a pipe.
    """
    ours, its = pty.openpty()
    shown = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):  # the end of a terminal without a process
            while data := os.read(ours, 2**16):
                shown.extend(data)

    reader = threading.Thread(target=read)  # at once: a terminal that nobody reads makes a program wait
    with subprocess.Popen(
        command,
        stdin=None if typed is None else subprocess.PIPE,
        stdout=subprocess.PIPE if piped else its,
        stderr=its,
        text=True,
        cwd=folder,
        env=dict(environment),
    ) as run:
        os.close(its)
        reader.start()
        out, _ = run.communicate(typed)
    reader.join()
    os.close(ours)
    assert run.returncode == 0, shown
    return out or "", shown.decode()
