"""PGN as match runners write it, faster than python-chess's own exporter: it does not generate the legal moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import chess

from playout.books.past.lines import start_of
from playout.books.past.written import WrittenGame, pgn_head
from playout.engine import _core
from playout.engine.terms.kernel import kernel_params
from playout.games.chess import Chess

COLUMNS = 80
LETTERS = " PNBRQK"
"""Letters of python-chess's numbers of the kinds of pieces, which are 1 for a pawn to 6 for a king."""
NAMES, BITS = chess.SQUARE_NAMES, chess.BB_SQUARES
SQUARES = {name: square for square, name in enumerate(NAMES)}
PROMOTIONS = {"": 0, "n": 2, "b": 3, "r": 4, "q": 5}


def pgn(game: Chess, one: WrittenGame, number: int) -> str:
    """Returns the text of a game with a number, from 1, and the empty line behind it.

    Raises:
        PlayoutError: if the game has a result that is none of chess.
        ValueError: if it has an illegal move.
    """
    state = start_of(game, one.start)
    board, made = pgn_head(game, state, one, number)
    lines = [f'[{name} "{text}"]' for name, text in made.headers.items()]
    position = _core.Position(game.kernel, kernel_params(game), game.state_to_text(state) if one.start else None)
    moves, mate = one.moves, False
    if position.follow(moves)[0] == len(moves):
        mate = bool(position.result())
    else:  # a move that is illegal, or is one in another notation
        moves, mate = _read(board.copy(), moves)
    tokens = _tokens(board, moves, mate, one.comments)
    return "\n".join([*lines, "", *_wrapped(tokens, made.headers["Result"])]) + "\n\n"


def _read(board: chess.Board, moves: Sequence[str]) -> tuple[list[str], bool]:
    """Returns moves in UCI's notation, and whether the last one is mate."""
    read = [board.push_uci(text).uci() for text in moves]
    return read, board.is_checkmate()


def _tokens(board: chess.Board, moves: Sequence[str], mate: bool, comments: Sequence[str]) -> Iterator[str]:
    """Yields each move with its number, where it has one, and its comment. The moves are legal."""
    men, turn, number = _Men(board), board.turn, board.fullmove_number
    for ply, text in enumerate(moves):
        before = f"{number}. " if turn else "" if ply else f"{number}... "
        san = men.move(turn, SQUARES[text[:2]], SQUARES[text[2:4]], PROMOTIONS[text[4:]])
        if men.checks(turn):
            san += "#" if mate and ply + 1 == len(moves) else "+"
        comment = comments[ply] if comments else ""
        if comment:
            comment = f" {{{' '.join(comment.replace('}', '').split())}}}"
        yield f"{before}{san}{comment}"
        number += not turn
        turn = not turn


class _Men:
    """The men on a board, without what only the rules need. Sides are 0 for black and 1 for white."""

    def __init__(self, board: chess.Board) -> None:
        self._kinds = [board.piece_type_at(square) or 0 for square in chess.SQUARES]
        self._masks = [
            [0, *(board.pieces_mask(kind, side) for kind in chess.PIECE_TYPES)] for side in chess.COLORS[::-1]
        ]
        self._occupied = board.occupied

    def move(self, side: int, origin: int, target: int, promotion: int) -> str:
        """Makes a legal move and returns it in SAN, without the sign of a check."""
        kinds, own, foes = self._kinds, self._masks[side], self._masks[not side]
        kind, taken = kinds[origin], kinds[target]
        if kind == chess.KING and (own[chess.ROOK] & BITS[target] or abs((origin & 7) - (target & 7)) > 1):
            return self._castle(side, origin, target)
        text = NAMES[target]
        if kind == chess.PAWN:
            if (origin ^ target) & 7:
                text = f"{NAMES[origin][0]}x{text}"
                if not taken:  # en passant
                    self._take(side ^ 1, origin & 56 | target & 7)
            if promotion:
                text = f"{text}={LETTERS[promotion]}"
        else:
            which = self._distinction(side, kind, origin, target) if own[kind] != BITS[origin] else ""
            text = f"{LETTERS[kind]}{which}{'x' if taken else ''}{text}"
        if taken:
            foes[taken] ^= BITS[target]
        own[kind] ^= BITS[origin]
        own[promotion or kind] |= BITS[target]
        kinds[origin], kinds[target] = 0, promotion or kind
        self._occupied = self._occupied & ~BITS[origin] | BITS[target]
        return text

    def checks(self, side: int) -> bool:
        """Whether a side attacks the king of the other."""
        return self._attacks(side, self._masks[not side][chess.KING].bit_length() - 1, self._occupied)

    def _take(self, side: int, square: int) -> int:
        """Takes a man off the board and returns its kind."""
        kind, self._kinds[square] = self._kinds[square], 0
        self._masks[side][kind] ^= BITS[square]
        self._occupied ^= BITS[square]
        return kind

    def _castle(self, side: int, origin: int, target: int) -> str:
        short, rank = target > origin, origin & 56
        own_rook = self._masks[side][chess.ROOK] & BITS[target]
        rook = target if own_rook else rank | (7 if short else 0)
        for square in origin, rook:
            self._take(side, square)
        for kind, file in (chess.KING, 6 if short else 2), (chess.ROOK, 5 if short else 3):
            self._kinds[rank | file] = kind
            self._masks[side][kind] |= BITS[rank | file]
            self._occupied |= BITS[rank | file]
        return "O-O" if short else "O-O-O"

    def _distinction(self, side: int, kind: int, origin: int, target: int) -> str:
        """Returns the file, rank or both by which a piece differs from others that may go to the square."""
        if kind == chess.KNIGHT:
            reach = chess.BB_KNIGHT_ATTACKS[target]
        else:
            reach = _diagonals(target, self._occupied) if kind != chess.ROOK else 0
            reach |= _lines(target, self._occupied) if kind != chess.BISHOP else 0
        king = self._masks[side][chess.KING].bit_length() - 1
        others = [
            square
            for square in chess.scan_forward(reach & self._masks[side][kind] & ~BITS[origin])
            if not self._attacks(side ^ 1, king, self._occupied & ~BITS[square] | BITS[target], ~BITS[target])
        ]
        file, rank = NAMES[origin][0], NAMES[origin][1]
        if not others:
            return ""
        if all(NAMES[square][0] != file for square in others):
            return file
        return rank if all(NAMES[square][1] != rank for square in others) else file + rank

    def _attacks(self, side: int, square: int, occupied: int, standing: int = -1) -> bool:
        """Whether men of a side that are ``standing`` attack the square."""
        _, pawns, knights, bishops, rooks, queens, _ = self._masks[side]
        attackers = chess.BB_PAWN_ATTACKS[not side][square] & pawns | chess.BB_KNIGHT_ATTACKS[square] & knights
        attackers |= _diagonals(square, occupied) & (bishops | queens) | _lines(square, occupied) & (rooks | queens)
        return bool(attackers & standing)


def _diagonals(square: int, occupied: int) -> int:
    return chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]


def _lines(square: int, occupied: int) -> int:
    return (
        chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        | chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    )


def _wrapped(tokens: Iterable[str], result: str) -> Iterator[str]:
    """Yields the lines of the moves and the result. A line is longer than ``COLUMNS`` only with a single such move."""
    held, length = list[str](), 0
    for token in (*tokens, result):
        if held and length + len(token) > COLUMNS:
            yield " ".join(held)
            held, length = [], 0
        held.append(token)
        length += len(token) + 1
    yield " ".join(held)
