"""Records of a tournament's games: PGN for chess, SGF for Go and Hex, lines of text for other games."""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from playout.arena.report.pgn import pgn
from playout.arena.terms.end import End
from playout.arena.terms.job import Move, Played
from playout.books.past.written import WrittenGame, writer_of
from playout.games.chess import Chess
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.games.support.whole_file import replacing
from playout.protocols.base.lines import one_line

TERMINATIONS = {
    End.NORMAL: "normal",
    End.RESIGN: "normal",
    End.TIME: "time forfeit",
    End.HANG: "stalled connection",
    End.ILLEGAL: "illegal move",
    End.GARBAGE: "rules infraction",
    End.VOID: "unterminated",
}
"""PGN's words, and cutechess's, for the tag Termination; games that the referee ended are ``adjudication``."""


class _Note(msgspec.Struct):
    """The beginning of a file that was written as a whole."""

    path: str
    size: int
    digest: str


NUMBERS = {".pgn": re.compile(rb'^\[Round "([^"]+)"\]$'), ".sgf": re.compile(rb"RO\[(\d+/\d+/[01])\]")}
"""The numbers of games in a line of a record. Records of other endings have none."""


class RecordFile:
    """The file with the records of one event. It knows which games it has."""

    def __init__(self, path: Path, game: Game[Any, Any], event: str) -> None:
        """Raises PlayoutError if games of this kind are not written to files with such an ending."""
        self.path, self._game, self._event = path, game, event
        self._before, self._written = writer_of(path, game)
        if isinstance(game, Chess) and path.suffix.lower() == ".pgn":
            self._written = pgn
        self.ids: set[str] = set()
        """The games that were written, and those that cannot be."""
        self.whole = False
        """Whether the file has what was written to it and nothing else."""
        self._digest, self._size = blake2b(), 0

    @property
    def note(self) -> str:
        """Describes the file as it is, for ``take_up`` by a later run."""
        return msgspec.json.encode(_Note(self._place, self._size, self._digest.hexdigest())).decode()

    @property
    def _place(self) -> str:
        return ascii(str(self.path.absolute()))  # a name need not be UTF-8

    def take_up(self, note: str) -> None:
        """Goes on with the file as an earlier run left it, if its first bytes are those that are noted.

        What follows them is cut off: games that were written after the note, the last one perhaps in part.

        Raises:
            PlayoutError: one line if the file is the noted one, and cannot be cut.
        """
        number = NUMBERS.get(self.path.suffix.lower())
        noted = msgspec.json.decode(note, type=_Note)
        if number is None or noted.path != self._place or not self.path.is_file():
            return
        digest, left, ids = blake2b(), noted.size, list[str]()
        with self._failing(), self.path.open("rb+") as file:
            while left > 0 and (line := file.readline(left)):
                digest.update(line)
                left -= len(line)
                if found := number.search(line):
                    ids.append(f"{self._event}/{found[1].decode()}")
            if left or digest.hexdigest() != noted.digest or len(set(ids)) != len(ids):
                return
            file.truncate(noted.size)
        self.ids, self.whole, self._digest, self._size = set(ids), True, digest, noted.size

    def rewrite(self, games: Iterable[Played]) -> list[str]:
        """Writes the file anew with these games; returns a line for each that cannot be written.

        Raises:
            PlayoutError: one line if the file cannot be written; the old content is then intact.
        """
        self._digest, self._size, self.ids, self.whole = blake2b(), 0, set(), False
        said = []
        with self._failing(), replacing(self.path) as beside, beside.open("wb") as file:
            self._add(file, self._before.encode())
            for played in games:
                try:
                    self._add(file, self._text(played))
                except PlayoutError as error:
                    said.append(str(error))
        self.whole = True
        return said

    def append(self, played: Played) -> None:
        """Adds a game at the end.

        Raises:
            PlayoutError: one line if the game cannot be written, or the file, which then has nothing of the game.
        """
        text = self._text(played)
        try:
            with self._failing(), self.path.open("ab", buffering=0) as file:
                before = file.tell() if file.seekable() else self._size
                self.whole = self.whole and before == self._size
                try:
                    written = file.write(text)
                    if written != len(text):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                except OSError:
                    self.whole = False
                    file.truncate(before)
                    self.whole = before == self._size
                    raise
        except PlayoutError:
            self.ids.discard(played.id)
            raise
        self._digest.update(text)
        self._size += len(text)

    def _add(self, file: BinaryIO, text: bytes) -> None:
        file.write(text)
        self._digest.update(text)
        self._size += len(text)

    def _text(self, played: Played) -> bytes:
        """Returns the record of a game.

        Raises:
            PlayoutError: one line with the game, whatever the writer stumbled over; it is not to be tried again.
        """
        self.ids.add(played.id)
        try:
            return self._written(self._game, written_game(played, self._event), len(self.ids)).encode()
        except Exception as error:
            said = one_line(str(error)) or type(error).__name__
            raise PlayoutError(f"{self.path}: the game {played.id} is not written: {said}") from error

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PlayoutError(f"{self.path}: {error.strerror or error}") from error


def written_game(played: Played, event: str) -> WrittenGame:
    """Returns a game as it is written, with evaluations and times as cutechess writes them."""
    opening = len(played.opening.moves)
    comments = tuple("book" if ply < opening or move.book else comment(move) for ply, move in enumerate(played.moves))
    date = played.began[:10].replace("-", ".")
    tags = {
        "Event": event,
        "Date": date or "????.??.??",
        "Round": played.id.partition("/")[2],
        "TimeControl": played.paces[0] if played.paces[0] == played.paces[1] else "-",
        "PlyCount": str(len(played.moves)),
        "GameDuration": _duration(played.seconds),
        "Termination": termination(played.end),
    }
    if played.paces[0] != played.paces[1]:
        tags |= {"WhiteTimeControl": played.paces[0], "BlackTimeControl": played.paces[1]}
    return WrittenGame(
        moves=[move.text for move in played.moves],
        result=played.result,
        start=played.opening.start,
        comments=_with_end(comments, played),
        names=(one_line(played.names[0]), one_line(played.names[1])),
        tags=tags,
    )


def comment(move: Move) -> str:
    """Returns the comment on a move: ``+0.31/12 0.45s``, ``+M5/20 0.1s``, or only the time; empty for a roll."""
    if not move.seconds:
        return ""
    time = f"{_fixed(move.seconds)}s"
    if move.mate is not None:
        score = f"{'+' if move.mate > 0 else '-'}M{abs(move.mate)}"
    elif move.centipawns is not None:
        score = f"{move.centipawns / 100:+.2f}"
    else:
        return time
    return f"{score}/{move.depth or 0} {time}"


def _fixed(seconds: float) -> str:
    """Returns a positive number with three significant digits or all before the point, and never with an exponent."""
    places = max(0, 2 - math.floor(math.log10(seconds)))
    text = f"{seconds:.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def termination(end: End) -> str:
    """Returns PGN's word for the end of a game."""
    if end.is_adjudicated:
        return "adjudication"
    return TERMINATIONS.get(end, "abandoned")


def _with_end(comments: tuple[str, ...], played: Played) -> tuple[str, ...]:
    """Returns the comments with the reason of the end at the last move, as match runners write it."""
    if not comments or played.end is End.NORMAL:
        return comments
    said = f"{played.end}: {played.detail}" if played.detail else played.end.value
    return (*comments[:-1], f"{comments[-1]}, {said}" if comments[-1] else said)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
