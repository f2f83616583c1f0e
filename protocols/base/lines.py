"""Lines of text: the contract of a transport, and what every transport and protocol does to a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

MAX_LINE = 4 * 2**20
"""Bytes. A game of 100,000 moves fits; a longer line is cut, not stored."""

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
        """The lines of the other side until it has no more. Blocks. Reader thread only.

        Raises:
            OSError: if the other side was lost before it had said that it has no more.
        """

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        """Sends the lines, all of them at once. Blocks. The loop's thread only.

        Where the other side reads slowly, ``droppable`` lines may be lost, but no others.

        Raises:
            OSError: if the other side is gone.
        """

    def close(self) -> None:
        """Lets go of the other side. Any thread. Must not block."""


class LineSplitter:
    """Bytes in, lines out; never holds more than ``limit`` bytes of one line."""

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
    """What a traceback says in the end; the session has logged the whole of it."""
    return (traceback or "").strip().rpartition("\n")[2] or "see the log"
