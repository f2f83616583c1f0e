"""The end of a process in which a method of a user's game does not return."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any, NoReturn

from playout.engine.interrupt import Methods, place
from playout.engine.session import Session
from playout.games.game import Game
from playout.protocols.serve import Inbox
from playout.protocols.transport.stdio import ENDS

logger = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds for a rollout or a judgement to end after it was stopped."""
LONGEST_CALL = 0.7
"""Seconds for a method to return, once the end of the session, or of a search, is asked for."""
LOOK = 0.1
"""Seconds between two looks at the method that runs."""
INTERRUPTIONS = 3
"""Number of interruptions of one call after which the process ends."""


def close(session: Session) -> None:
    """Closes ``session``, or ends the process, with status 1 and one line, if a thread of it does not end."""
    session.stop()
    if session.wait(PATIENCE):
        session.close()
    if session.searching or session.stuck is not None:
        _leave(session.stuck or "a method of the game")


def guard(game: Game[Any, Any], inbox: Inbox) -> None:
    """Interrupts methods of ``game`` that do not return in this thread while it is wanted: while the end of the session
    or of a search waits in ``inbox``. Ends the process, with status 1 and one line, if that does not help.
    """
    watched = threading.get_ident()
    thread = threading.Thread(target=_watch, args=(Methods(game), inbox, watched), name="guard", daemon=True)
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    thread.start()  # with the signals blocked, as in all threads but the one that waits for them
    signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)


def _watch(methods: Methods, inbox: Inbox, thread: int) -> None:
    call: FrameType | None = None
    since, interruptions = 0.0, 0
    while True:
        inbox.wanted.wait()
        now = methods.running(thread)
        if now is not call or now is None:
            call, since, interruptions = now, time.monotonic(), 0
        elif time.monotonic() - since > LONGEST_CALL:
            if interruptions == INTERRUPTIONS:
                _leave(place(now))
            if methods.interrupt(thread) is not None:
                logger.error("%s does not return", place(now))
            interruptions += 1
        time.sleep(LOOK)


def _leave(method: str) -> NoReturn:
    sys.stderr.write(f"playout: the process ends, because {method} does not return\n")
    sys.stderr.flush()
    os._exit(1)
