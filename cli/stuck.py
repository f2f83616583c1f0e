"""The end of a process whose search does not end, because a method of the user's game does not return."""

from __future__ import annotations

import os
import sys
import threading
import traceback

from playout.engine.session import SEARCH_THREAD, Session

PATIENCE = 5.0
"""Seconds for a search to end after it was stopped."""


def close(session: Session) -> None:
    """Closes ``session``, or ends the process, with status 1 and one line, if its search does not end."""
    session.stop()
    if session.wait(PATIENCE):
        session.close()
        return
    sys.stderr.write(f"playout: the search does not end: {_place()}\n")
    sys.stderr.flush()
    os._exit(1)


def _place() -> str:
    """Returns the method in which the search is, and its place."""
    frames = sys._current_frames()
    idents = [thread.ident for thread in threading.enumerate() if thread.name == SEARCH_THREAD]
    found = [traceback.extract_stack(frames[ident])[-1] for ident in idents if ident is not None and ident in frames]
    if not found:
        return "its thread is gone"
    return f"the method {found[0].name} does not return ({found[0].filename}, line {found[0].lineno})"
