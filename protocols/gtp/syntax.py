"""GTP 2's form: commands, arguments, responses. The handlers are in the other files of this folder."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import ProtocolError
from playout.protocols.base.lines import clean, one_line

LARGEST_ID = 2**31 - 1
COLOURS: Mapping[str, int] = {"b": 0, "black": 0, "w": 1, "white": 1}


class GtpError(ProtocolError):
    """A failure response; the message is the response's text."""


@dataclass(frozen=True, slots=True)
class GtpCommand:
    """A command line in its parts. ``id`` is empty if the controller gave none, ``name`` if it gave only an id."""

    id: str
    name: str
    arguments: tuple[str, ...]
    received: float
    """``time.monotonic()`` when it arrived or, if it had to wait for a search, when its turn came."""
    refusal: str | None = None
    """Set if the line was no command: the text of its failure response, empty for no response."""
    opened: bool = False
    """Whether the first line of its response has been written, so that the response can no longer be a failure."""

    @property
    def line(self) -> str:
        """The whole command."""
        return " ".join(filter(None, (self.id, self.name, *self.arguments)))


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a command that needs a search returns: the response comes with the result."""

    limits: Limits | None
    """None: stones are to be judged, not a move to be found."""
    finish: Callable[[SearchResult], str | Thinking]
    """The response's text, or what it still hangs on; raises GtpError. Where reports are lines of the response, its
    last lines."""
    report: Callable[[SearchInfo], str] | None = None
    """A report as a line of the response, which then begins at once; empty for no line."""
    interruptible: bool = False
    """Whether any line of input ends the search."""
    quick: bool = False
    """Whether stones are judged by playouts alone, which takes some tenths of a second on large boards."""


def then(outcome: str | Thinking, change: Callable[[str], str]) -> str | Thinking:
    """``outcome`` with ``change`` made to the response's text."""
    if isinstance(outcome, str):
        return change(outcome)
    return replace(outcome, finish=lambda result: then(outcome.finish(result), change))


def searched(thinking: Thinking) -> Limits:
    """The limits of what is known to search for a move."""
    assert thinking.limits is not None
    return thinking.limits


Handler = Callable[[GtpCommand], str | Thinking]
"""Carries out a command and returns the text of its response. Raises GtpError."""


def parse(line: str, received: float) -> GtpCommand | None:
    """The command on ``line``, None if there is nothing but blanks and a comment."""
    words = clean(line.partition("#")[0]).split()
    if not words:
        return None
    number = ""
    if re.fullmatch("[0-9]{1,10}", words[0]) and int(words[0]) <= LARGEST_ID:
        number, *words = words
    return GtpCommand(number, words[0] if words else "", tuple(words[1:]), received)


def success(number: str, text: str) -> list[str]:
    """The lines of a successful response, its closing blank line included."""
    return _response("=", number, text)


def failure(number: str, text: str) -> list[str]:
    """The lines of a failure response, its closing blank line included."""
    return _response("?", number, one_line(text))


def opening(number: str) -> list[str]:
    """The first line of a successful response whose lines come one by one."""
    return [f"={number}"]


def closing(text: str) -> list[str]:
    """The last lines of a response that was opened."""
    return [*(line for line in text.split("\n") if line.strip()), ""]


def _response(sign: str, number: str, text: str) -> list[str]:
    first, *others = text.split("\n")
    return [f"{sign}{number} {first}", *(line for line in others if line.strip()), ""]


def colour(word: str) -> int:
    """The player that a colour stands for: black is 0."""
    player = COLOURS.get(word.lower())
    if player is None:
        raise GtpError(f"syntax error: colour expected, not {quoted(word)}")
    return player


def integer(word: str) -> int:
    """A whole number of moderate size."""
    if not re.fullmatch("[+-]?[0-9]{1,9}", word):
        raise GtpError(f"syntax error: whole number expected, not {quoted(word)}")
    return int(word)


def real(word: str) -> float:
    """A finite number."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise GtpError(f"syntax error: number expected, not {quoted(word)}")
    return number


def arguments(command: GtpCommand, form: str, least: int, most: int | None = None) -> Sequence[str]:
    """The arguments, ``least`` to ``most`` (None: exactly ``least``) of them; ``form`` names them for the complaint."""
    given = command.arguments
    if not least <= len(given) <= (least if most is None else most):
        raise GtpError(f"syntax error: expected {command.name}{' ' if form else ''}{form}")
    return given


def quoted(word: str) -> str:
    """``word``, made fit to be part of an error message."""
    return repr(one_line(word, 40))
