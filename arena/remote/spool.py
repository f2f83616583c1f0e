"""The spool: a folder in which a worker keeps the games that are not acknowledged.

Workers of one machine share a folder; each has a subfolder, which it holds by a lock. Games of a worker that has ended
without delivering them are delivered by the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Iterator
from pathlib import Path

import msgspec

from playout.arena.remote.messages import Done
from playout.arena.store.lock import hold, hold_if_free
from playout.games.errors import PlayoutError
from playout.games.support.whole_file import write_whole

LOCK = "lock"


class Spool:
    """The subfolder of one worker. A context manager: leaving it removes the subfolder if it is empty."""

    def __init__(self, folder: Path) -> None:
        """Makes a subfolder of ``folder``, and takes the games that abandoned ones have.

        Raises:
            PlayoutError: if they cannot be read or made.
        """
        self._folder = folder
        self._own = folder / secrets.token_hex(8)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Two that start at once would otherwise take each other's new subfolder for an abandoned one.
            with hold(folder / LOCK):
                self._own.mkdir()
                self._lock = hold(self._own / LOCK)
                for other in sorted(folder.iterdir()):
                    if other.is_dir() and other != self._own:
                        self._inherit(other)
        except OSError as error:
            raise self._error(error) from error

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the subfolder up; games that are left in it are for the next worker."""
        empty = not any(self._own.glob("*.json"))
        self._lock.release()
        if empty:
            _remove(self._own)

    def games(self) -> Iterator[Done]:
        """Yields the games that are not acknowledged.

        Raises:
            PlayoutError: if one cannot be read.
        """
        for path in sorted(self._own.glob("*.json")):
            try:
                yield msgspec.json.decode(path.read_bytes(), type=Done)
            except (OSError, msgspec.DecodeError) as error:
                raise PlayoutError(f"{path}: {error}") from error

    def put(self, message: Done) -> None:
        """Writes a game.

        Raises:
            PlayoutError: if it cannot be written.
        """
        try:
            write_whole(self._path(message.cup, message.played.id), msgspec.json.encode(message))
        except OSError as error:
            raise self._error(error) from error

    def drop(self, cup: str, game: str) -> None:
        """Removes a game."""
        self._path(cup, game).unlink(missing_ok=True)

    def _inherit(self, other: Path) -> None:
        """Takes the games of a subfolder that no worker holds."""
        try:
            lock = hold_if_free(other / LOCK)
        except OSError:
            return  # its owner has just removed it
        if lock is None:
            return
        with lock:
            for path in _games(other):
                path.rename(self._own / path.name)
            _remove(other)

    def _path(self, cup: str, game: str) -> Path:
        return self._own / f"{hashlib.sha256(f'{cup} {game}'.encode()).hexdigest()[:24]}.json"

    def _error(self, error: OSError) -> PlayoutError:
        return PlayoutError(f"{self._folder}: {error.strerror or error}")


def _games(folder: Path) -> list[Path]:
    """Returns the games of a subfolder; none if its owner, who had let go of it, has removed it."""
    try:
        return list(folder.glob("*.json"))
    except FileNotFoundError:
        return []


def _remove(folder: Path) -> None:
    """Removes a subfolder without games."""
    with contextlib.suppress(OSError):
        (folder / LOCK).unlink(missing_ok=True)
        folder.rmdir()
