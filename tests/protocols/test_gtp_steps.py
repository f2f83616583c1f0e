"""GTP played click by click, as GoGui plays games whose moves need several points."""

from __future__ import annotations

import random
from typing import Any

import pytest

from playout.games.game import CHANCE, HasSteps
from playout.games.registry import load
from playout.protocols.gtp import Gtp
from playout.protocols.gtp_steps import StepBoard, vertex

from .fake_session import FakeSession
from .test_gtp import Controller


@pytest.mark.parametrize("name", ["chess", "chess:chess960=true,position=5", "backgammon"])
def test_random_clicks_make_legal_moves_up_to_the_end(name: str) -> None:
    session: Any = FakeSession(load(name))
    board = StepBoard(session)
    board.begin_clicks()
    rng = random.Random(name)
    for _ in range(900 if name == "backgammon" else 500):
        choices = board.choices()
        if not choices:
            break
        board.click(max(board.mover or 0, 0), rng.choice(choices))
    print(name, board._length, board.over)
