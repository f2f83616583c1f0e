"""A file is replaced as a whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from playout.books.base.whole_file import write_whole
from playout.games.errors import BookError


def test_content_and_access_rights(tmp_path: Path) -> None:
    file = tmp_path / "book"
    write_whole(file, b"one")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~mask
    file.chmod(0o640)
    write_whole(file, b"two")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"two", 0o640)


def test_a_failure_leaves_the_old_content_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "book"
    write_whole(file, b"one")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BookError, match=r"book: No space left on device"):
        write_whole(file, b"two")
    assert file.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [file]


def test_a_reader_keeps_what_it_opened(tmp_path: Path) -> None:
    file = tmp_path / "book"
    write_whole(file, b"one" * 1000)
    with file.open("rb", buffering=0) as reader:
        assert reader.read(3) == b"one"
        write_whole(file, b"two" * 1000)
        assert reader.read() == b"one" * 999
