"""CECP's lines: parsing of commands, and the error lines that XBoard understands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from playout.games.errors import ProtocolError
from playout.protocols.base.dispatch import Command, divided
from playout.protocols.base.lines import one_line

_MOVE = re.compile(
    r"[a-h][1-8][a-h][1-8][nbrqkNBRQK]?"  # coordinates
    r"|[NBRQK]?[a-h]?[1-8]?x?[a-h][1-8](=?[nbrqNBRQ])?[+#]?"  # standard algebraic notation
    r"|O-O(-O)?[+#]?"
    r"|@@@@"  # the null move
)
_EDIT = re.compile(r"[a-zA-Z][a-h][1-8]|#|c|\.")


Handler = Callable[[Command], Sequence[str]]
"""Carries out a command and returns the replies. Raises PlayoutError, and nothing changes, if it cannot."""


def parse(line: str, received: float) -> Command | None:
    """Parses ``line``; None if it is blank. A move alone on its line becomes ``usermove`` with it."""
    command = divided(line, received)
    if command is not None and _MOVE.fullmatch(command.line):
        return Command("usermove", command.line, received, command.line)
    return command


def edits(text: str) -> bool:
    """Whether ``text`` is one of the lines allowed between ``edit`` and the dot that ends it."""
    return _EDIT.fullmatch(text) is not None


def error(reason: str, line: str) -> str:
    """``Error (REASON): LINE``. A reason has no closing bracket, because clients look for the first one."""
    plain = one_line(reason, 160).replace("(", "[").replace(")", "]")
    return f"Error ({plain}): {one_line(line, 80)}"


def whole(text: str, what: str) -> int:
    """The number that ``text`` is.

    Raises:
        ProtocolError: if it is not a whole number.
    """
    try:
        return int(text)
    except ValueError:
        raise ProtocolError(f"{what} is a whole number") from None


def not_now() -> ProtocolError:
    """Returns the error for a command that is not possible at the moment."""
    return ProtocolError("command not legal now")
