"""GNU Backgammon as a player, by its external interface; for money without the cube."""

from __future__ import annotations

import time
from typing import Any

from playout.arena.drivers.driver import Answer, ClockFace, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.follower import Follower
from playout.arena.drivers.process import VERDICT, EngineProcess
from playout.arena.drivers.whole import whole
from playout.arena.terms.end import End
from playout.arena.terms.job import OptionValue, Player
from playout.arena.terms.pace import Pace
from playout.games.backgammon import Backgammon, State
from playout.games.errors import PlayoutError, ProtocolError
from playout.games.game import Game
from playout.games.nearest import nearest
from playout.games.support.backgammon.setup import Match, Setup
from playout.protocols.backgammon.gnubg_client import GnubgClient, GnubgLaunch, NoAnswer

PATIENCE = 60.0
"""Seconds for the program to start."""
PLIES = "plies"
"""The only option: the depth of its evaluations, counted from 0."""


class GnubgDriver:
    """Drives one program. See ``Driver``."""

    def __init__(self, player: Player, game: Game[Any, Any]) -> None:
        """Starts the program. ``player.command`` is its path; empty for the one that is installed.

        Raises:
            PlayoutError: if it is not installed or does not start, or there is no such game, option or pace.
        """
        if not isinstance(game, Backgammon):
            raise PlayoutError(f"{player.name}: GNU Backgammon plays backgammon, not {game.name}")
        if player.pace.nodes is not None or player.pace.depth is not None:
            raise PlayoutError(f"{player.name}: GNU Backgammon has no limits of nodes or depth; use the option {PLIES}")
        self.name = player.name
        self.remarks: list[str] = []
        self._client: GnubgClient | None = None
        program = player.command[0] if player.command else None
        self._launch = GnubgLaunch(plies_of(player), program=program, commands=player.commands)
        try:
            self._process = EngineProcess(self._launch.command, player.directory, self._launch.variables)
        except PlayoutError:
            self._launch.close()
            raise
        try:
            self._process.send(self._launch.input, time.monotonic() + PATIENCE)
            self._client = self._launch.connect(PATIENCE, self._check)
            self.name = f"GNU Backgammon {self._client.version().get('Software', '')}".strip()
        except BaseException:
            self.close()
            raise

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        self._follower = Follower(game, start)
        self._check()

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        assert self._client is not None
        state: State = self._follower.before(scene.moves, len(scene.moves))
        setup = Setup(state.checkers, Match(player=state.player, dice=state.dice))
        self._check()
        self._client.set_patience(limit + grace)
        began = time.monotonic()
        try:
            play = self._client.decide(setup)
        except NoAnswer as error:
            if isinstance(error.__cause__, TimeoutError):
                raise Fault(End.HANG, f"no play in {time.monotonic() - began:.3f} s", began) from error
            raise self._lost(str(error)) from error
        except ProtocolError as error:
            raise Fault(End.GARBAGE, str(error)) from error
        seconds = time.monotonic() - began
        if seconds > limit:
            raise Fault(End.TIME, f"a play only after {seconds:.3f} s", began)
        return Answer(self._follower.written(state, play), seconds, began)

    def finish(self, result: float | None) -> None:
        """Does nothing: each order has the whole position."""

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._process.close()
        self._launch.close()

    def _check(self) -> None:
        """Takes what the program has written for people; raises ``Fault`` if it has ended."""
        self._process.waiting()

    def _lost(self, reason: str) -> Fault:
        """Returns the fault for a lost connection: the end of the program, if it comes."""
        deadline = time.monotonic() + VERDICT
        try:
            while self._process.line(deadline) is not None:
                pass
        except Fault as fault:
            return fault
        return Fault(End.DISCONNECT, reason)


def plies_of(player: Player) -> int:
    """Returns the depth of evaluations that the options of ``player`` name; 0 without one.

    Raises:
        PlayoutError: if there is another option, or the value is no depth.
    """
    plies: OptionValue = 0
    for option, value in player.options.items():
        if option.lower() != PLIES:
            raise PlayoutError(f"{player.name}: no option {option!r}{nearest(option, [PLIES])}")
        plies = value
    number = whole(str(plies))
    if number is None or number < 0:
        raise PlayoutError(f"{player.name}: option {PLIES}: {plies!r} is not a whole number from 0")
    return number
