"""Threads of sessions, whose number the system limits."""

from __future__ import annotations

import threading
from collections.abc import Callable

from playout.games.errors import PlayoutError


class NoThread(PlayoutError):
    """Raised if the system permits no more threads."""


def start_thread(target: Callable[..., object], *arguments: object, name: str) -> threading.Thread:
    """Starts a daemon thread that calls ``target``.

    Raises:
        NoThread: if there can be no more threads.
    """
    thread = threading.Thread(target=target, args=arguments, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        raise NoThread("the server can start no more threads") from error
    return thread
