"""The table of protocols."""

from __future__ import annotations

from typing import get_args

import pytest

from playout.arena.drivers.inside import InsideDriver
from playout.arena.drivers.table import start
from playout.arena.terms.job import ProtocolName
from playout.games import catalogue
from playout.games.errors import PlayoutError

from .playing import FEW, UNBOUNDED, play, player


@pytest.mark.parametrize("protocol", sorted({*get_args(ProtocolName)} - {"inside"}))
def test_every_protocol_has_a_driver(protocol: str) -> None:
    """It starts the program, which is not there."""
    game = catalogue.load("backgammon" if protocol in ("ubgi", "gnubg") else "chess")
    with pytest.raises(PlayoutError, match="no-such-engine: no such program on the path"):
        start(player(["no-such-engine"], protocol, UNBOUNDED), game)


def test_playout_inside_the_process() -> None:
    game = catalogue.load("tic_tac_toe")
    driver = start(player([], "inside"), game)
    assert isinstance(driver, InsideDriver)
    try:
        assert play(game, (driver, driver), pace=FEW).board.result is not None
    finally:
        driver.close()
