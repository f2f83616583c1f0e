"""Fixtures for all tests of commands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from playout.cli.console import console


@pytest.fixture(autouse=True)
def fresh_console() -> Iterator[None]:
    """The console of a command writes to the standard output of its own test."""
    console.cache_clear()
    yield
    console.cache_clear()
