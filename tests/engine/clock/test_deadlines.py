"""The bounds of a move: the clock's, those of the limits, and those of the user's rights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from playout.engine.clock.deadlines import Deadlines
from playout.engine.terms.limits import Clock, Limits
from playout.engine.terms.rights import Rights
from playout.games import catalogue

from ..tasks import task_of

CHESS: Any = catalogue.load("chess")


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("limits", [Limits(movetime=900.0), Limits(clock=Clock(90000.0)), Limits(infinite=True)])
def test_no_move_is_expected_to_take_longer_than_the_user_may_search(limits: Limits, adaptive: str) -> None:
    task = replace(task_of(CHESS, limits=limits, AdaptiveTime=adaptive), rights=Rights(seconds=0.2))
    deadlines = Deadlines()
    soft, hard = deadlines.shares(task)
    assert hard == 0.2 and (soft is None or soft > 0.2)
    assert deadlines.expected_seconds(task) == 0.2


def test_a_shorter_limit_stays() -> None:
    task = replace(task_of(CHESS, limits=Limits(movetime=0.1)), rights=Rights(seconds=0.2))
    expected = Deadlines().expected_seconds(task)
    assert expected is not None and 0.08 < expected < 0.1
    assert Deadlines().expected_seconds(task_of(CHESS, limits=Limits(infinite=True))) is None
