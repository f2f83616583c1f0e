"""Decisions that depend on dead stones: passes, and the score at the end of a game."""

from __future__ import annotations

from collections.abc import Callable

from playout.engine.judge.life import Judgement
from playout.protocols.gtp.board import Board
from playout.protocols.gtp.syntax import Thinking


def at_a_glance(board: Board, answer: Callable[[Judgement | None], str | Thinking]) -> Thinking:
    """Judges the stones by playouts alone, which takes some tenths of a second on large boards. Then calls ``answer``
    with the judgement, or with None if judging failed.
    """
    return Thinking(None, lambda result: answer(board.session.judgement if result.fault is None else None), quick=True)


def wins_as_it_is(board: Board, player: int) -> bool:
    """Whether ``player`` wins if both pass and all stones on the board live."""
    return (board.score() > 0) if player == 0 else (board.score() < 0)


def passing_loses(board: Board, player: int, judgement: Judgement) -> bool:
    """Whether ``player``, who ``wins_as_it_is``, loses once the dead stones are taken off the board.

    Then a pass is a mistake: the opponent passes too, and a referee removes the dead stones.
    """
    sign = 1 if player == 0 else -1
    return sign * board.score(judgement.dead) <= 0
