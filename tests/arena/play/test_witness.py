"""The process that sees whether the machine stands still."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from playout.arena.play import witness

from ...patience import PATIENCE, eventually

PROGRAM = """
import os, signal, sys
from playout.arena.play.witness import Witness
witness = Witness()
sys.stdout.write(f"{witness._process.pid}\\n")
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.opponents
def test_it_does_not_outlive_a_program_that_was_killed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
    )
    number = int(done.stdout)

    def has_ended() -> bool:
        try:
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        return state == "Z"

    assert eventually(has_ended)


def test_it_ends_if_its_starter_ended_before_it_ran() -> None:
    assert subprocess.run([sys.executable, "-I", witness.__file__, "-1"], timeout=PATIENCE, check=False).returncode == 0
