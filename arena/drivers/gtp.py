"""Engines that speak GTP."""

from __future__ import annotations

import time
from typing import Any

from playout.arena.drivers.asking import Words, ask
from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.follower import Follower
from playout.arena.drivers.process import process_of
from playout.arena.drivers.response import body, read_response
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.games.board_hooks import HasPoints, HasStones, HasTerritory
from playout.games.errors import PlayoutError
from playout.games.game import Game, HasStateText, action_to_text
from playout.protocols.base.lines import one_line

PATIENCE = 60.0
"""Seconds for an answer to any command but ``genmove``."""
ORDER = Words(never="no answer to genmove in {}", late="an answer to genmove only after {}")
COLOURS = "bw"
SETTERS = ("playout-set_option", "kata-set-param")
"""Commands that set an option by name and value, of the engines that have one; GTP itself has none."""
KGS, FINE = "kgs-time_settings", "kata-time_settings"
"""Commands for byo-yomi with several periods, and for increments; engines that have the latter read fractions."""


class GtpDriver:
    """Drives one engine. See ``Driver``. Player 0 is Black."""

    def __init__(self, player: Player, game: Game[Any, Any]) -> None:
        """Starts the engine and sets its options.

        Raises:
            PlayoutError: if there is no such program, or it has no command for an option or the pace.
            Fault: if it does not speak the protocol.
        """
        self.name = player.name
        self.remarks: list[str] = []
        self._player = player
        self._sent = 0
        self._last = ""
        self._process = process_of(player, game.name)
        try:
            self._introduce()
        except BaseException:
            self._process.close()
            raise

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        self._sent = 0
        self._follower = Follower(game, start)
        if isinstance(game, HasPoints):
            square = game.columns == game.rows
            self._do(f"boardsize {game.columns}" if square else f"rectangular_boardsize {game.columns} {game.rows}")
        self._do("clear_board")
        if isinstance(game, HasTerritory):
            self._do(f"komi {game.komi:g}")
        if start is not None:
            self._set_up(game, start)
        if (settings := self._time_settings(pace)) is not None:
            self._do(settings)

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        state = self._follower.before(scene.moves, len(scene.moves))
        self._see(scene)
        for player, face in enumerate(clocks):
            if face.left is not None:
                self._tell_time(player, face.left, face)
        self._drop_unasked()
        self._last = ""
        order = f"genmove {COLOURS[scene.player]}\n"
        reply, seconds, began = ask(self._process, order, limit, grace, ORDER, self._reply, lambda: self._last)
        if not reply.startswith("="):
            raise Fault(End.GARBAGE, f"genmove: {one_line(reply, 80)}")
        move = body(reply)
        if move.lower() != RESIGN:
            self._sent = len(scene.moves) + 1  # GTP: the engine has played its move itself
            move = self._follower.written(state, move)
        return Answer(RESIGN if move.lower() == RESIGN else move, seconds, began)

    def finish(self, result: float | None) -> None:
        """Does nothing: the next ``clear_board`` says that this game is over."""

    def close(self) -> None:
        self._process.close("quit\n")

    def _introduce(self) -> None:
        self.name = one_line(f"{self._do('name')} {self._do('version')}".strip(), 100)
        self._known = set(self._do("list_commands").split())
        setter = next((one for one in SETTERS if one in self._known), None)
        for option, value in self._player.options.items():
            if setter is None:
                raise PlayoutError(
                    f"{self._player.name}: option {option!r}: GTP has no options; use its command line or `commands`"
                )
            text = str(value).lower() if isinstance(value, bool) else str(value)
            answer = self._ask(f"{setter} {option} {text}")
            if not answer.startswith("="):
                raise PlayoutError(f"{self._player.name}: option {option!r}: {body(answer)}")
        for line in self._player.commands:
            self._do(line)
        if self._player.pace.nodes is not None or self._player.pace.depth is not None:
            raise PlayoutError(
                f"{self._player.name}: GTP has no limits of nodes or depth; use its options, command line or `commands`"
            )
        self._time_settings(self._player.pace)

    def _set_up(self, game: Game[Any, Any], start: str) -> None:
        if not isinstance(game, HasStones) or not isinstance(game, HasStateText):
            raise PlayoutError(f"{game.name}: GTP cannot set up the position {start!r}")
        empty = game.initial_state()
        for player, points in enumerate(game.stones(game.state_from_text(start))):
            for point in sorted(points):
                self._do(f"play {COLOURS[player]} {action_to_text(game, empty, point)}")

    def _see(self, scene: Scene) -> None:
        """Plays the moves that the engine has not seen; the players alternate, the last one was the opponent."""
        for number in range(self._sent, len(scene.moves)):
            player = (scene.player + len(scene.moves) - number) % 2
            self._do(f"play {COLOURS[player]} {scene.moves[number]}")
        self._sent = len(scene.moves)

    def _tell_time(self, player: int, left: float, face: ClockFace) -> None:
        if "time_left" in self._known:
            # Without KGS's command the engine was told one period of one move, again and again.
            periods = face.periods if KGS in self._known else min(1, face.periods)
            self._do(f"time_left {COLOURS[player]} {max(0, int(left))} {face.moves or periods}")

    def _time_settings(self, pace: Pace) -> str | None:
        """Returns the command for a time control; None without one, or if the protocol cannot say it: GTP counts whole
        seconds, so that a time for each move of less than 1 s is the referee's alone.

        Raises:
            PlayoutError: if the engine or the protocol lacks it.
        """
        if pace.movetime is not None:
            if FINE in self._known:  # such engines read fractions
                return f"time_settings 0 {pace.movetime:g} 1"
            return f"time_settings 0 {int(pace.movetime)} 1" if pace.movetime >= 1 else None
        if pace.time is None:
            return None
        if pace.moves is not None and pace.increment:
            raise PlayoutError(f"{self._player.name}: time control {pace}: GTP has either moves or an increment")
        if pace.periods:
            if KGS in self._known:
                return f"kgs-time_settings byoyomi {pace.time:g} {pace.period:g} {pace.periods}"
            return f"time_settings {pace.time:g} {pace.period:g} 1"
        if pace.increment:
            if FINE in self._known:
                return f"kata-time_settings fischer {pace.time:g} {pace.increment:g}"
            raise PlayoutError(f"{self._player.name}: time control {pace}: this GTP engine knows no increments")
        if pace.moves is not None:
            return f"time_settings 0 {pace.time:g} {pace.moves}"
        return f"time_settings {pace.time:g} 0 0"

    def _do(self, command: str) -> str:
        """Sends a command that must succeed; returns the text of its answer.

        Raises:
            Fault: if it fails.
        """
        answer = self._ask(command)
        if not answer.startswith("="):
            raise Fault(End.GARBAGE, f"{command}: {one_line(answer, 80)}")
        return body(answer)

    def _drop_unasked(self) -> None:
        """Takes what the engine has written unasked, which could pass for the answer to the next command."""
        if lines := [line for line in self._process.waiting() if line.strip()]:
            self.remarks.append(f"{self._player.name}: output that nobody asked for: {one_line(lines[0], 80)}")

    def _ask(self, command: str) -> str:
        self._drop_unasked()
        deadline = time.monotonic() + PATIENCE
        self._process.send(f"{command}\n", deadline)
        answer = self._reply(deadline)
        if answer is None:
            raise Fault(End.HANG, f"no answer to {command} in {PATIENCE:g} s")
        return answer

    def _reply(self, deadline: float) -> str | None:
        return read_response(self._process, deadline, self._hear)

    def _hear(self, line: str) -> None:
        self._last = line
