"""Lines of positions of chess with what is said of them: ``FEN;BY HAND;SEARCHED;RESULT``.

The example ``evaluated`` of the crate playout-learning prints them. The static evaluation by hand, the value of a
search and the result of the game are in [-1, 1], for the player to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playout.games.errors import PlayoutError
from playout.games.nearest import unusable


class Judged(NamedTuple):
    """The fields of a line."""

    fen: str
    by_hand: float
    searched: float
    text: str
    """The line as it is written, without its end."""


def judged_lines(path: Path) -> Iterator[Judged]:
    """Yields the lines of a file. A last line without an end is left out: it may be half a line.

    Raises:
        PlayoutError: if the file cannot be read, or a line is none of these; it names the file and the line.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.endswith("\n"):
                    yield _judged(path, number, line)
    except OSError as error:
        raise PlayoutError(unusable(path, error)) from error
    except UnicodeDecodeError as error:
        raise PlayoutError(f"{path}: {error}") from error


def _judged(path: Path, number: int, line: str) -> Judged:
    try:
        fen, by_hand, searched, _ = line.split(";")
        found = Judged(fen, float(by_hand), float(searched), line[:-1])
        if not (abs(found.by_hand) <= 1 and abs(found.searched) <= 1):
            raise ValueError("a value beyond 1")
    except ValueError as error:
        raise unread(path, number, error) from error
    return found


def unread(path: Path, number: int, what: object) -> PlayoutError:
    """Returns the error of a line that is none of these, counted from 1."""
    return PlayoutError(f"{path}: line {number}: not FEN;VALUE;VALUE;RESULT: {what}")
