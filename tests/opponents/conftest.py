"""What the tests with clocks share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from playout.engine.experiments.witness import Witness


@pytest.fixture(scope="session")
def witness() -> Iterator[Witness]:
    """Sees when the machine stands still: that time is nobody's fault."""
    witness = Witness()
    yield witness
    witness.close()
