"""Texts of CECP's replies: moves, thinking output, results. ``game`` and ``state`` are of ``playout.games.chess``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from playout.books.base.book import BookMove
from playout.engine.terms.info import MoveInfo, SearchInfo
from playout.games.errors import PlayoutError
from playout.protocols.base.centipawns import centipawns

MATE = 100_000
"""``MATE + N`` is a win in N moves, its negative a loss in N."""
LONGEST_LINE = 40
"""Maximum plies of a principal variation that are written; XBoard cuts long lines."""


def move_text(game: Any, state: Any, move: str) -> str:
    """Returns ``move``, a legal one in the game's notation, in CECP's: O-O and O-O-O in Chess960."""
    if game.chess960:
        san = game.action_to_san(state, game.text_to_action(state, move))
        if san.startswith("O-O"):
            return str(san.rstrip("+#"))
    return move


def san_line(game: Any, state: Any, moves: Iterable[str]) -> str:
    """Returns a line of play from ``state`` in standard algebraic notation, up to the first move that is illegal."""
    words: list[str] = []
    for move in moves:
        try:
            action = game.text_to_action(state, move)
        except PlayoutError:
            break
        words.append(game.action_to_san(state, action))
        state = game.next_state(state, action)
        if len(words) == LONGEST_LINE:
            break
    return " ".join(words)


def thinking(game: Any, state: Any, info: SearchInfo, lines: int, *, opponent: bool = False) -> list[str]:
    """``PLY SCORE TIME NODES SELDEPTH SPEED TBHITS``, a tab and the variation, for each of the best root moves.

    Time is in hundredths of a second, speed in nodes a second, the score in hundredths of a pawn for the player to
    move at ``state`` or, with ``opponent``, for the other one. Hits in tables are not counted: 0.
    """
    depth, sign = _depth(info), -1 if opponent else 1
    return [
        f"{depth} {sign * _score(move)} {int(100 * info.time)} {info.simulations} {max(info.seldepth, depth)}"
        f" {info.nps} 0\t{san_line(game, state, move.pv)}"
        for move in info.moves[:lines]
    ]


def status(info: SearchInfo | None, legal: int, text: str) -> str:
    """``stat01: TIME NODES PLY LEFT MOVES MOVE``: hundredths of a second, and the moves not tried yet of all."""
    if info is None:
        return f"stat01: 0 0 0 {legal} {legal}"
    left = max(0, legal - len(info.moves))
    return f"stat01: {int(100 * info.time)} {info.simulations} {_depth(info)} {left} {legal} {text}".rstrip()


def result_claim(game: Any, state: Any) -> str | None:
    """``1-0 {White mates}`` and its like if the game is over at ``state``."""
    returns = game.returns(state)
    if returns is None:
        return None
    if returns[0]:
        return "1-0 {White mates}" if returns[0] > 0 else "0-1 {Black mates}"
    if not any(state.board.generate_legal_moves()):
        reason = "Stalemate"
    elif state.board.is_insufficient_material():
        reason = "Insufficient material"
    else:
        reason = "Draw by repetition" if state.repetitions >= 2 else "Draw by 50 move rule"
    return f"1/2-1/2 {{{reason}}}"


def book_lines(game: Any, state: Any, name: str, moves: Sequence[BookMove]) -> list[str]:
    """Returns a book's moves, one on each line after a space, and an empty line."""
    whole = sum(move.weight for move in moves) or 1.0
    lines = [f" {name}:"]
    for move in moves:
        games = f", {move.wins}-{move.losses}-{move.draws}" if move.wins + move.losses + move.draws else ""
        lines.append(f" {game.action_to_san(state, move.action)} {100 * move.weight / whole:.0f}%{games}")
    return [*lines, ""]


def _score(move: MoveInfo) -> int:
    if move.plies is not None and (move.lower > 0 or move.upper < 0):
        distance = MATE + (move.plies + 1) // 2
        return distance if move.lower > 0 else -distance
    return centipawns(move.value)


def _depth(info: SearchInfo) -> int:
    return max(1, int(info.depth))
