"""The order to move, which drivers of line protocols share: time, grace, and the faults of an answer that is late."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from playout.arena.drivers.fault import Fault
from playout.arena.drivers.process import EngineProcess
from playout.arena.terms.end import End
from playout.protocols.base.lines import one_line

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a protocol for an order to move. ``{}`` stands for the time since the order."""

    never: str
    """Said of an engine that never answers."""
    late: str
    """Said of an engine that answers in the grace."""
    stop: str = ""
    """Line that makes the engine answer at once; empty if there is none."""


def ask(
    process: EngineProcess,
    order: str,
    limit: float,
    grace: float,
    words: Words,
    answer: Callable[[float], T | None],
    last: Callable[[], str],
) -> tuple[T, float, float]:
    """Sends ``order``; returns the answer, the seconds that it took, and the time of the order (``time.monotonic``).

    Args:
        process: the engine.
        order: lines that end with the order to move.
        limit: seconds for the answer.
        grace: seconds more for an engine that is told to stop.
        words: words of the protocol.
        answer: waits for the answer until a deadline; None if it does not come.
        last: gives the engine's last line.

    Raises:
        Fault: ``TIME`` if the answer came only in the grace, ``HANG`` if none came, others as they happen.
    """
    began = time.monotonic()
    process.send(order, began + limit)
    found = answer(began + limit)
    seconds = time.monotonic() - began
    if found is not None:
        return found, seconds, began
    if words.stop:
        process.send(words.stop, time.monotonic() + grace)
    found = answer(time.monotonic() + grace)
    said = f"{time.monotonic() - began:.3f} s"
    if found is None:
        line = f"; its last line: {one_line(last(), 80)}" if last() else ""
        raise Fault(End.HANG, words.never.format(said) + line, began)
    raise Fault(End.TIME, words.late.format(said), began)
