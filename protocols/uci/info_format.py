"""Search reports as the ``info`` and ``bestmove`` lines of UCI and UGI.

Scores are from the point of view of the player to move at the root, as the reports give them.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.protocols.base.centipawns import centipawns

DETAILED_MOVES = 6
"""Root moves in the line of ``details``: it has at most 240 characters."""


@dataclass(frozen=True, slots=True)
class InfoFormat:
    """Format of reports."""

    lines: int = 1
    """Root moves to report (MultiPV)."""
    wdl: bool = False
    """Whether win, draw and loss are reported too, per mille."""
    mate_in_plies: bool = False
    """Whether ``mate`` counts plies (UGI) instead of the winner's moves (UCI)."""


def score(move: MoveInfo, mate_in_plies: bool) -> str:
    """``mate N`` for a proven win, ``mate -N`` for a proven loss, else ``cp N``."""
    if move.plies is not None and (move.lower > 0 or move.upper < 0):
        distance = move.plies if mate_in_plies else (move.plies + 1) // 2
        return f"mate {distance if move.lower > 0 else -distance}"
    return f"cp {centipawns(move.value)}"


def info_lines(info: SearchInfo, style: InfoFormat) -> list[str]:
    """One line per reported root move, best first; one line without a move if none was tried yet."""
    if not info.moves:
        return [f"info depth {_depth(info)} score cp {centipawns(info.value)} {_counts(info)}"]
    return [_line(info, number, move, style) for number, move in enumerate(info.moves[: style.lines], 1)]


def result_lines(result: SearchResult, style: InfoFormat) -> list[str]:
    """The last reports of a search, whose first variation starts with the move to play."""
    if result.move is None:
        return []
    lines = info_lines(dataclasses.replace(result.info, moves=_led_by(result.move, result.info)), style)
    if result.book is not None:
        lines.insert(0, f"info string book: {result.book}")
    return lines


def details(result: SearchResult) -> str:
    """The reason of a search's end, and its statistics of the root's moves: share of the visits, and value for the
    player to move."""
    info = result.info
    visits = sum(move.visits for move in info.moves) or 1
    moves = "; ".join(
        f"{move.move} {move.visits / visits:.1%} {move.value:+.3f}{' proven' * move.proven}"
        for move in info.moves[:DETAILED_MOVES]
    )
    return f"ended by {result.reason}, {info.visits} visits with those kept; {moves or 'no move was searched'}"


def _led_by(best: str, info: SearchInfo) -> tuple[MoveInfo, ...]:
    """The root moves with ``best`` first: a book's or a random choice need not be the search's favourite."""
    unknown = MoveInfo(best, 0, info.value, 0.0, 1.0, 0.0, -1.0, 1.0, None, (best,))
    first = next((move for move in info.moves if move.move == best), unknown)
    return (first, *(move for move in info.moves if move.move != best))


def _line(info: SearchInfo, number: int, move: MoveInfo, style: InfoFormat) -> str:
    wdl = f" wdl {_per_mille(move)}" if style.wdl else ""
    return (
        f"info depth {_depth(info)} seldepth {max(info.seldepth, _depth(info))} multipv {number}"
        f" score {score(move, style.mate_in_plies)}{wdl} {_counts(info)} pv {' '.join(move.pv)}"
    )


def _depth(info: SearchInfo) -> int:
    return max(1, int(info.depth)) if math.isfinite(info.depth) else 1


def _counts(info: SearchInfo) -> str:
    return f"nodes {info.simulations} nps {info.nps} hashfull {info.hashfull} time {int(info.time * 1000)}"


def _per_mille(move: MoveInfo) -> str:
    win, loss = round(1000 * move.win), round(1000 * move.loss)
    loss = min(loss, 1000 - win)
    return f"{win} {1000 - win - loss} {loss}"
