"""Drawings on the board of GoGui and HexGui: graphics commands, one a line.

Points are in the game's notation, which is GoGui's in Go and HexGui's in Hex. GoGui reads live graphics from standard
error; HexGui reads them from standard output, before the response.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from playout.engine.terms.info import MoveInfo, SearchInfo
from playout.protocols.gtp.board import PASS, Board
from playout.protocols.gtp.info_lines import win_rate

LABELS = 10
PREFIX = "gogui-gfx:"


class LiveGraphics:
    """Draws the running search on the GUI's board, in games with points, if the option LiveGraphics is set."""

    def __init__(self, board: Board, write: Callable[[Sequence[str]], None] | None = None) -> None:
        self._board = board
        self._write = write or _to_standard_error
        self._drawn = False

    def show(self, info: SearchInfo) -> list[str]:
        """Draws a report; returns the lines for standard output."""
        if not info.moves or not self._board.points or not self._board.session.options.flag("LiveGraphics"):
            return []
        draw = hex_graphics if self._board.rhombic else graphics
        drawing = draw(info, self._board.mover or 0)
        self._drawn = bool(drawing)
        return self._send(drawing) if drawing else []

    def clear(self) -> list[str]:
        """Removes the drawing; returns the lines for standard output."""
        drawn, self._drawn = self._drawn, False
        return self._send(["CLEAR"]) if drawn and not self._board.rhombic else []

    def _send(self, drawing: list[str]) -> list[str]:
        if self._board.rhombic:
            return [PREFIX, *drawing, ""]
        self._write([PREFIX, *drawing, ""])
        return []


def graphics(info: SearchInfo, player: int) -> list[str]:
    """GoGui's commands: the principal variation, the best moves with win rates in per cent, and a status text."""
    best, moves = info.moves[0], _on_points(info)
    drawing = [f"VAR {' '.join(_colours(best, player))}"] if is_point(best.move) else []
    if moves:
        drawing.append(f"LABEL {' '.join(f'{move.move} {per_cent(move)}' for move in moves)}")
    return [*drawing, _status(info)]


def hex_graphics(info: SearchInfo, player: int) -> list[str]:
    """HexGui's commands, in MoHex's format: the variation, the win rates, the visits and a text, always all four. Empty
    if the best move is not on a cell."""
    best, moves = info.moves[0], _on_points(info)
    if not is_point(best.move):
        return []
    return [
        "uct",
        f"VAR {' '.join(_colours(best, player, 'BW'))}",
        f"INFLUENCE {' '.join(f'{move.move} {win_rate(move.value):.2f}' for move in moves)}",
        f"LABEL {' '.join(f'{move.move} {move.visits}' for move in moves)}",
        _status(info),
    ]


def per_cent(move: MoveInfo) -> int:
    """The win rate of a move in per cent, rounded."""
    return round(100 * win_rate(move.value))


def is_point(move: str) -> bool:
    """Whether a move names a point, and not a pass or a swap."""
    return move != PASS and move[-1:].isdigit()


def _on_points(info: SearchInfo) -> list[MoveInfo]:
    return [move for move in info.moves[:LABELS] if is_point(move.move)]


def _status(info: SearchInfo) -> str:
    best = info.moves[0]
    return f"TEXT {best.move} {per_cent(best)}% {info.simulations} simulations {info.nps}/s"


def _colours(move: MoveInfo, player: int, names: str = "bw") -> list[str]:
    """The variation's moves, each after its colour, up to the first that is not a point."""
    words = []
    for number, text in enumerate(move.pv or (move.move,)):
        if not is_point(text):
            break
        words += [names[(player + number) % 2], text]
    return words


def _to_standard_error(lines: Sequence[str]) -> None:
    if sys.stderr is not None:
        with suppress(OSError):  # nobody reads it any more
            sys.stderr.write("".join(f"{line}\n" for line in lines))
            sys.stderr.flush()
