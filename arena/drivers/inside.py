"""playout itself as a player, inside the arena's process: no pipes, and every option of the engine."""

from __future__ import annotations

import time
from typing import Any

from playout import Engine
from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Scene, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.engine.terms.limits import Clock
from playout.games.errors import BadOption, PlayoutError
from playout.games.game import Game
from playout.games.nearest import nearest
from playout.protocols.base.centipawns import centipawns

SEED = "seed"


class InsideDriver:
    """Drives a session of this process. See ``Driver``.

    Books are off unless the options say otherwise: in a tournament the openings are the arena's.
    """

    def __init__(self, player: Player, game: Game[Any, Any]) -> None:
        """Makes the engine.

        Raises:
            PlayoutError: if there is no such option, or a value is wrong.
        """
        self.name = player.name
        self.remarks: list[str] = []
        self._engine = Engine(game, own_book=False)
        self._seeded = any(name.lower() == SEED for name in player.options)
        try:
            for name, value in player.options.items():
                text = str(value).lower() if isinstance(value, bool) else str(value)
                self._set(player.name, name, text)
        except BaseException:
            self._engine.close()
            raise

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        if afresh:
            self._engine.new_game()
        if not self._seeded:
            self._engine.configure(seed=seed)

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        face = clocks[scene.player]
        engine, began = self._engine, time.monotonic()
        try:
            engine.set_position(scene.start, scene.moves)
            result = engine.think(
                seconds=face.pace.movetime, nodes=face.pace.nodes, depth=face.pace.depth, clock=clock_of(face)
            )
        except PlayoutError as error:
            raise Fault(End.CRASH, str(error)) from error
        seconds = time.monotonic() - began
        for remark in result.remarks:
            self.remarks.append(f"{self.name}: {remark}")
        score = None if result.value is None else centipawns(result.value)
        thought = Thought(score, None, round(result.depth), result.simulations)
        return Answer(RESIGN if result.move is None else result.move, seconds, began, thought)

    def finish(self, result: float | None) -> None:
        """Does nothing: the next game says that this one is over."""

    def close(self) -> None:
        self._engine.close()

    def _set(self, player: str, name: str, text: str) -> None:
        known = [option.name for option in self._engine.session.options.declared()]
        own = next((one for one in known if one.lower() == name.lower()), None)
        if own is None:
            raise BadOption(f"{player}: no option {name!r}{nearest(name, known)}")
        self._engine.set_option(own, text)


def clock_of(face: ClockFace) -> Clock | None:
    """Returns what the engine's clock is to show; None without a clock."""
    if face.left is None:
        return None
    pace = face.pace
    return Clock(
        face.left,
        pace.increment,
        face.moves,
        pace.period if pace.periods else 0.0,
        1,
        face.periods or pace.periods,
        in_overtime=bool(face.periods),
    )
