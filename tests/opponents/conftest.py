"""The tests with real programs on the other side: their marker, and what those with clocks share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.arena.play.witness import Witness

from ..needs import program

collect_ignore = [
    f"uci/{file}"
    for name, file in (("cutechess-cli", "test_cutechess.py"), ("fastchess", "test_fastchess.py"))
    if program(name) is None
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("opponents")


@pytest.fixture(scope="session")
def witness() -> Iterator[Witness]:
    """Measures the time for which the machine stands still, which counts against neither side."""
    witness = Witness()
    yield witness
    witness.close()
