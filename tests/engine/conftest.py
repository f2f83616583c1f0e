"""Fixtures of the tests with books of words."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from playout.books import formats

from .known.book_desk import OPENED, Desk, Words


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the format of ``Words`` under .words."""
    OPENED.clear()
    module = types.ModuleType("words")
    module.open_book = Words  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "words_of_test", module)
    info = formats.FormatInfo("words", (".words",), "words_of_test")
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, info))


@pytest.fixture
def desk(words: None) -> Iterator[Any]:
    """Makes desks, and closes them."""
    made: list[Desk] = []

    def make(game: str = "tic_tac_toe", **options: Any) -> Desk:
        made.append(Desk(game, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()
