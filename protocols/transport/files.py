"""The limit of open files of this process, and how far a server raises it."""

from __future__ import annotations

import resource
from contextlib import suppress

EACH = 8
"""Files of a session: its connection, and the pipes of an engine in a process of its own."""
OTHERS = 1024
"""Files of connections without a session, of books, and of the interpreter."""


def open_files() -> int:
    """Returns the number of files that this process may open."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 2**31 if soft == resource.RLIM_INFINITY else soft


def raise_open_files(sessions: int) -> None:
    """Raises the limit as far as that many sessions need it and the system allows. The usual 1024 are for programs that
    call ``select``, which a server does not.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = EACH * sessions + OTHERS
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # some systems have a limit of their own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
