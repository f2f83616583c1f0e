"""The screen of games at work: what a signal does there."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from playout.cli.arena.screen import Screen

from ..patience import PATIENCE


class Run:
    """A run that gets Ctrl-C while another thread has the terminal's lock."""

    def __init__(self, screen: Screen) -> None:
        self._console = screen._console
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True

    def run(self, tick: Callable[[], None]) -> None:
        holds, may_go = threading.Event(), threading.Event()

        def hold() -> None:
            with self._console._lock:
                holds.set()
                assert may_go.wait(PATIENCE)

        holder = threading.Thread(target=hold)
        holder.start()
        assert holds.wait(PATIENCE)
        os.kill(os.getpid(), signal.SIGINT)  # its handler runs here, before the next line
        may_go.set()
        holder.join()


def test_a_signal_waits_for_no_lock(capfd: pytest.CaptureFixture[str]) -> None:
    screen = Screen(0, 10, list)
    run = Run(screen)
    screen.run(cast(Any, run))
    assert run.stopped
    assert capfd.readouterr().err.count("stopping after the games under way; Ctrl-C again ends them") == 1
