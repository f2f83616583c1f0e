"""Tests of the drivers. Some run programs in processes of their own, and none may outlive its test."""

from __future__ import annotations

import contextlib
import os
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.arena.drivers import gnubg, gtp, process, ubgi, universal, xboard

from ...patience import PATIENCE

STARTERS = {"token", "running"}
"""Fixtures of the tests that start programs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of this folder that start programs."""
    for item in items:
        if Path(__file__).parent in item.path.parents and STARTERS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("opponents")


def processes(token: str) -> list[int]:
    """The numbers of the processes that have ``token`` in their command lines."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if token.encode() in words:
                found.append(int(folder.name))
    return found


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine may need longer to start a program, or to notice its end, than an arena waits for that.

    An engine that ignores ``quit`` is not waited for: tests of polite ends set their own time.
    """
    for module in (gnubg, gtp, ubgi, universal, xboard):
        monkeypatch.setattr(module, "PATIENCE", PATIENCE)
    monkeypatch.setattr(process, "VERDICT", PATIENCE)
    monkeypatch.setattr(process, "FAREWELL", 0.1)
    monkeypatch.setattr(gnubg, "VERDICT", PATIENCE)
    monkeypatch.setattr(xboard, "SILENCE", PATIENCE)


@pytest.fixture
def token() -> Iterator[str]:
    """A word for the command lines of the test's engines. The test fails if one of their processes stays."""
    token = f"token-{uuid.uuid4().hex}"
    yield token
    left = processes(token)
    for number in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    assert left == []
