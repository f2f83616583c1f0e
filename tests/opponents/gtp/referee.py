"""A referee of two GTP engines for Go: it sets both up, passes the moves on, keeps the clock and records the game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from playout.games.support import sgf

from ..pipe import Pipe

COLOURS = ("black", "white")


@dataclass
class Referee:
    """One game. ``generate`` says how each side is asked for a move, as ``lz-genmove_analyze {} 20``."""

    players: tuple[Pipe, Pipe]
    size: int = 9
    komi: float = 7.5
    generate: tuple[str, str] = ("genmove {}", "genmove {}")
    seconds: int = 0
    """Seconds of each side for the whole game; 0 is no clock."""
    longest: int = 300
    moves: list[str] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    """Lines of each answer, the line of the move last."""
    result: str = ""
    """Given by one side's resignation."""

    def play(self) -> None:
        """Plays until two passes or a resignation."""
        left = [float(self.seconds)] * 2
        for player in self.players:
            for command in (f"boardsize {self.size}", "clear_board", f"komi {self.komi}"):
                player.ask(command)
            if self.seconds:
                player.ask(f"time_settings {self.seconds} 0 0")
        while self.moves[-2:] != ["pass", "pass"]:
            assert len(self.moves) < self.longest, self.moves
            number = len(self.moves) % 2
            colour, mover, other = COLOURS[number], self.players[number], self.players[1 - number]
            if self.seconds:
                mover.ask(f"time_left {colour} {max(0, int(left[number]))} 0")
            began = time.monotonic()
            self.lines.append(mover.ask(self.generate[number].format(colour)).split("\n"))
            left[number] -= time.monotonic() - began
            move = self.lines[-1][-1].removeprefix("play ").lower()
            if move == "resign":
                self.result = f"{'WB'[number]}+R"
                return
            other.ask(f"play {colour} {move}")
            self.moves.append(move)

    def record(self, names: Sequence[str]) -> str:
        """The game as SGF."""
        root: sgf.Node = {
            "FF": ["4"],
            "GM": ["1"],
            "SZ": [str(self.size)],
            "KM": [f"{self.komi:g}"],
            "PB": [names[0]],
            "PW": [names[1]],
        }
        if self.result:
            root["RE"] = [self.result]
        return sgf.write([root, *({"BW"[i % 2]: [sgf.go_value(move, self.size)]} for i, move in enumerate(self.moves))])
