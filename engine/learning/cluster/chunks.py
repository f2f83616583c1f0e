"""Chunks of the games of a file of records: those that are missing, and those that workers deliver in any order.

The file has the first games without a gap. Chunks that come before their turn wait in a folder beside the file, each in
a file whose name says which games it has, so that a driver that was killed loses only the chunks under way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from playout.engine.learning.data.joined import JoinedFile, folder_of_chunks
from playout.games.errors import PlayoutError
from playout.games.nearest import unusable
from playout.games.support.whole_file import write_whole


@dataclass(frozen=True, slots=True, order=True)
class Chunk:
    """Games of a file by their numbers, which count from 0: ``first`` to ``last`` - 1."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    def __str__(self) -> str:
        return f"games {self.first + 1} to {self.last}"


class Collection:
    """The games of a file, as far as they have been delivered."""

    def __init__(self, path: Path, games: int, key: str) -> None:
        """``path`` is a file of records, whole, that is to get ``games`` games. ``key`` stands for all that the games
        depend on, beside their numbers: chunks that were left under another key are not taken up.

        Raises:
            PlayoutError: if the file or the folder beside it cannot be used.
        """
        self._file, self._games, self._key = JoinedFile(path), games, key
        self._folder = folder_of_chunks(path)
        try:
            self._folder.mkdir(exist_ok=True)
            self._waiting = self._found()
        except OSError as error:
            raise PlayoutError(unusable(self._folder, error)) from error
        self._settle()

    @property
    def done(self) -> int:
        """Number of games that are here."""
        return self._file.games + sum(map(len, self._waiting))

    @property
    def lacking(self) -> int:
        """Number of games that are not here."""
        return max(0, self._games - self.done)

    def missing(self, most: int) -> list[Chunk]:
        """Returns the games that are not here, in chunks of at most ``most``."""
        gaps, begin = [], self._file.games
        for chunk in [*sorted(self._waiting), Chunk(self._games, self._games)]:
            gaps.append(Chunk(begin, chunk.first))
            begin = chunk.last
        return [Chunk(first, min(first + most, gap.last)) for gap in gaps for first in range(gap.first, gap.last, most)]

    def take(self, chunk: Chunk, data: bytes) -> bool:
        """Keeps a chunk, the bytes of a file of records; returns False if any of its games is here already.

        Raises:
            PlayoutError: if the bytes are not those of the chunk, or cannot be written.
        """
        if self._has(chunk):
            return False
        if chunk.first == self._file.games:
            self._file.add(data, len(chunk), str(chunk))
            self._settle()
        else:
            path = self._path(chunk)
            try:
                write_whole(path, data)
            except OSError as error:
                raise PlayoutError(unusable(path, error)) from error
            self._waiting.add(chunk)
        return True

    def close(self) -> None:
        """Removes the folder beside the file if no chunk waits there."""
        if not self._waiting:
            for path in self._folder.iterdir():
                path.unlink()
            self._folder.rmdir()

    def _has(self, chunk: Chunk) -> bool:
        return chunk.first < self._file.games or any(
            chunk.first < one.last and one.first < chunk.last for one in self._waiting
        )

    def _path(self, chunk: Chunk) -> Path:
        return self._folder / f"{chunk.first:07}-{chunk.last:07}-{self._key}.records"

    def _found(self) -> set[Chunk]:
        """The chunks that an earlier driver left, without those of which the file has a part."""
        found = set()
        for path in self._folder.iterdir():
            name = re.fullmatch(rf"(\d+)-(\d+)-{self._key}\.records", path.name)
            chunk = Chunk(int(name[1]), int(name[2])) if name else None
            if chunk is not None and self._file.games <= chunk.first < chunk.last <= self._games:
                found.add(chunk)
        return found

    def _settle(self) -> None:
        """Moves the chunks whose turn has come into the file."""
        for chunk in sorted(self._waiting):
            if chunk.first != self._file.games:
                break
            path = self._path(chunk)
            try:
                self._file.add(path.read_bytes(), len(chunk), str(path))
                self._waiting.remove(chunk)
                path.unlink()
            except OSError as error:
                raise PlayoutError(unusable(path, error)) from error
