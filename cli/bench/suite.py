"""Test suites of chess: EPD files whose positions have best moves, moves to avoid, points for moves, or mates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess

from playout.games.errors import PlayoutError
from playout.games.support.whole_file import read_text

OPERATION = re.compile(r"""\s*([A-Za-z]\w*)((?:"[^"]*"|[^;"])*);?""")
"""An operation of EPD: its name, and what it is about."""
READ = ("bm", "am", "dm", "c0", "id")
"""The operations that are read. Others, such as the lines of programs, may be damaged."""
POINTS = re.compile(r"([^\s=,]+)=(\d+)")
"""A move and its points in the operation c0, as in ``c0 "f5=10, Be5+=2"``."""


@dataclass(frozen=True, slots=True)
class Task:
    """A position and the answer to it. At least one of the last four is given."""

    name: str
    fen: str
    best: tuple[str, ...]
    """Moves of which one is to be played (bm), as UCI writes them."""
    avoid: tuple[str, ...]
    """Moves of which none is to be played (am)."""
    points: tuple[tuple[str, int], ...]
    """Points of moves (c0)."""
    mate: int | None
    """Moves in which the player to move mates (dm)."""

    @property
    def most(self) -> int:
        """The points of the best move; 1 without points."""
        return max((points for _, points in self.points), default=1)

    def score(self, move: str | None, mate: int | None) -> int:
        """Returns the points of ``move``, with which the engine announces a mate in ``mate`` moves (None: none).

        Without points it is 1 if the move is one of the best and none of those to avoid; where neither are given, if
        the mate is announced, and is not longer than it has to be.
        """
        if self.points:
            return dict(self.points).get(move or "", 0)
        if self.best or self.avoid:
            return int((not self.best or move in self.best) and move not in self.avoid)
        return int(self.mate is not None and mate is not None and mate <= self.mate)

    @property
    def wanted(self) -> str:
        """The answer, for people, with the moves as SAN writes them."""
        board = chess.Board(self.fen)

        def san(moves: tuple[str, ...]) -> str:
            return " ".join(board.san(chess.Move.from_uci(move)) for move in moves)

        if self.points:
            return " ".join(f"{san((move,))}={points}" for move, points in self.points)
        if self.best or self.avoid:
            return san(self.best) + (f" not {san(self.avoid)}" if self.avoid else "")
        return f"mate in {self.mate}"


def read_suite(path: Path) -> list[Task]:
    """Reads the positions of a file in EPD.

    Raises:
        PlayoutError: one line that names the file and the line, if one is not EPD, has no answer or an illegal move, or
            the file cannot be read or has no positions.
    """
    tasks = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                tasks.append(_task(line, f"line {number}"))
            except ValueError as error:
                raise PlayoutError(f"{path}, line {number}: {' '.join(str(error).split())}") from error
    if not tasks:
        raise PlayoutError(f"{path}: no positions")
    return tasks


def _task(line: str, name: str) -> Task:
    board = chess.Board(None)
    place, given = " ".join(line.split()[:4]), " ".join(line.split()[4:])
    operations = [f"{name}{words};" for name, words in OPERATION.findall(given) if name in READ]
    found: dict[str, Any] = board.set_epd(" ".join([place, *operations]))
    if not board.is_valid():
        raise ValueError(f"not a position of chess: {board.fen()}")
    best, avoid = (tuple(move.uci() for move in found.get(kind, ())) for kind in ("bm", "am"))
    scored = POINTS.findall(str(found.get("c0", "")))
    points = tuple((board.parse_san(san).uci(), int(number)) for san, number in scored)
    mate = found.get("dm")
    if mate is not None and not isinstance(mate, int):
        raise ValueError(f"dm {mate}: expected a number of moves")
    if not (best or avoid or points or mate is not None):
        raise ValueError("no answer: expected bm, am, dm, or points in c0")
    return Task(str(found.get("id", name)), board.fen(), best, avoid, points, mate)
