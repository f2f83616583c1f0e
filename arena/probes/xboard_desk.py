"""The desk for engines that speak XBoard's protocol: features, moves, thinking output."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

from playout.arena.drivers.features import Features
from playout.arena.probes.desk import Desk, shown
from playout.arena.probes.finding import NotApplicable, Wrong
from playout.games.errors import RAISED_BY_GAMES, PlayoutError
from playout.games.game import HasChess960, action_to_text, text_to_action

SILENCE = 2.0
"""Seconds after ``protover 2`` for an engine that does not say ``done=1``."""
RESULTS = ("1-0", "0-1", "1/2-1/2")
THOUGHT = re.compile(r"\s*\d+[^\d\s]?\s+[-+]?\d+\s+\d+\s+\d+(\s.*)?")


def is_move(line: str) -> bool:
    """Returns whether a line is the engine's move."""
    return line.split()[:1] == ["move"]


def is_thought(line: str) -> bool:
    """Returns whether a line is meant as thinking output: it begins with a number and is no result."""
    words = line.split(None, 1)
    return bool(words) and words[0][0].isdecimal() and words[0] not in RESULTS


class XBoardDesk(Desk):
    """One engine that speaks XBoard's protocol."""

    def __init__(self, command: Sequence[str], protocol: str, game: Any, patience: float) -> None:
        """Raises ``PlayoutError`` if the game is not chess."""
        super().__init__(command, protocol, game, patience)
        if not isinstance(game, HasChess960) or game.chess960:
            raise PlayoutError(f"--game {game.name}: the probes of XBoard's protocol are for chess")
        self.features = Features()
        self.feature_lines: list[str] = []
        """Lines of features as they came."""
        self._pings = 0

    def greet(self) -> None:
        self.features, self.feature_lines = Features(), []
        self.send("xboard", "protover 2")
        start = time.monotonic()
        until = start + min(SILENCE, self.patience)
        while not self.features.flag("done"):
            line = self.line(until)
            if line is None:
                break
            if line.split()[:1] == ["feature"]:
                self.feature_lines.append(line)
                self.write(self.features.read(line))
            if self.features.text("done") == "0":
                until = start + self.patience
        if self.features.text("done") == "0":
            raise Wrong(f"no feature done=1 {self.patience:g} s after done=0")
        if not self.feature_lines:  # an engine of version 1 of the protocol, or none at all
            self.send("new", "st 1", "sd 1", "go")
            self.until(is_move, "feature, nor a move")
        self.said("new", "force")

    def settle(self) -> None:
        self.said("force")

    def needs(self, feature: str) -> None:
        """Returns if the engine has a feature.

        Raises:
            NotApplicable: if it does not.
        """
        if not self.features.flag(feature):
            raise NotApplicable(f"no feature {feature}=1")

    def said(self, *lines: str) -> list[str]:
        """Sends lines; returns what the engine says until it has done all, or for a moment if it cannot be asked."""
        if not self.features.flag("ping"):
            self.send(*lines)
            return self.quiet()
        self._pings += 1
        self.send(*lines, f"ping {self._pings}")
        pong = ["pong", str(self._pings)]
        self._sent = sent = f"{lines[-1]}, ping {self._pings}" if lines else f"ping {self._pings}"
        found = self.until(lambda line: line.split() == pong, " ".join(pong))
        self._sent = sent
        return found[:-1]

    def new(self, *lines: str) -> None:
        """Begins a game in which the engine answers quickly, in force mode."""
        self.said("new", "easy", "nopost", "force", "st 1", "sd 1", *lines)

    def start(self, fen: str | None = None, *lines: str) -> Any:
        """Begins such a game at a position; returns its state.

        Raises:
            NotApplicable: if the engine takes no positions.
        """
        game: Any = self.game
        if fen is None:
            self.new(*lines)
            return game.initial_state()
        self.needs("setboard")
        self.new(f"setboard {fen}", *lines)
        return game.state_from_text(fen)

    def outgoing(self, state: Any, move: str) -> str:
        """Returns the line that gives the engine a move in coordinates."""
        if self.features.flag("san"):
            game: Any = self.game
            move = str(game.action_to_san(state, self.legal(state)[move])).rstrip("+#")
        return f"usermove {move}" if self.features.flag("usermove") else move

    def make(self, state: Any, *moves: str) -> Any:
        """Gives the engine moves in force mode, which it may neither refuse nor answer; returns the state then."""
        for move in moves:
            answers = self.said(self.outgoing(state, move))
            if wrong := [line for line in answers if is_move(line) or line.startswith(("Illegal", "Error"))]:
                raise Wrong(f"{shown(wrong[0])} to {move} in force mode")
            state = self.after(state, [move])
        return state

    def reply(self, state: Any, *lines: str) -> str:
        """Sends lines that end with an order to move; returns the move in the game's notation.

        Raises:
            Wrong: if it is not legal, or has not the form of a move.
        """
        self.send(*lines)
        sent = self.sent
        line = self.until(is_move, "move")[-1]
        words = line.split()
        move = words[1] if len(words) == 2 else ""
        if self.features.flag("san") or move[:1] == "O":
            game = self.game
            try:
                move = action_to_text(game, state, text_to_action(game, state, move))
            except RAISED_BY_GAMES:
                move = ""
        if move not in self.legal(state):
            raise Wrong(f"{shown(line)}, which is no legal move, after {sent!r}")
        return move
