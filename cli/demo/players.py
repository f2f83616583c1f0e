"""The engine as a graphical interface drives it, one class for each protocol. Moves are in the game's notation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from playout.cli.engine_process import EngineProcess
from playout.cli.thinking import thoughts
from playout.games.errors import ProtocolError

OVERHEAD = "--option=Move Overhead=20"
"""Pipes on one machine need less than the default."""


@dataclass(frozen=True, slots=True)
class PlayerClocks:
    """Seconds left to each player, and the increment per move."""

    left: tuple[float, float]
    increment: float


class Player(Protocol):
    """One engine, playing one side."""

    process: EngineProcess

    def move(self, player: int, moves: Sequence[str], clocks: PlayerClocks) -> tuple[str, str]:
        """Returns the move of ``player`` (0 or 1) after ``moves``, and a line about the search. Blocks."""


class UciPlayer:
    """UCI with clocks."""

    def __init__(self, process: EngineProcess) -> None:
        self.process = process
        _open(process, "uci")

    def move(self, player: int, moves: Sequence[str], clocks: PlayerClocks) -> tuple[str, str]:
        (white, black), increment = (round(1000 * time) for time in clocks.left), round(1000 * clocks.increment)
        self.process.send(f"position startpos moves {' '.join(moves)}")
        self.process.send(f"go wtime {white} btime {black} winc {increment} binc {increment}")
        return _best_move(self.process)


class UgiPlayer:
    """UGI with a fixed time for each move."""

    def __init__(self, process: EngineProcess, movetime: float) -> None:
        self.process = process
        self._movetime = round(1000 * movetime)
        _open(process, "ugi")

    def move(self, player: int, moves: Sequence[str], clocks: PlayerClocks) -> tuple[str, str]:
        self.process.send(f"position startpos moves {' '.join(moves)}")
        self.process.send(f"go movetime {self._movetime}")
        return _best_move(self.process)


class GtpPlayer:
    """GTP 2 with a clock kept by the interface. Search information comes on standard error, because GTP has no reply
    for it.
    """

    def __init__(self, process: EngineProcess, seconds: float) -> None:
        self.process = process
        self._known = 0
        self.ask(f"time_settings {seconds:.0f} 0 0")

    def ask(self, command: str) -> str:
        """Returns the response to ``command``.

        Raises:
            ProtocolError: if it is a failure response.
        """
        self.process.send(command)
        lines = self.process.receive(lambda line: line == "")
        text = "\n".join(lines).strip()
        if not text.startswith("="):
            raise ProtocolError(f"{self.process.name}: {command}: {text}")
        return text[1:].strip()

    def move(self, player: int, moves: Sequence[str], clocks: PlayerClocks) -> tuple[str, str]:
        for number in range(self._known, len(moves)):
            self.ask(f"play {'bw'[number % 2]} {moves[number]}")
        self._known = len(moves) + 1
        self.ask(f"time_left {'bw'[player]} {max(0, math.floor(clocks.left[player]))} 0")
        move = self.ask(f"genmove {'bw'[player]}")
        thinking = ""
        while remark := self.process.remark(0.0 if thinking else 0.2):
            thinking = remark.partition("thinking: ")[2] or thinking
        return move, thinking


def _open(process: EngineProcess, verb: str) -> None:
    """Starts a game under ``uci`` or ``ugi``."""
    process.send(verb)
    process.receive(lambda line: line == f"{verb}ok")
    process.send("setoption name OwnBook value true")
    process.send(f"{verb}newgame")
    process.send("isready")
    process.receive(lambda line: line == "readyok")


def _best_move(process: EngineProcess) -> tuple[str, str]:
    """Returns the move of a UCI or UGI engine, and the content of its last ``info`` line."""
    *reports, best = process.receive(lambda line: line.startswith("bestmove"))
    infos = [line.split() for line in reports if line.startswith("info ") and " pv " in line]
    return best.split()[1], _thoughts(infos[-1]) if infos else ""


def _thoughts(info: list[str]) -> str:
    """Formats the search information; centipawns are converted back to the value in [-1, 1]."""
    said = {word: info[number + 1] for number, word in enumerate(info[:-1])}
    line = info[info.index("pv") + 1 :]
    kind, number = info[info.index("score") + 1 : info.index("score") + 3]
    value = f"{math.atan(int(number) / 90) / 1.5637541897:+.2f}" if kind == "cp" else f"{kind} {number}"
    return thoughts(value, int(said.get("nodes", 0)), int(said.get("nps", 0)), line)
