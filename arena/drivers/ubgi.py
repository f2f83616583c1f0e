"""Engines that speak UBGI, the Universal Backgammon Interface: versions 0.1 and 0.2, for money without the cube."""

from __future__ import annotations

import math
import time
from itertools import pairwise
from typing import Any

from playout.arena.drivers.asking import ask
from playout.arena.drivers.driver import Answer, ClockFace, Scene, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.follower import Follower
from playout.arena.drivers.process import process_of
from playout.arena.drivers.universal import ORDER, setting_lines
from playout.arena.drivers.untold import has_more
from playout.arena.drivers.whole import DIGITS
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.engine.options.table import SHOW_ALL
from playout.games.backgammon import Backgammon, State
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.games.support.backgammon.position_id import position_id
from playout.protocols.base.centipawns import centipawns
from playout.protocols.base.lines import one_line

PATIENCE = 60.0
"""Seconds for an engine to start, or to get ready for a game."""


class UbgiDriver:
    """Drives one engine. See ``Driver``. Each order has the whole position, the player to move first."""

    def __init__(self, player: Player, game: Game[Any, Any]) -> None:
        """Starts the engine and sets its options.

        Raises:
            PlayoutError: if there is no such program, it lacks an option, or the protocol lacks the game or the pace.
            Fault: if it does not speak the protocol.
        """
        if not isinstance(game, Backgammon):
            raise PlayoutError(f"{player.name}: UBGI is for backgammon, not for {game.name}")
        if player.pace.time is not None:
            raise PlayoutError(
                f"{player.name}: time control {player.pace}: UBGI has no clock, only a time for each move"
            )
        self.name = player.name
        self.remarks: list[str] = []
        self._player, self._game = player, game
        self._role = "role chequer"
        self._process = process_of(player, game.name)
        try:
            self._introduce()
        except BaseException:
            self._process.close()
            raise

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        self._follower = Follower(game, start)
        self._note(self._process.waiting())
        self._ready("newgame\n" if afresh else "")

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        state: State = self._follower.before(scene.moves, len(scene.moves))
        assert state.dice is not None
        ident = position_id(state.checkers[scene.player], state.checkers[1 - scene.player])
        high, low = state.dice
        order = f"position gnubgid {ident}\ndice {high} {low}\ngo {self._role}{bounds(clocks[scene.player].pace)}\n"
        self._note(self._process.waiting())
        self._info = self._last = ""
        play, seconds, began = ask(self._process, order, limit, grace, ORDER, self._best, lambda: self._last)
        thought = thought_of(self._info, self._game.points_scale)
        return Answer(self._follower.written(state, play), seconds, began, thought)

    def finish(self, result: float | None) -> None:
        """Does nothing: the protocol has no word for the end of a game."""

    def close(self) -> None:
        self._process.close("quit\n")

    def _best(self, deadline: float) -> str | None:
        """Returns the play of ``bestmove``; None if none came in time. Notes the last line and the last account."""
        while (line := self._process.line(deadline)) is not None:
            words = line.split(None, 1)
            match words[0] if words else "":
                case "info":
                    if " nodes " in line:
                        self._info = line
                case "bestmove":
                    return words[1].strip() if len(words) > 1 else ""
                case "error":
                    raise Fault(End.GARBAGE, f"it refuses what is legal: {one_line(line, 120)}")
            self._last = line
        return None

    def _introduce(self) -> None:
        options, keys = self._told("")
        if has_more(options.keys() | keys.keys(), self._player.options):
            options, keys = self._told(f"setoption name {SHOW_ALL} value true\n")
        lines = []
        wanted = dict(self._player.options)
        for option in [option for option in wanted if option.lower() in keys.keys() - options.keys()]:
            value = wanted.pop(option)
            lines.append(f"set {keys[option.lower()]} {str(value).lower() if isinstance(value, bool) else value}\n")
        lines += setting_lines(wanted, options, self._player.name)
        self._ready("".join(lines) + "".join(f"{line}\n" for line in self._player.commands))

    def _told(self, before: str) -> tuple[dict[str, str], dict[str, str]]:
        """Sends ``before`` and asks the engine who it is. Returns the names of the options and of the keys that it
        tells, by lower case."""
        deadline = time.monotonic() + PATIENCE
        options: dict[str, str] = {}
        keys: dict[str, str] = {}
        named: dict[str, str] = {}
        self._process.send(f"{before}ubgi\n", deadline)
        while (line := self._process.line(deadline)) is None or line.strip() != "ubgiok":
            if line is None:
                raise Fault(End.HANG, f"no ubgiok {PATIENCE:g} s after ubgi")
            word, _, rest = line.partition(" ")
            if word == "id":
                kind, _, named[kind] = rest.partition(" ")
            elif rest.startswith("name ") and word == "option":
                name = rest[5:].partition(" type ")[0].strip()
                options[name.lower()] = name
            elif word == "key" and rest:
                keys[rest.split()[0].lower()] = rest.split()[0]
            elif line.strip() == "proto 0.2":
                self._role = "chequer"
        self.name = one_line(f"{named.get('name', self.name)} {named.get('version', '')}".strip(), 100)
        return options, keys

    def _ready(self, before: str) -> None:
        deadline = time.monotonic() + PATIENCE
        self._process.send(f"{before}isready\n", deadline)
        while (line := self._process.line(deadline)) is None or line.strip() != "readyok":
            if line is None:
                raise Fault(End.HANG, f"no readyok {PATIENCE:g} s after isready")
            if line.startswith("error"):
                raise Fault(End.GARBAGE, f"it refuses an order: {one_line(line, 120)}")
            self._note([line])

    def _note(self, lines: list[str]) -> None:
        for line in lines:
            if line.startswith("bestmove"):
                self.remarks.append(f"{self._player.name}: a bestmove that nobody asked for: {one_line(line, 80)}")


def bounds(pace: Pace) -> str:
    """Returns the words of ``go`` for the bounds of a move."""
    words = ""
    if pace.movetime is not None:
        words += f" movetime {round(1000 * pace.movetime)}"
    if pace.depth is not None:
        words += f" depth {pace.depth}"
    if pace.nodes is not None:
        words += f" nodes {pace.nodes}"
    return words


def thought_of(line: str, scale: int) -> Thought:
    """Returns what an ``info`` line says; its equity is in points, of which ``scale`` are a result of 1."""
    found: dict[str, float] = {}
    for key, value in pairwise(line.split()):
        if key == "pv":
            break
        if key in ("eq", "depth", "nodes"):
            try:
                number = float(value)
            except ValueError:
                continue
            if math.isfinite(number) and abs(number) < 10**DIGITS:
                found[key] = number
    score = centipawns(found["eq"] / scale) if "eq" in found else None
    depth, nodes = (int(found[key]) if key in found else None for key in ("depth", "nodes"))
    return Thought(score, None, depth, nodes)
