"""A game in which the engine ponders, by whatever protocol python-chess's engine module speaks with it."""

from __future__ import annotations

import chess
import chess.engine


def hits_and_misses(engine: chess.engine.SimpleEngine) -> None:
    """Plays on with the move that the engine ponders on, and with others, by turns."""
    board = chess.Board()
    hits = misses = turn = 0
    seconds = 3.0
    while turn < 6 or not hits:
        limit = chess.engine.Limit(white_clock=seconds, black_clock=seconds, white_inc=0.02, black_inc=0.02)
        turn += 1
        result = engine.play(board, limit, ponder=True, game="ponder")
        assert result.move in board.legal_moves
        board.push(result.move)
        replies = list(board.legal_moves)
        if result.ponder is None:
            seconds *= 2  # too little to expect a reply: on a loaded machine there may be no second simulation
        if result.ponder is not None and turn % 2:
            assert result.ponder in replies
            board.push(result.ponder)
            hits += 1
        else:
            others = [move for move in replies if move != result.ponder]
            if not others:
                break
            board.push(others[0])
            misses += 1
    assert misses
