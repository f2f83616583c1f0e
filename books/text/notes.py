"""Notes after a move in a text book: ``e2e4:3``, ``e2e4:3+120=80-60~5``, ``f7f6?``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from playout.books.base.book import BookMove

DEFAULT_WEIGHT = 1.0
"""Weight of a move that a line names without a weight."""

_NOTE = re.compile(r"(?P<weight>\S*?)(?P<score>\+\d{1,18}=\d{1,18}-\d{1,18})?(?:~(?P<learn>-?\d{1,18}))?")
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_NUMBERING = re.compile(r"\d+\.+")


@dataclass(frozen=True, slots=True)
class Note:
    """The note after one move. A field is None if the note does not mention it."""

    weight: float | None = None
    score: tuple[int, int, int] | None = None
    """Games won, drawn and lost by the player who moved."""
    learn: int | None = None


NOTHING = Note()


def read_note(text: str) -> Note:
    """Parses the note after the colon.

    Raises:
        ValueError: if it is not a note; the message says what is allowed.
    """
    match = _NOTE.fullmatch(text)
    number = match["weight"] if match else text
    weight = float(number) if _NUMBER.fullmatch(number) else math.nan
    if match is None or not math.isfinite(weight):
        raise ValueError(f"not a weight: {text!r} (a number, 0 or more, as in 3, 0.5 or 3+120=80-60)")
    score = tuple(int(count) for count in re.findall(r"\d+", match["score"])) if match["score"] else None
    assert score is None or len(score) == 3
    return Note(weight, score, int(match["learn"]) if match["learn"] else None)


def split_word(word: str) -> tuple[str, str | None]:
    """Splits a word into the move, without PGN move numbers, and its note; ``?`` is the note ``0``."""
    word = word[match.end() :] if (match := _NUMBERING.match(word)) else word
    move, colon, note = word.rpartition(":")
    if colon and move:
        return move, note
    return (word[:-1], "0") if word.endswith("?") and len(word) > 1 else (word, None)


def is_numbering(word: str) -> bool:
    """Whether the word is a PGN move number: ``1.`` or ``12...``."""
    return _NUMBERING.fullmatch(word) is not None


def write_note(move: BookMove) -> str:
    """The inverse of ``read_note``."""
    weight = repr(float(move.weight)).removesuffix(".0")
    score = f"+{move.wins}={move.draws}-{move.losses}" if move.wins or move.draws or move.losses else ""
    return weight + score + (f"~{move.learn}" if move.learn else "")
