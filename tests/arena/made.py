"""Games and pairs that tests make."""

from __future__ import annotations

import msgspec

from playout.arena.play.referee import play
from playout.arena.report.standings import PairScore
from playout.arena.terms.job import Played
from playout.arena.terms.pace import Pace
from playout.games import catalogue

from .players import ScriptedDriver, answer, job


def chess_game(**fields: object) -> Played:
    """A short game of chess."""
    wanted = job("chess", moves=["e2e4"], pace=Pace(time=10.0, increment=0.1), id="cup/1/1")
    drivers = ScriptedDriver([answer("g1f3", 1.5, 31), "resign"]), ScriptedDriver([answer("e7e5", 0.25, -20), "b8c6"])
    return msgspec.structs.replace(play(catalogue.load("chess"), wanted, 0, drivers), **fields)


def pair(first: int, second: int, *results: float, games: int = 2) -> PairScore:
    return PairScore(first, second, results, len(results) == games, games)
