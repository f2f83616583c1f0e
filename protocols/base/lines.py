"""Lines of text: the contract of a transport, and the functions that split, clean, shorten and read lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_LINE = 4 * 2**20
"""Longest line in bytes. A game of 100,000 moves fits. The rest of a longer line is discarded."""

_REMOVED = [code for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF) if code != 0x09]
_CLEAN: dict[int, str | None] = {**dict.fromkeys(_REMOVED), 0x09: " "}


@dataclass(frozen=True, slots=True)
class InputLine:
    """A line as it arrived, without its newline."""

    text: str
    received: float
    """``time.monotonic()`` when it was read."""
    whole: bool = True
    """False if the line was longer than the limit: ``text`` is only its beginning."""


class LineStream(Protocol):
    """A transport: lines in, lines out."""

    def read(self) -> Iterator[InputLine]:
        """Yields the lines of the other side until the end of its input. Blocks. Reader thread only.

        Raises:
            OSError: if the connection was lost before the end of the input.
        """

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        """Sends all the lines together. Blocks. The loop's thread only.

        While the other side reads slowly, ``droppable`` lines may be lost, but no others.

        Raises:
            OSError: if the connection is lost.
        """

    def close(self) -> None:
        """Closes the connection to the other side. Any thread. Must not block."""


class LineSplitter:
    """Divides bytes into lines. Keeps at most ``limit`` bytes of a line."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._begun = bytearray()
        self._cut = False

    def feed(self, data: bytes, received: float) -> list[InputLine]:
        """The lines that ``data`` completes. Bytes that are not UTF-8 become U+FFFD."""
        *ends, rest = data.split(b"\n")
        lines = []
        for end in ends:
            self._append(end)
            lines.append(self._line(received))
        self._append(rest)
        return lines

    def end(self, received: float) -> list[InputLine]:
        """The last line, if it lacked its newline."""
        return [self._line(received)] if self._begun or self._cut else []

    def _append(self, part: bytes) -> None:
        room = self._limit - len(self._begun)
        self._begun += part[:room]
        self._cut = self._cut or len(part) > room

    def _line(self, received: float) -> InputLine:
        line = InputLine(self._begun.decode("utf-8", "replace"), received, not self._cut)
        self._begun, self._cut = bytearray(), False
        return line


def clean(text: str) -> str:
    """``text`` without control characters and byte order marks; a tab is a space."""
    return text.translate(_CLEAN)


def one_line(text: str, limit: int = 240) -> str:
    """``text`` on one line of at most ``limit`` characters, for a reply that quotes what came from outside."""
    words = " ".join(clean(text.replace("\n", " ")[: 4 * limit]).split())
    return words if len(words) <= limit else words[: limit - 3] + "..."


def last_line(traceback: str | None) -> str:
    """The last line of a traceback, for a reply. The session has logged the whole traceback."""
    return (traceback or "").strip().rpartition("\n")[2] or "see the log"


def real_number(word: str) -> float:
    """The number that ``word`` is, NaN if it is none. Its digits are ASCII, where Python also reads ``1_0``."""
    try:
        return float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        return math.nan
