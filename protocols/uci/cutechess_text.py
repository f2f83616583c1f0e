"""Tic-tac-toe and connect four in the notation of cutechess, which referees them over UCI.

Pieces are pawns, White's (``P``) those of the player who moves first. A position is a FEN with the pawns in hand in
brackets, ``3/1P1/3[PPPPpppp] b - - 0 1``; a move drops a pawn, ``P@b2``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.games.errors import GameError, IllegalMove

PAWNS = str.maketrans("Ppxo", "xoPp")
_MOVE = re.compile(r"[Pp]@([a-i])([1-9])")
_HAND = re.compile(r"-|(?:[1-9][0-9]?[Pp]|[Pp])*")
_REST = re.compile(r"- -( [0-9]{1,4}){0,2}")


@dataclass(frozen=True, slots=True)
class Drops:
    """The notation of a game whose states have a ``board`` of marks from the bottom left and a ``player``."""

    columns: int
    rows: int
    falling: bool
    """Whether a pawn falls to the lowest free place, so that the game's move is a column."""

    @property
    def cells(self) -> int:
        """Number of places on the board, and of pawns in total."""
        return self.columns * self.rows

    def position(self, fen: str) -> str:
        """Converts a FEN to the game's own text of a position.

        Raises:
            GameError: if ``fen`` is invalid, or does not have the right number of pawns in hand.
        """

        def bad(what: str) -> GameError:
            return GameError(f"not a position in cutechess's notation: {fen.strip()[:80]!r} ({what})")

        place, _, rest = fen.strip().partition(" ")
        side, _, rest = rest.partition(" ")
        board, bracket, hand = place.partition("[")
        if side not in ("w", "b"):
            raise bad("w or b is to move")
        if rest and not _REST.fullmatch(rest):
            raise bad("'- - 0 1' ends it")
        if not set(board) <= set("Pp/123456789"):
            raise bad("P, p and numbers")
        if bracket:
            if not hand.endswith("]") or not _HAND.fullmatch(hand[:-1]):
                raise bad("the pawns in hand in brackets")
            for pawn, all_of_it in (("P", (self.cells + 1) // 2), ("p", self.cells // 2)):
                if board.count(pawn) + _held(hand, pawn) != all_of_it:
                    raise bad(f"{all_of_it} times {pawn} on the board and in hand")
        return f"{board.translate(PAWNS)} {'xo'['wb'.index(side)]}"

    def fen(self, state: Any) -> str:
        """Returns a state in cutechess's notation, with a move counter of 1."""
        rows = [state.board[start : start + self.columns] for start in range(0, self.cells, self.columns)]
        board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in reversed(rows))
        white, black = ((self.cells + 1) // 2 - board.count("x"), self.cells // 2 - board.count("o"))
        hand = "P" * max(white, 0) + "p" * max(black, 0) or "-"
        return f"{board.translate(PAWNS)}[{hand}] {'wb'[state.player]} - - 0 1"

    def read(self, state: Any, moves: Sequence[str]) -> list[str]:
        """Converts the moves of a line from ``state`` to the game's own notation.

        Raises:
            IllegalMove: for a word that is not a drop or, where pawns fall, for a place to which the pawn does not
                fall.
        """
        own = []
        heights = self._heights(state)
        for number, move in enumerate(moves, 1):
            match = _MOVE.fullmatch(move)
            column = "abcdefghi".index(match[1]) if match else self.columns
            if match is None or column >= self.columns or int(match[2]) > self.rows:
                raise IllegalMove(f"move {number}: illegal move: {move[:40]!r} (as in 'P@b2')")
            if self.falling:
                heights[column] += 1
                if int(match[2]) != heights[column]:
                    raise IllegalMove(f"move {number}: illegal move: {move!r} (a pawn falls to {heights[column]})")
            own.append(match[1] if self.falling else match[1] + match[2])
        return own

    def write(self, state: Any, moves: Sequence[str]) -> tuple[str, ...]:
        """Converts the moves of a line from ``state`` from the game's own notation to cutechess's."""
        if not self.falling:
            return tuple(f"P@{move}" for move in moves)
        heights = self._heights(state)
        lines = []
        for move in moves:
            column = "abcdefghi".index(move)
            heights[column] += 1
            lines.append(f"P@{move}{heights[column]}")
        return tuple(lines)

    def _heights(self, state: Any) -> list[int]:
        return [sum(mark != "." for mark in state.board[column :: self.columns]) for column in range(self.columns)]


def _held(hand: str, pawn: str) -> int:
    return sum(int(count or 1) for count, piece in re.findall(r"([0-9]*)([Pp])", hand) if piece == pawn)


NOTATIONS = {"tictactoe": Drops(3, 3, falling=False), "cfour": Drops(7, 6, falling=True)}
"""The notations by the value of UCI_Variant."""
