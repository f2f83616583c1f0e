"""The command ``playout``.

An engine must start quickly, so engine commands are dispatched before any library for terminal output is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from playout.games.errors import PlayoutError
from playout.games.nearest import unusable
from playout.protocols.registry import PROTOCOLS

INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 and the number of the signal, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit status: 0, 1 if a check failed, 2 after one line about wrong input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _open_streams()
        if words and words[0] in PROTOCOLS:
            from playout.cli.engine_commands import run_engine

            return run_engine(words[0], words[1:])
        if arguments is None and not words and not sys.stdin.isatty():
            from playout.cli.engine_commands import run_by_first_line

            status = run_by_first_line()
            if status is not None:
                return status
        if words and words[0].partition(" ")[0] == "genfens":
            from playout.cli.openbench import run_genfens

            return run_genfens([word for word in words if word != "quit"])
        if words and words[0] == "serve":
            from playout.cli.network.serve import run_serve

            return run_serve(words[1:])
        if words and words[0] == "connect":
            from playout.cli.network.connect import run_connect

            return run_connect(words[1:])
        if words and words[0] == "completion":
            from playout.cli.completion.command import run_completion

            return run_completion(words[1:])
        from playout.cli.app import run_app

        return run_app(words)
    except PlayoutError as error:
        sys.stderr.write(f"playout: {error}\n")
        return 2
    except OSError as error:
        # On a full disk or a closed pipe, drop the buffered output; flushing it at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        said = unusable(error.filename, error) if error.filename else error.strerror or error
        sys.stderr.write(f"playout: {said}\n")
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _open_streams() -> None:
    """Replaces standard input and standard error by the null device if the caller closed them.

    Raises:
        PlayoutError: if standard output is closed, since every command writes to it.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        raise PlayoutError("standard output is closed")
