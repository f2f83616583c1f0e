"""The guard of a process whose user's game does not return."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from playout.cli import stuck
from playout.engine import _core

from ..patience import PATIENCE

NIM = Path(__file__).parents[1] / "api" / "nim.py"


def test_the_log_names_the_method_before_the_interruption_can_end_the_process(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(stuck, "LONGEST_CALL", -1.0)
    monkeypatch.setattr(stuck, "LOOK", 0.0)
    frame, over = sys._getframe(), threading.Event()
    said: list[list[str]] = []

    class Methods:
        def running(self, thread: int) -> FrameType:
            return frame

        def interrupt(self, thread: int) -> str:
            said.append([record.getMessage() for record in caplog.records])
            over.set()
            return "the method"

    wanted = threading.Event()
    wanted.set()
    methods: Any = Methods()
    inbox: Any = SimpleNamespace(wanted=wanted)
    with caplog.at_level(logging.ERROR):
        stuck._watch(methods, inbox, threading.get_ident(), over, _core.Pulse(PATIENCE, "no beat"))
    [lines] = said
    assert len(lines) == 1
    assert "does not return" in lines[0]


SLOW_TO_END = """
import builtins, sys, time
from playout.cli import stuck
from playout.cli.main import main

class Late:
    def __del__(self):
        time.sleep(3)  # the interpreter ends: no other thread runs Python any more

builtins.late = Late()
stuck.HELD = 0.5
sys.exit(main(["ugi", "--game", sys.argv[1]]))
"""


@pytest.mark.long
def test_an_interpreter_that_ends_slowly_is_not_taken_for_a_game_that_holds_it(tmp_path: Path) -> None:
    game = tmp_path / "nim.py"
    shutil.copy(NIM, game)
    command = [sys.executable, "-c", SLOW_TO_END, f"{game}:Nim"]
    found = subprocess.run(command, input="isready\nquit\n", capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "readyok\n", "")
