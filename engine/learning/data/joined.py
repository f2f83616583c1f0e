"""A file of records to which the games of other files are added. docs/learning.md describes the format."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from playout.engine.learning.data.records import MAGIC, NO_TEXT, FrameReader, frame_at
from playout.games.errors import PlayoutError
from playout.games.nearest import unusable


def folder_of_chunks(path: Path) -> Path:
    """Returns the folder in which games wait that a cluster has played for a file, and whose turn has not come."""
    return path.with_name(f"{path.name}.chunks")


@dataclass(frozen=True, slots=True)
class Frame:
    """The contents of a frame."""

    texts: list[str]
    """Literals of actions that appear first in this frame, of a game that numbers its actions as they appear."""
    games: int
    body: bytes
    """The games as bytes, without their number."""


class JoinedFile:
    """The file that gets games. It is whole after each call of ``add``.

    A process that is killed in ``add`` leaves frames of which the last one may be cut off; the native writer of
    records, which opens the file first, cuts that one away.
    """

    def __init__(self, path: Path) -> None:
        """Reads a file that ends with a whole frame.

        Raises:
            PlayoutError: if it cannot be read, or is no such file.
        """
        self._path = path
        try:
            data = path.read_bytes()
        except OSError as error:
            raise PlayoutError(unusable(path, error)) from error
        self._label, frames = _parts(data, str(path))
        self.games = 0
        """Number of games in the file."""
        self._numbers: dict[str, int] = {}
        for frame in frames:
            self.games += frame.games
            for text in frame.texts:
                self._numbers[text] = len(self._numbers)

    def add(self, data: bytes, games: int, source: str) -> None:
        """Appends the games of another file, whose bytes are ``data``; ``source`` names it in errors.

        Raises:
            PlayoutError: if the other file is damaged, is of another game or does not have ``games`` games, or if this
                one cannot be written.
        """
        label, found = _parts(data, source)
        if label != self._label:
            raise PlayoutError(f"{source}: its label is {label!r} instead of {self._label!r}")
        frames = list(found)
        if (count := sum(frame.games for frame in frames)) != games:
            raise PlayoutError(f"{source}: {count} games instead of {games}")
        numbers, theirs, packed = dict(self._numbers), list[int](), list[bytes]()
        for frame in frames:
            new = [text for text in frame.texts if text not in numbers]
            for text in new:
                numbers[text] = len(numbers)
            theirs += [numbers[text] for text in frame.texts]
            body = _renumbered(frame, theirs) if theirs else frame.body
            packed.append(_packed(new, frame.games, body))
        self._write(b"".join(packed))
        self._numbers = numbers
        self.games += games

    def _write(self, data: bytes) -> None:
        end = None
        try:
            with self._path.open("rb+") as file:
                end = file.seek(0, os.SEEK_END)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            if end is not None:
                os.truncate(self._path, end)
            raise PlayoutError(unusable(self._path, error)) from error


def _parts(data: bytes, source: str) -> tuple[str, Iterator[Frame]]:
    """Returns the label of a file, and its frames."""
    found = frame_at(data, len(MAGIC)) if data.startswith(MAGIC) else None
    if found is None:
        raise PlayoutError(f"{source}: not a file of records")
    return found[0].decode(), _frames(data, found[1], source)


def _frames(data: bytes, place: int, source: str) -> Iterator[Frame]:
    while place < len(data):
        found = frame_at(data, place)
        if found is None:
            raise PlayoutError(f"{source}: damaged at byte {place}")
        contents, place = found
        reader = FrameReader(contents)
        yield Frame(reader.texts(), reader.count(), reader.rest)


def _renumbered(frame: Frame, numbers: Sequence[int]) -> bytes:
    """Returns the games of a frame with other numbers of actions, each at the place of its old one in ``numbers``."""
    body, at = bytearray(frame.body), 0
    for _ in range(frame.games):
        (length,) = struct.unpack_from("<I", body, at + 12)  # behind the seed and the result
        at += 16 + (0 if length == NO_TEXT else length)
        plies, visited = struct.unpack_from("<II", body, at)
        at += 8
        # An action, a value, a kind and a count for each ply come before the visited actions.
        for begin, count in (at, plies), (at + 13 * plies, visited):
            old = struct.unpack_from(f"<{count}I", body, begin)
            struct.pack_into(f"<{count}I", body, begin, *(numbers[number] for number in old))
        at += 13 * plies + 8 * visited
    return bytes(body)


def _packed(texts: Sequence[str], games: int, body: bytes) -> bytes:
    """Returns a frame."""
    encoded = [text.encode() for text in texts]
    named = b"".join(struct.pack("<I", len(text)) + text for text in encoded)
    packed = zlib.compress(struct.pack("<I", len(encoded)) + named + struct.pack("<I", games) + body)
    return struct.pack("<II", len(packed), zlib.crc32(packed)) + packed
