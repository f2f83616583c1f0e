"""Responses of GTP: the lines from one with a sign to an empty one."""

from __future__ import annotations

from collections.abc import Callable

from playout.arena.drivers.fault import Fault
from playout.arena.drivers.process import EngineProcess
from playout.arena.terms.end import End
from playout.protocols.base.lines import one_line

LONGEST = 2**20
"""Characters of a response."""


def read_response(process: EngineProcess, deadline: float, hear: Callable[[str], None]) -> str | None:
    """Returns the lines of a response, its sign first; None if it is not complete in time. ``hear`` gets each line.

    Raises:
        Fault: if it has no end, or the program ends.
    """
    lines: list[str] = []
    size = 0
    while (line := process.line(deadline)) is not None:
        if line.strip():
            hear(line)
            if lines or line[0] in "=?":
                lines.append(line)
                size += len(line) + 1
                if size > LONGEST:
                    began = one_line(lines[0], 80)
                    raise Fault(End.GARBAGE, f"a response of more than {LONGEST} characters: {began}")
        elif lines:
            return "\n".join(lines)
    return None


def body(reply: str) -> str:
    """Returns a response's text without its sign and number."""
    return reply[1:].lstrip("0123456789").strip()
