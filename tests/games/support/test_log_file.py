"""The log file: what is in it, and what happens where it cannot be written."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.games.errors import PlayoutError
from playout.games.support import log_file
from playout.games.support.log_file import READ, WRITTEN, log_lines, log_to

from ...needs import FULL_DISK

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} "
logger = logging.getLogger("playout.somewhere")


@pytest.fixture(autouse=True)
def no_file_is_left() -> Iterator[None]:
    yield
    log_to(None)


def test_lines_and_entries_have_their_times(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_text("earlier\n")
    log_lines(READ, ["before"])
    log_to(file)
    log_lines(READ, ["go nodes 1"])
    log_lines(WRITTEN, ["info x", "bestmove y"], "uci-3 127.0.0.1")
    logger.warning("take care")
    log_to(None)
    log_lines(READ, ["after"])
    logger.warning("after")
    first, *rest = file.read_text().splitlines()
    assert first == "earlier"
    assert all(re.match(TIME, line) for line in rest)
    assert [re.sub(TIME, "", line) for line in rest] == [
        ">> go nodes 1",
        "uci-3 127.0.0.1 << info x",
        "uci-3 127.0.0.1 << bestmove y",
        "WARNING MainThread playout.somewhere: take care",
    ]


def test_another_file_takes_the_place_of_the_first(tmp_path: Path) -> None:
    one, other = tmp_path / "1.log", tmp_path / "2.log"
    log_to(one)
    log_lines(READ, ["first"])
    log_to(other)
    log_to(other)
    log_lines(READ, ["second"])
    assert one.read_text().count("\n") == other.read_text().count("\n") == 1


def test_a_file_that_cannot_be_opened_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    log_to(file)
    with pytest.raises(PlayoutError, match=r"Is a directory$"):
        log_to(tmp_path)
    log_lines(READ, ["still here"])
    assert file.read_text().endswith(">> still here\n")


@FULL_DISK
def test_a_full_disk_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    log_to(Path("/dev/full"))
    for _ in range(3):
        log_lines(READ, ["go"])
    logger.warning("take care")
    assert [record.getMessage() for record in caplog.records if record.name == log_file.__name__] == [
        "/dev/full: No space left on device: entries of the log are lost"
    ]
