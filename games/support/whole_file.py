"""Atomic replacement of files: a reader finds the old content or the new, and a crash leaves no mixture."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from playout.games.errors import PlayoutError
from playout.games.nearest import unusable


@contextmanager
def replacing(
    path: Path, locked: Callable[[Path], AbstractContextManager[object]] = nullcontext, *, synced: bool = True
) -> Iterator[Path]:
    """Yields the path of an empty file in the same folder, which replaces that at ``path`` if the block ends without an
    error. Links are followed; access rights stay. ``locked`` keeps other programs from writing during the exchange.
    A file that is not ``synced`` may be lost, whole, in a crash of the machine.

    A pipe or a device, such as /dev/stdout, is not replaced but yielded itself.

    Raises:
        OSError: if the file cannot be written; the old content is then intact.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        yield beside
        with beside.open("rb+") as file:
            if synced:
                os.fsync(file.fileno())
            if path.exists():
                os.fchmod(file.fileno(), path.stat().st_mode)
        with locked(path):
            beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    if synced:
        _sync_folder(path.parent)


def write_whole(path: Path, content: bytes, *, synced: bool = True) -> None:
    """Replaces the content of a file, as ``replacing`` does.

    Raises:
        OSError: if it cannot be written; the old content of a file is then intact.
    """
    with replacing(path, synced=synced) as beside:
        beside.write_bytes(content)


def read_text(path: Path) -> str:
    """Returns the content of a file that a user named.

    Raises:
        PlayoutError: one line with the file and the reason if it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PlayoutError(unusable(path, error)) from error
    except UnicodeError as error:
        raise PlayoutError(f"{path}: not UTF-8") from error


def save_text(path: Path, text: str) -> None:
    """Replaces the content of a file that a user named by ``text`` in UTF-8; see ``save``."""
    save(path, text.encode())


def save(path: Path, data: bytes) -> None:
    """Replaces the content of a file that a user named, as ``write_whole`` does.

    Raises:
        PlayoutError: one line with the file and the reason; the old content is then intact.
    """
    try:
        write_whole(path, data)
    except OSError as error:
        raise PlayoutError(unusable(path, error)) from error


def _sync_folder(folder: Path) -> None:
    """Makes sure that the new name is on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
