"""The end of a process in which a method of a user's game does not return."""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from playout.engine import _core
from playout.engine.interrupt import Methods, place
from playout.engine.session import Session
from playout.engine.terms.kernel import kernel_of
from playout.protocols.serve import Inbox
from playout.protocols.transport.stdio import ENDS

logger = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds for a rollout or a judgement to end after it was stopped."""
LONGEST_CALL = 0.7
"""Seconds for a method to return, once the end of the session, or of a search, is asked for."""
LOOK = 0.1
"""Seconds between two looks at the method that runs."""
BEAT = 0.5
"""Seconds between two signs that Python runs."""
HELD = 5.0
"""Seconds without such a sign after which the process ends. Time for which it is suspended does not count."""
INTERRUPTIONS = 3
"""Number of interruptions of one call after which the process ends."""


@contextmanager
def served(session: Session, inbox: Inbox) -> Iterator[None]:
    """While this lasts, a line or a signal that waits in ``inbox`` gets through to ``session``; then closes it.

    In a user's game, methods that do not return in this thread are interrupted while the end of the session, or of a
    search, waits. The process ends, with a message, if that does not help, if a thread of the session does not end, and
    if a method holds the GIL, so that no other thread runs.
    """
    over = threading.Event()
    pulse = _guarded(session, inbox, over) if kernel_of(session.game) is None else None
    try:
        yield
    finally:
        _close(session)
        over.set()
        if pulse is not None:
            pulse.end()  # the guard stands still while the interpreter ends, however long that takes a busy machine


def _guarded(session: Session, inbox: Inbox, over: threading.Event) -> _core.Pulse:
    """Starts the guard of this thread, and the watch over Python's standstill, for which the guard beats."""
    if sys.__stderr__ is not None:
        faulthandler.enable(sys.__stderr__)  # tells where each thread was; a replaced stream may have no file
    # With the signals blocked, as in all threads but the one that waits for them; the pulse has a thread too.
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        pulse = _core.Pulse(
            HELD, f"playout: the process ends, because a method of the game has held the GIL for {HELD:g} s"
        )
        arguments = (Methods(session.game), inbox, threading.get_ident(), over, pulse)
        threading.Thread(target=_watch, args=arguments, name="guard", daemon=True).start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
    return pulse


def _close(session: Session) -> None:
    session.stop()
    if session.wait(PATIENCE):
        session.close()
    if session.searching or session.stuck is not None:
        _leave(session.stuck or "a method of the game")


def _watch(methods: Methods, inbox: Inbox, thread: int, over: threading.Event, pulse: _core.Pulse) -> None:
    call: FrameType | None = None
    since, interruptions = 0.0, 0
    while not over.is_set():
        pulse.beat()
        if not inbox.wanted.wait(BEAT):
            continue
        now = methods.running(thread)
        if now is not call or now is None:
            call, since, interruptions = now, time.monotonic(), 0
        elif time.monotonic() - since > LONGEST_CALL:
            if interruptions == INTERRUPTIONS:
                _leave(place(now))
            logger.error("%s does not return", place(now))  # before the process can end
            methods.interrupt(thread)
            interruptions += 1
        time.sleep(LOOK)


def _leave(method: str) -> NoReturn:
    sys.stderr.write(f"playout: the process ends, because {method} does not return\n")
    sys.stderr.flush()
    os._exit(1)
