"""GTP 2's form: commands, arguments, responses. The handlers are in the other files of this folder."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import ProtocolError
from playout.protocols.base.lines import clean, one_line, real_number

LARGEST_ID = 2**31 - 1
COLOURS: Mapping[str, int] = {"b": 0, "black": 0, "w": 1, "white": 1}


class GtpError(ProtocolError):
    """A command that fails. The message is the text of the failure response."""


@dataclass(frozen=True, slots=True)
class GtpCommand:
    """A command line in its parts. ``id`` is empty if the controller gave none, ``name`` if it gave only an id."""

    id: str
    name: str
    arguments: tuple[str, ...]
    received: float
    """``time.monotonic()`` when the line arrived or, if it had to wait for a search, when that search ended."""
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
    """A search that a command needs. A handler returns it instead of a response, which the result completes."""

    limits: Limits | None
    """Limits of a search for a move; None asks for a judgement of the stones instead."""
    finish: Callable[[SearchResult], str | Thinking]
    """Turns the result into the response's text, or into another search that the response depends on. Raises GtpError.
    If reports are lines of the response, the text is its last lines."""
    report: Callable[[SearchInfo], str] | None = None
    """Turns a report into a line of the response, empty for no line. The first line of the response is then written at
    the start of the search. None: reports are not shown."""
    interruptible: bool = False
    """Whether any line of input ends the search."""
    quick: bool = False
    """Whether stones are judged by playouts alone, which takes some tenths of a second on large boards."""


def then(outcome: str | Thinking, change: Callable[[str], str]) -> str | Thinking:
    """``outcome`` with ``change`` applied to the response's text."""
    if isinstance(outcome, str):
        return change(outcome)
    return replace(outcome, finish=lambda result: then(outcome.finish(result), change))


def searched(thinking: Thinking) -> Limits:
    """The limits of ``thinking``, which must be a search for a move."""
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
    """The first line of a successful response whose lines are written one by one."""
    return [f"={number}"]


def closing(text: str) -> list[str]:
    """The last lines of a response that was opened."""
    return [*(line for line in text.split("\n") if line.strip()), ""]


def _response(sign: str, number: str, text: str) -> list[str]:
    first, *others = text.split("\n")
    return [f"{sign}{number} {first}", *(line for line in others if line.strip()), ""]


def colour(word: str) -> int:
    """The player of a colour: black is 0. Raises GtpError if ``word`` is not a colour."""
    player = COLOURS.get(word.lower())
    if player is None:
        raise GtpError(f"syntax error: colour expected, not {quoted(word)}")
    return player


def integer(word: str) -> int:
    """The whole number ``word``. Raises GtpError if it is not one, or is too large."""
    if not re.fullmatch("[+-]?[0-9]{1,9}", word):
        raise GtpError(f"syntax error: whole number expected, not {quoted(word)}")
    return int(word)


def real(word: str) -> float:
    """The finite number ``word``. Raises GtpError if it is not one."""
    number = real_number(word)
    if not math.isfinite(number):
        raise GtpError(f"syntax error: number expected, not {quoted(word)}")
    return number


def arguments(command: GtpCommand, form: str, least: int, most: int | None = None) -> Sequence[str]:
    """The arguments, ``least`` to ``most`` of them (None: exactly ``least``). Otherwise raises GtpError with ``form``,
    which names them."""
    given = command.arguments
    if not least <= len(given) <= (least if most is None else most):
        raise GtpError(f"syntax error: expected {command.name}{' ' if form else ''}{form}")
    return given


def quoted(word: str) -> str:
    """``word`` in quotation marks, shortened, for an error message."""
    return repr(one_line(word, 40))
