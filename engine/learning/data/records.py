"""Reads files of records, the games that ``playout learn generate`` plays. docs/learning.md describes their format."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from playout.games.errors import PlayoutError
from playout.games.nearest import unusable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", bound="np.generic")
MAGIC = b"playout-records\n"
VERSION = "1"
NO_TEXT = 2**32 - 1


class Kind(IntEnum):
    """Kind of search before an action."""

    NOT = 0
    """Nothing: dice, or an opening."""
    VALUE = 1
    """A cheap search: there is a value."""
    VISITS = 2
    """A search to learn from: there are a value and visits."""
    GIVEN = 3
    """A move of a game that was played elsewhere: it is the one that has visits."""


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game with what the searches found at its positions; one entry of each array per ply, but for the visits."""

    seed: int
    start: str | None
    """The text of the first position; None is the game's own start."""
    result: float
    """For the first player, in [-1, 1]."""
    actions: NDArray[np.uint32]
    """The actions: the game's numbers, or places in ``RecordFile.texts`` where that has any."""
    values: NDArray[np.float32]
    """Values that the searches found for the player to move, in [-1, 1]; 0 where there was none."""
    kinds: NDArray[np.uint8]
    """A ``Kind`` each."""
    counts: NDArray[np.uint32]
    """Number of actions with visits."""
    visited: NDArray[np.uint32]
    """The actions with visits, ply by ply."""
    visits: NDArray[np.uint32]
    """Their visits."""

    def __len__(self) -> int:
        return len(self.actions)

    def visits_at(self, ply: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Returns the actions with visits before the action number ``ply``, which counts from 0, and their visits."""
        first = int(self.counts[:ply].sum())
        last = first + int(self.counts[ply])
        return self.visited[first:last], self.visits[first:last]


class RecordFile:
    """The games of a file, in order. Iteration reads it from the beginning."""

    def __init__(self, path: str | Path) -> None:
        """Reads the label of the file.

        Raises:
            PlayoutError: if it cannot be read, or is no file of records.
        """
        self.path = Path(path)
        self.texts: list[str] = []
        """The literals of the actions, so far, of a game that numbers them as they appear; else empty."""
        self.damage: str | None = None
        """After iteration: one line if the file ends with a frame that is cut off or damaged."""
        try:
            self._bytes = self.path.read_bytes()
        except OSError as error:
            raise PlayoutError(unusable(path, error)) from error
        found = frame_at(self._bytes, len(MAGIC)) if self._bytes.startswith(MAGIC) else None
        if found is None:
            raise PlayoutError(f"{path}: not a file of records")
        label, self._begin = found
        said = dict(line.split(" ", 1) for line in label.decode().splitlines())
        if said.get("version") != VERSION:
            raise PlayoutError(f"{path}: its version is {said.get('version')!r} instead of {VERSION!r}")
        self.game, self.inputs = said["game"], said["inputs"]

    def __iter__(self) -> Iterator[RecordedGame]:
        """
        Raises:
            PlayoutError: one line that names the record whose contents are wrong.
        """
        place, number = self._begin, 0
        self.texts, self.damage = [], None
        while (found := frame_at(self._bytes, place)) is not None:
            contents, place = found
            reader = FrameReader(contents)
            try:
                self.texts += reader.texts()
                for _ in range(reader.count()):
                    number += 1
                    yield reader.game()
            except (struct.error, ValueError) as error:
                raise PlayoutError(f"{self.path}: record {max(number, 1)}: {error}") from error
        if place < len(self._bytes):
            self.damage = f"{self.path}: record {number + 1}, at byte {place}, is cut off or damaged"

    def games_of(self, game: str, note: Callable[[str], None]) -> Iterator[RecordedGame]:
        """Yields the games if they are of ``game``, its full name; ``note`` is told of damage.

        Raises:
            PlayoutError: one line if they are of another game, or that names the record whose contents are wrong.
        """
        if self.game != game:
            raise PlayoutError(f"{self.path}: its games are of {self.game!r} instead of {game!r}")
        yield from self
        if self.damage is not None:
            note(self.damage)


def frame_at(data: bytes, place: int) -> tuple[bytes, int] | None:
    """Returns the contents of the frame at ``place`` and the next one's place; None if it is cut off or damaged."""
    if len(data) < place + 8:
        return None
    length, checksum = struct.unpack_from("<II", data, place)
    packed = data[place + 8 : place + 8 + length]
    if len(packed) < length or zlib.crc32(packed) != checksum:
        return None
    return zlib.decompress(packed), place + 8 + length


class FrameReader:
    """Reads the contents of a frame from their beginning on."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def count(self) -> int:
        (count,) = struct.unpack_from("<I", self._data, self._place)
        self._place += 4
        return int(count)

    @property
    def rest(self) -> bytes:
        """The contents that have not been read."""
        return self._data[self._place :]

    def texts(self) -> list[str]:
        """Literals of actions that appear first in this frame."""
        return [self.text(self.count()) for _ in range(self.count())]

    def text(self, length: int) -> str:
        self._place += length
        return self._data[self._place - length : self._place].decode()

    def _array(self, kind: type[Number], count: int) -> NDArray[Number]:
        import numpy as np

        found = np.frombuffer(self._data, np.dtype(kind).newbyteorder("<"), count, self._place)
        self._place += found.nbytes
        return found

    def game(self) -> RecordedGame:
        import numpy as np

        seed, result, length = struct.unpack_from("<QfI", self._data, self._place)
        self._place += 16
        start = None if length == NO_TEXT else self.text(length)
        plies, visited = self.count(), self.count()

        game = RecordedGame(
            seed,
            start,
            result,
            actions=self._array(np.uint32, plies),
            values=self._array(np.float32, plies),
            kinds=self._array(np.uint8, plies),
            counts=self._array(np.uint32, plies),
            visited=self._array(np.uint32, visited),
            visits=self._array(np.uint32, visited),
        )
        if not abs(result) <= 1 or not (abs(game.values) <= 1).all():
            raise ValueError("a result or a value is not in [-1, 1]")
        if int(game.counts.sum()) != visited:
            raise ValueError(f"it has visits of {visited} moves instead of {int(game.counts.sum())}")
        return game
