"""The rules that mate, where a clock bounds them; what they play stands in ``test_macros``."""

from __future__ import annotations

import threading
import time
from functools import cache
from typing import Any

import pytest

from playout.books.macros import mates
from playout.games import catalogue

from ...patience import PATIENCE


def test_a_table_of_mates_is_made_beside_a_move_that_has_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = catalogue.load("chess")
    state = game.state_from_text("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    gate = threading.Event()

    def slow(piece: int) -> mates.MateTable:
        assert gate.wait(PATIENCE)
        return made(piece)

    made = mates.MateTable
    monkeypatch.setattr(mates, "MateTable", slow)
    monkeypatch.setattr(mates, "_table", cache(mates._table.__wrapped__))
    rule = mates.rule("king and rook", game)
    soon = time.monotonic() + PATIENCE
    assert [rule.move(state, soon) for _ in range(3)] == [None] * 3
    gate.set()
    while rule.move(state, soon) is None:
        assert time.monotonic() < soon
    assert rule.move(state, soon) == rule.move(state)
