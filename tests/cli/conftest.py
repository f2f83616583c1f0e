"""Fixtures for all tests of commands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import typer.main

from playout.cli import app
from playout.cli.console import console

make_app = cache(app.make_app)
get_command = cache(typer.main.get_command)


@pytest.fixture(autouse=True)
def one_application(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands are made once: that takes a tenth of a second, and no run changes them."""
    monkeypatch.setattr(app, "make_app", make_app)
    monkeypatch.setattr(typer.main, "get_command", get_command)


@pytest.fixture(autouse=True)
def fresh_console() -> Iterator[None]:
    """The console of a command writes to the standard output of its own test."""
    console.cache_clear()
    yield
    console.cache_clear()
