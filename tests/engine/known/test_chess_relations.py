"""Relations between squares and moves of chess, as python-chess knows them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import chess
import pytest

from .patterns import Matcher, written

WORTH = {None: 0, 1: 110, 2: 365, 3: 380, 4: 560, 5: 1080, 6: 10_000}
"""Centipawns of a piece that is taken (``games/chess/exchange.rs``)."""


@cache
def boards(count: int) -> Sequence[chess.Board]:
    """Positions of random games that are not over."""
    rng, found = random.Random(3), list[chess.Board]()
    while len(found) < count:
        board = chess.Board()
        for _ in range(rng.randint(4, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        if not board.is_game_over() and board.halfmove_clock < 100:
            found.append(board.copy(stack=False))
    return found


def reply(board: chess.Board, square: int, stake: int) -> int:
    """Gain of the player to move by capturing a piece worth ``stake``, the least valuable attacker first, or not."""
    by_worth = sorted(board.attackers(board.turn, square), key=lambda one: WORTH[board.piece_type_at(one)])
    for attacker in by_worth:
        piece = board.piece_type_at(attacker)
        if piece == chess.KING and board.attackers(not board.turn, square):
            continue
        after = board.copy(stack=False)
        after.remove_piece_at(attacker)
        after.set_piece_at(square, chess.Piece(piece or 1, board.turn))
        after.turn = not board.turn
        return max(0, stake - reply(after, square, WORTH[piece]))
    return 0


def exchange(board: chess.Board, move: chess.Move) -> int:
    """Gain of a move with the captures that follow it on its square."""
    taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    promoted = WORTH[move.promotion] - WORTH[1] if move.promotion else 0
    after = board.copy(stack=False)
    if board.is_en_passant(move):
        after.remove_piece_at(chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square)))
    after.remove_piece_at(move.from_square)
    piece = move.promotion or board.piece_type_at(move.from_square)
    assert piece is not None
    after.set_piece_at(move.to_square, chess.Piece(piece, board.turn))
    after.turn = not board.turn
    return WORTH[taken] + promoted - reply(after, move.to_square, WORTH[piece])


def is_quiet(board: chess.Board) -> bool:
    """Whether no man but the kings can be won by captures on its square."""
    for square, piece in board.piece_map().items():
        there = board.copy(stack=False)
        there.turn = not piece.color
        if piece.piece_type != chess.KING and reply(there, square, WORTH[piece.piece_type]) > 0:
            return False
    return True


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """The board after a move."""
    board = board.copy(stack=False)
    board.push(move)
    return board


def taken(board: chess.Board, move: chess.Move) -> chess.Square:
    """The square whose man a move takes, if it takes one."""
    passing = board.is_en_passant(move)
    return (
        chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        if passing
        else move.to_square
    )


def stays(board: chess.Board, square: chess.Square) -> bool:
    """Whether no move takes the man on a square."""
    return all(taken(board, move) != square for move in board.legal_moves)


def guarded(board: chess.Board, square: int, *, by_owner: bool) -> bool:
    """Whether the owner of a square, or the other player, attacks it. An empty one is the mover's."""
    owner = board.color_at(square)
    owner = board.turn if owner is None else owner
    return board.is_attacked_by(owner if by_owner else not owner, square)


def sees(board: chess.Board, move: chess.Move, piece: chess.PieceType, *, through: bool = False) -> bool:
    """Whether a piece on the move's target would attack a queen of the opponent, directly or through one piece."""
    for queen in board.pieces(chess.QUEEN, not board.turn):
        for other in (None, *chess.scan_forward(board.occupied_co[not board.turn] & ~chess.BB_SQUARES[queen])):
            free = board.copy(stack=False)
            free.set_piece_at(move.to_square, chess.Piece(piece, board.turn))
            direct = queen in free.attacks(move.to_square)
            if other is None:
                if direct and not through:
                    return True
                continue
            if not through or direct or other == move.to_square or other not in free.attacks(move.to_square):
                continue
            free.remove_piece_at(other)
            if queen in free.attacks(move.to_square):
                return True
    return False


Test = Callable[[chess.Board, chess.Move], bool]
RELATIONS: dict[str, Test] = {
    "": lambda _, __: True,
    ", n attacked": lambda board, move: guarded(board, move.from_square, by_owner=False),
    ", not n attacked": lambda board, move: not guarded(board, move.from_square, by_owner=False),
    ", a attacked": lambda board, move: guarded(board, move.to_square, by_owner=False),
    ", n defended": lambda board, move: guarded(board, move.from_square, by_owner=True),
    ", a defended": lambda board, move: guarded(board, move.to_square, by_owner=True),
    ", n pinned": lambda board, move: board.is_pinned(board.turn, move.from_square),
    ", n-a safe": lambda board, move: exchange(board, move) >= 0,
    ", n-a wins": lambda board, move: exchange(board, move) > 0,
    ", n-a stays": lambda board, move: stays(after(board, move), move.to_square),
    ", n-a checks": lambda board, move: board.gives_check(move),
    ", n-a forces": lambda board, move: after(board, move).legal_moves.count() == 1,
    ", n-a mates": lambda board, move: after(board, move).is_checkmate(),
    ", quiet": lambda board, _: is_quiet(board),
    ", a knight q": lambda board, move: sees(board, move, chess.KNIGHT),
    ", a bishop q": lambda board, move: sees(board, move, chess.BISHOP),
    ", a rook q": lambda board, move: sees(board, move, chess.ROOK),
    ", a queen q": lambda board, move: sees(board, move, chess.QUEEN),
    ", a king q": lambda board, move: sees(board, move, chess.KING),
    ", a pawn q": lambda board, move: sees(board, move, chess.PAWN),
    ", o is O, a queen o q": lambda board, move: sees(board, move, chess.QUEEN, through=True),
}


def is_drawn(move: chess.Move, board: chess.Board) -> bool:
    """Whether patterns know a move: no castling, and no promotion but to a queen."""
    return not board.is_castling(move) and move.promotion in (None, chess.QUEEN)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_relation_is_that_of_python_chess(tmp_path: Path, relation: str) -> None:
    men = ", q is q" if " q" in relation else ""
    text = f"  - {{name: a, pattern: 'n:X', where: [a is ?{men}, n moves a{relation}], play: n-a}}\n"
    matcher, holds, fails = written(tmp_path, "chess", text), 0, 0
    for board in boards(30):
        moves = [move for move in board.legal_moves if is_drawn(move, board)]
        expected = {move.uci() for move in moves if RELATIONS[relation](board, move)}
        assert matcher.moves(board.fen()) == expected, board.fen()
        holds += len(expected)
        fails += len(moves) - len(expected)
    assert holds and (fails or not relation)


def test_a_pawn_does_not_stay_where_it_is_taken_in_passing(tmp_path: Path) -> None:
    text = "  - {name: a, pattern: 'p:P', where: [a is ?, p moves a, p-a stays], play: p-a}\n"
    matcher = written(tmp_path, "chess", text)
    assert matcher.moves("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1") == set()
    assert matcher.moves("4k3/8/8/8/2p5/8/4P3/4K3 w - - 0 1") == {"e2e3", "e2e4"}


def test_names_are_different_cells(tmp_path: Path) -> None:
    text = (
        "  - {name: a, pattern: 'n:N', where: [a is ?, x is q, y is q, n moves a, a knight x, a knight y], play: n-a}\n"
    )
    matcher: Matcher = written(tmp_path, "chess", text)
    assert matcher.moves("4k3/8/3q4/8/8/8/5N2/4K3 w - - 0 1") == set()
    assert matcher.moves("4k3/8/3q4/6q1/8/8/5N2/4K3 w - - 0 1") == {"f2e4"}
