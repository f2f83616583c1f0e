"""Fastest mates with king and rook, or king and queen, against a bare king, from a table built on first use by
retrograde analysis over sets of squares (about 0.1 s).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import cache
from typing import Any

import chess

from playout.games.game import Game

Trio = tuple[int, int, int]
"""Squares of our king, our piece and the bare king."""


class Mate:
    """The mate rule; implements ``playout.books.macros.macro.Rule``."""

    def __init__(self, piece: chess.PieceType, game: Game[Any, Any]) -> None:
        self._piece, self._game = piece, game

    def move(self, state: Any, until: float | None = None) -> int | None:
        """Returns the move towards the mate; None unless the player to move has king and piece against a bare king.
        With ``until`` the table is built in another thread and there is no move until it is ready, because a clock may
        have less time than that.
        """
        board: chess.Board = state.board
        pieces = board.pieces(self._piece, board.turn)
        king, other = board.king(board.turn), board.king(not board.turn)
        if chess.popcount(board.occupied) != 3 or len(pieces) != 1 or king is None or other is None:
            return None
        table = _table(self._piece)
        if until is not None and not table.done():
            return None
        wanted = table.result().best_move((king, pieces.pop(), other))
        return next((a for a in self._game.legal_actions(state) if (a & 63, a >> 6 & 63) == wanted), None)

    def replies(self, state: Any) -> Sequence[int]:
        """Returns all moves of the bare king."""
        return self._game.legal_actions(state)


def rule(name: str, game: Game[Any, Any]) -> Mate:
    """Returns the rule called ``name``."""
    return Mate({"king and rook": chess.ROOK, "king and queen": chess.QUEEN}[name], game)


class MateTable:
    """Number of moves to mate from every position, found backwards from the mates.

    One integer holds all squares of our piece, one bit each. The bare king stands in the triangle a1-d1-d4; every other
    position is a symmetry image of such a one.
    """

    def __init__(self, piece: chess.PieceType) -> None:
        self._piece = piece
        self._won: list[dict[tuple[int, int], int]] = []
        """By moves to mate, less one, then our king and the bare king: squares of our piece that win in at most that
        many moves.
        """
        self._known: dict[Trio, int | None] = {}
        """Moves to mate of positions asked for so far, with the bare king in the triangle."""
        triangle = [square for square in range(64) if _turns(square) == ()]
        pairs = [(k, o) for o in triangle for k in range(64) if k != o and not chess.BB_KING_ATTACKS[k] >> o & 1]
        won, lost = dict.fromkeys(pairs, 0), dict.fromkeys(pairs, 0)
        flights = {pair: self._flights(*pair) for pair in pairs}
        free = {pair: self._free(*pair, flights[pair]) for pair in pairs}
        while True:
            found = {}
            for king, other in pairs:
                held = free[king, other] & ~lost[king, other]
                for square, hit in flights[king, other]:
                    if not held:
                        break
                    held &= hit | _squares(won, king, square)
                if held:
                    found[king, other] = held
            known = won
            won = dict(won)
            for (king, other), squares in found.items():
                lost[king, other] |= squares
                blocked = chess.BB_SQUARES[king] | chess.BB_SQUARES[other]
                for square in chess.scan_forward(squares):
                    won[king, other] |= _attacks(piece, square, blocked) & ~blocked
                for before in chess.scan_forward(chess.BB_KING_ATTACKS[king]):
                    if (before, other) in won:
                        won[before, other] |= squares & ~chess.BB_SQUARES[before]
            if won == known:
                return
            self._won.append(won)

    @property
    def longest(self) -> int:
        """Length of the longest mate in moves."""
        return len(self._won)

    def moves_to_mate(self, trio: Trio) -> int | None:
        """Returns our moves to mate with us to move; None if there is no mate."""
        turned = _turned(trio)
        if turned not in self._known:
            king, own, other = turned
            self._known[turned] = next(
                (number for number, won in enumerate(self._won, 1) if won.get((king, other), 0) >> own & 1), None
            )
        return self._known[turned]

    def best_move(self, trio: Trio) -> tuple[int, int] | None:
        """Returns our fastest mating move as two squares; None if there is none."""
        found = [
            (worth, move) for move, after in _moves(self._piece, trio) if (worth := self._after(after)) is not None
        ]
        return min(found)[1] if found else None

    def _after(self, trio: Trio) -> int | None:
        """Returns our moves to mate after the bare king's best reply; None if it can draw."""
        king, own, other = trio
        place = chess.BB_SQUARES[own]
        flights = [square for square, hit in self._flights(king, other) if not hit & place]
        if not flights:
            return 0 if self._free(king, other, self._flights(king, other)) & place else None
        needed = [None if square == own else self.moves_to_mate((king, own, square)) for square in flights]
        return None if None in needed else max(number for number in needed if number is not None)

    def _flights(self, king: int, other: int) -> list[tuple[int, int]]:
        """Returns the squares to which the bare king may go, each with our piece's squares that forbid the move."""
        squares = chess.scan_forward(chess.BB_KING_ATTACKS[other] & ~chess.BB_KING_ATTACKS[king])
        return [(square, _attacks(self._piece, square, chess.BB_SQUARES[king])) for square in squares if square != king]

    def _free(self, king: int, other: int, flights: Sequence[tuple[int, int]]) -> int:
        """Returns the squares where our piece may stand without stalemate, with the bare king to move."""
        stalemates = chess.BB_ALL & ~_attacks(self._piece, other, chess.BB_SQUARES[king])
        for _, hit in flights:
            stalemates &= hit
        return chess.BB_ALL & ~(stalemates | chess.BB_SQUARES[king] | chess.BB_SQUARES[other])


@cache
def _table(piece: chess.PieceType) -> Future[MateTable]:
    """Returns a task in another thread that builds the table."""
    table: Future[MateTable] = Future()
    threading.Thread(target=lambda: table.set_result(MateTable(piece)), name="playout-mates", daemon=True).start()
    return table


def _turns(square: int) -> tuple[Callable[[int], int], ...]:
    """Returns the mirrorings, in order, that bring ``square`` into the triangle a1-d1-d4."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    turns: list[Callable[[int], int]] = []
    if file > 3:
        turns.append(chess.flip_horizontal)
        file = 7 - file
    if rank > 3:
        turns.append(chess.flip_vertical)
        rank = 7 - rank
    if rank > file:
        turns.append(chess.flip_diagonal)
    return tuple(turns)


_TURNS = tuple(map(_turns, range(64)))


def _image(square: int, turns: Sequence[Callable[[int], int]]) -> int:
    """Returns the square to which the mirrorings map a square."""
    place = chess.BB_SQUARES[square]
    for turn in turns:
        place = turn(place)
    return place.bit_length() - 1


_IMAGES = tuple(tuple(_image(square, turns) for square in range(64)) for turns in _TURNS)
"""For each square of the bare king, the images of all squares under the map that brings it into the triangle."""


def _turned(trio: Trio) -> Trio:
    """Returns the image with the bare king in the triangle."""
    image = _IMAGES[trio[2]]
    return image[trio[0]], image[trio[1]], image[trio[2]]


def _squares(won: dict[tuple[int, int], int], king: int, other: int) -> int:
    """Returns a table entry for two kings on any squares."""
    turns = _TURNS[other]
    if not turns:
        return won.get((king, other), 0)
    sets = chess.BB_SQUARES[king], chess.BB_SQUARES[other]
    for turn in turns:
        sets = turn(sets[0]), turn(sets[1])
    found = won.get((sets[0].bit_length() - 1, sets[1].bit_length() - 1), 0)
    for turn in reversed(turns):
        found = turn(found)
    return found


def _moves(piece: chess.PieceType, trio: Trio) -> Iterator[tuple[tuple[int, int], Trio]]:
    """Yields our moves with the squares after them."""
    king, own, other = trio
    near = chess.BB_KING_ATTACKS[other]
    for square in chess.scan_forward(chess.BB_KING_ATTACKS[king] & ~near & ~chess.BB_SQUARES[own]):
        yield (king, square), (square, own, other)
    blocked = chess.BB_SQUARES[king] | chess.BB_SQUARES[other]
    for square in chess.scan_forward(_attacks(piece, own, blocked) & ~blocked):
        yield (own, square), (king, square, other)


def _attacks(piece: chess.PieceType, square: int, blocked: int) -> int:
    """Returns the squares that the piece attacks. The bare king does not block, because it may not retreat along the
    line.
    """
    straight = (
        chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & blocked]
        | chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & blocked]
    )
    if piece == chess.ROOK:
        return straight
    return straight | chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & blocked]
