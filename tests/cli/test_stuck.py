"""The guard of a process whose user's game does not return."""

from __future__ import annotations

import logging
import sys
import threading
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from playout.cli import stuck


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
        stuck._watch(methods, inbox, threading.get_ident(), over)
    [lines] = said
    assert len(lines) == 1
    assert "does not return" in lines[0]
