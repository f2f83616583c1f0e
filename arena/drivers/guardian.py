"""A small program between the arena and an engine, which ends the engine with all its children when the arena ends.

    python -I -S guardian.py LIFELINE COMMAND...

LIFELINE is the number of a file descriptor, the reading end of a pipe whose other end only the arena has. When the
arena dies, even by ``kill -9``, the pipe ends; the guardian then kills the engine's process group, and every process
that the engine left behind, because those become the guardian's children (Linux: ``PR_SET_CHILD_SUBREAPER``).
Standard input, output and error are the engine's own; the guardian does not touch what flows through them. Its exit
status is the engine's, or 128 and the number of the signal that ended the engine.

It runs by its path, without the package, so that it starts in some 15 ms.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
NOT_STARTED = 127
RETRY = 0.005
"""Seconds between two looks for children that are left."""


def prctl(option: int, value: int) -> None:
    """Sets a property of this process; does nothing on systems that have no ``prctl``."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def start(command: list[str], lifeline: int) -> int:
    """Starts the engine in a session of its own and returns its process number."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.close(lifeline)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(NOT_STARTED)


def children() -> list[int]:
    """The process numbers of this process's children; empty where there is no ``/proc``."""
    own, found = os.getpid(), []
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                parent = file.read().rpartition(b")")[2].split()[1]
                if int(parent) == own:
                    found.append(int(name))
    return found


def kill_all(engine: int) -> None:
    """Kills the engine's group, and then every process that comes to this one, until none is left."""
    with contextlib.suppress(OSError):
        os.killpg(engine, signal.SIGKILL)  # where children are not known, this is all that can be done
    while True:
        for child in children():
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(RETRY)  # a child that ends may leave children of its own


def ended(engine: int) -> int | None:
    """Reaps every child that has ended; returns the engine's exit status if the engine is one of them."""
    while True:
        try:
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return NOT_STARTED
        if child == 0:
            return None
        if child == engine:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def main() -> int:
    """Runs the engine until it ends or the lifeline does; returns the exit status."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the arena decides when an engine ends
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    waking, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    engine = start(command, lifeline)
    nothing = os.open(os.devnull, os.O_RDWR)
    for own in (0, 1, 2):
        os.dup2(nothing, own)
    while True:
        ready = select.select([lifeline, waking], [], [])[0]
        if waking in ready:
            os.read(waking, 4096)
            status = ended(engine)
            if status is not None:
                kill_all(engine)
                return status
        if lifeline in ready:
            kill_all(engine)
            return 128 + signal.SIGKILL


if __name__ == "__main__":
    sys.exit(main())
