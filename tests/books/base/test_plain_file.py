"""Pipes, devices, folders and huge files in the place of a book: one line each, at once, whatever the format."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from playout.books import formats
from playout.books.base.plain_file import read_at_rest
from playout.books.formats import FORMATS
from playout.books.macros.macro import read_macros
from playout.games import catalogue
from playout.games.errors import BookError

from ...patience import PATIENCE

GAMES = {".sgf": "go:9", ".bearoff": "backgammon"}
MACROS = "macros.yaml"
NAMES = [*(f"book{suffix}" for info in FORMATS for suffix in info.suffixes), MACROS]
BETWEEN = " a pipe or a device, not a file"


def said(path: Path) -> str:
    """The error of a file that cannot be used."""
    game: Any = catalogue.load(GAMES.get(path.suffix, "chess"))
    with pytest.raises(BookError) as raised:
        (read_macros if path.name == MACROS else formats.open_book)(path, game)
    message = str(raised.value)
    assert str(path) in message and "\n" not in message
    return message


@pytest.mark.parametrize("name", NAMES)
def test_what_has_no_end_is_not_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    # Opening a pipe without a writer blocks, so the test would never end.
    waiting = threading.Timer(PATIENCE, lambda: os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK)))
    waiting.daemon = True
    waiting.start()
    assert said(path).endswith(BETWEEN)
    waiting.cancel()
    for device in ("/dev/zero", "/dev/full", "/dev/null"):
        path.unlink()
        path.symlink_to(device)
        assert said(path).endswith(BETWEEN)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_book(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    assert said(path).endswith("No such file or directory")
    path.write_bytes(b"")
    said(path)
    path.write_bytes(bytes(48))
    said(path)
    path.unlink()
    path.mkdir()
    said(path)
    said(tmp_path / ("a" * 300 + name)) if name != MACROS else None


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_two_gibibytes_is_refused_unread(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        os.truncate(file.fileno(), 2 * 2**30)
    monkeypatch.setattr(Path, "read_bytes", None)
    said(path)


def test_a_table_that_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "KRvK.rtbw")
    assert said(tmp_path).endswith(f"KRvK.rtbw:{BETWEEN}")


def test_a_file_that_is_written_over_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "book"
    path.write_bytes(b"old")
    read: list[bytes] = []

    def interrupted() -> bytes:
        read.append(path.read_bytes())
        if len(read) == 1:
            path.write_bytes(b"newer")
            raise BookError("half written")
        return read[-1]

    assert read_at_rest(path, interrupted) == b"newer"
    assert read == [b"old", b"newer"]

    def growing() -> bytes:
        path.write_bytes(path.read_bytes() + b"!")
        return b""

    with pytest.raises(BookError, match="another program is writing it"):
        read_at_rest(path, growing)
