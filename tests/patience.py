"""Time limits of tests that wait for an event. A limit is a safety net, never the subject of a test."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds after which a wait for an event fails: minutes, because a loaded machine may stand still for a while. Below
the time that pytest gives a whole test, so that the failure names what did not come."""


def eventually(condition: Callable[[], bool]) -> bool:
    """Waits until ``condition`` holds; False if it does not within ``PATIENCE`` seconds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
