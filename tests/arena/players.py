"""Engines of the tests that need no process: they play what they were told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Scene, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.terms.job import Job, Opening, Player
from playout.arena.terms.pace import Pace
from playout.games.game import Game

Reply = str | Answer | Fault
"""A move, a whole answer, or a failure."""


def answer(move: str, seconds: float = 0.0, centipawns: int | None = None) -> Answer:
    """An answer with its time and score."""
    return Answer(move, seconds, 0.0, Thought(centipawns))


class ScriptedDriver:
    """Gives the answers of ``script``, one after another; a function chooses by the position."""

    def __init__(self, script: Sequence[Reply] | Callable[[Scene], Reply], begin: Fault | None = None) -> None:
        self.name = "scripted"
        self.remarks: list[str] = []
        self.begun: list[tuple[str | None, bool, int]] = []
        self.faces: list[ClockFace] = []
        self.limits: list[float] = []
        self.finished: list[float | None] = []
        self.closed = 0
        self._script, self._begin = script, begin
        self._next = 0

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        self.begun.append((start, afresh, seed))
        if self._begin is not None:
            raise self._begin

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        self.faces.append(clocks[scene.player])
        self.limits.append(limit)
        if callable(self._script):
            reply = self._script(scene)
        else:
            reply = self._script[self._next] if self._next < len(self._script) else RESIGN
            self._next += 1
        if isinstance(reply, Fault):
            raise reply
        return answer(reply) if isinstance(reply, str) else reply

    def finish(self, result: float | None) -> None:
        self.finished.append(result)

    def close(self) -> None:
        self.closed += 1


def job(game: str = "tic_tac_toe", *, moves: Sequence[str] = (), pace: Pace | None = None, **fields: Any) -> Job:
    """A pair of games between ``one`` and ``two``."""
    wanted = pace or Pace(nodes=1)
    players = (Player(name="one", pace=wanted, protocol="inside"), Player(name="two", pace=wanted, protocol="inside"))
    return Job(**{"id": "e/1/1", "game": game, "players": players, "opening": Opening(moves=tuple(moves)), **fields})
