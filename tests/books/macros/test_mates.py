"""The rules that mate."""

from __future__ import annotations

import random
import threading
import time
from functools import cache
from typing import Any

import chess
import pytest

from playout.books.macros import mates
from playout.books.macros.macro import shipped_macros
from playout.books.macros.mates import MateTable, Trio
from playout.games import catalogue

from ...patience import PATIENCE


def test_a_table_of_mates_is_made_beside_a_move_that_has_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = catalogue.load("chess")
    state = game.state_from_text("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    gate = threading.Event()

    def slow(piece: int) -> mates.MateTable:
        assert gate.wait(PATIENCE)
        return made(piece)

    made = mates.MateTable
    monkeypatch.setattr(mates, "MateTable", slow)
    monkeypatch.setattr(mates, "_table", cache(mates._table.__wrapped__))
    rule = mates.rule("king and rook", game)
    soon = time.monotonic() + PATIENCE
    assert [rule.move(state, soon) for _ in range(3)] == [None] * 3
    gate.set()
    while rule.move(state, soon) is None:
        assert time.monotonic() < soon
    assert rule.move(state, soon) == rule.move(state)


@pytest.mark.long
@pytest.mark.parametrize(("piece", "longest"), [(chess.QUEEN, 10), (chess.ROOK, 16)])
def test_the_table_of_mates_is_exact(piece: int, longest: int) -> None:
    """The longest mates are those of the literature; from any position one move less is needed after each of ours."""
    table = MateTable(piece)
    rng = random.Random(5)
    needed = []
    for _ in range(300):
        trio = _random_trio(piece, rng)
        moves_needed = table.moves_to_mate(trio)
        assert moves_needed is not None
        needed.append(moves_needed)
        best = table.best_move(trio)
        assert best is not None
        board = _board(piece, trio)
        board.push(chess.Move(*best))
        left = []
        for reply in board.legal_moves:
            board.push(reply)
            kings = board.king(True), board.king(False)
            assert kings[0] is not None
            assert kings[1] is not None
            left.append(table.moves_to_mate((kings[0], board.pieces(piece, True).pop(), kings[1])))
            board.pop()
        assert (max(left) if left else 0) == moves_needed - 1
        assert left or board.is_checkmate()
    assert max(needed) <= longest
    assert table.longest == longest


def _board(piece: int, trio: Trio) -> chess.Board:
    board = chess.Board(None)
    for square, kind, white in zip(trio, (chess.KING, piece, chess.KING), (True, True, False), strict=True):
        board.set_piece_at(square, chess.Piece(kind, white))
    return board


def _random_trio(piece: int, rng: random.Random) -> Trio:
    """A legal position, White to move, in which the piece is not lost."""
    while True:
        king, own, other = rng.sample(range(64), 3)
        board = _board(piece, (king, own, other))
        hanging = chess.square_distance(own, other) == 1 and not board.is_attacked_by(True, own)
        if board.is_valid() and not hanging:
            return king, own, other


@pytest.mark.parametrize(
    "fen", ["8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "4k3/8/8/8/8/8/r7/7K b - - 0 1"]
)
def test_the_rules_mate_whatever_the_king_does(fen: str) -> None:
    game = catalogue.load("chess")
    state, rng = game.state_from_text(fen), random.Random(2)
    (step,) = [step for macro in shipped_macros(game) for step in macro.at(state)]
    plies = 0
    while game.returns(state) is None:
        state = game.next_state(state, step.action)
        plies += 1
        replies = step.then(state)
        assert {reply.action for reply in replies} == set(game.legal_actions(state))
        if not replies:
            break
        reply = rng.choice(list(replies))
        state = game.next_state(state, reply.action)
        plies += 1
        (step,) = reply.then(state)
    returns = game.returns(state)
    assert returns is not None
    assert abs(returns[0]) == 1
    assert plies <= 31


def test_no_rule_of_mates_speaks_with_other_pieces() -> None:
    game = catalogue.load("chess")
    for fen in ("4k3/8/8/8/8/8/P7/KR6 w - - 0 1", "4k3/8/8/8/8/8/8/KB6 w - - 0 1", "4k3/8/8/8/8/8/8/KR6 b - - 0 1"):
        state = game.state_from_text(fen)
        assert [macro.name for macro in shipped_macros(game) if macro.at(state)] == []
