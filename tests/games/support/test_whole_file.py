"""A file is replaced as a whole or not at all."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from playout.games.support.whole_file import write_whole

from ...test_imports import FOLDERS


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
    with pytest.raises(OSError, match="No space left on device"):
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


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(file)
    write_whole(link, b"one")
    assert link.is_symlink()
    assert file.read_bytes() == b"one"


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    write_whole(Path(os.devnull), b"one")
    assert not Path(os.devnull).is_file()
    with pytest.raises(OSError, match="No space left"):
        write_whole(Path("/dev/full"), b"one")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"one")


WAYS = {
    "arena/drivers/guardian.py": "the null device",
    "arena/drivers/process.py": "no file: the modes of pipes",
    "arena/report/records.py": "appends a game; the file is written anew from the store at each start",
    "arena/store/lock.py": "an empty file that is held",
    "arena/store/store.py": "SQLite, which writes in transactions",
    "books/store/file.py": "SQLite, which writes in transactions",
    "cli/main.py": "the null device",
    "engine/exact/bearoff.py": "within the one way, which it enters before the solver works",
    "engine/learning/cluster/work.py": "a temporary file of the worker",
    "engine/learning/data/scores.py": "appends lines, of which a half one at the end is cut off before it goes on",
    "engine/learning/data/joined.py": "appends frames with checksums, as records/writer.rs does",
    "engine/experiments/heuristics.py": "appends a line to a table, so that an interrupted run resumes",
    "engine/learning/records/games.rs": "no file: a pattern that reads like one",
    "engine/learning/records/writer.rs": "appends frames with checksums, of which a reader drops a broken last one",
    "engine/search/save.rs": "the same way in Rust",
    "games/support/log_file.py": "appends lines to a log",
    "games/support/whole_file.py": "the one way",
}
"""Files that open others for writing, with the way."""
WRITES = re.compile(
    r"""open\([^)]*["'][rwaxb]*[wax+][rwaxb+]*["']|write_text\(|write_bytes\(|O_WRONLY|O_RDWR|mkstemp|NamedTemporaryFile"""
    r"""|sqlite3\.connect\(|File::create|fs::write|OpenOptions"""
)
TESTS = re.compile(r"/tests/|/tests\.rs$|_tests\.rs$|/invariants\.rs$")


def test_no_file_is_written_in_another_way() -> None:
    root = Path(__file__).parents[3]
    modules = [file for folder in FOLDERS for ending in ("py", "rs") for file in (root / folder).rglob(f"*.{ending}")]
    names = {file: file.relative_to(root).as_posix() for file in modules}
    found = {name for file, name in names.items() if not TESTS.search(name) and WRITES.search(file.read_text("utf-8"))}
    assert found == set(WAYS)
