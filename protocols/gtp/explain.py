"""GTP's command that explains to users why a move is the best or why it was played."""

from __future__ import annotations

from collections.abc import Mapping

from playout.engine.terms.info import MoveInfo, SearchResult
from playout.protocols.gtp.board import Board
from playout.protocols.gtp.clock import NAMES
from playout.protocols.gtp.info_lines import lower_bound, win_rate
from playout.protocols.gtp.last_search import LastSearch, Searched, searched
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking, arguments, integer

CANDIDATES = 10
LONGEST_LINE = 12
REASONS = {
    "stop": "it was told to stop",
    "deadline": "its time was up",
    "nodes": "it had made all its simulations",
    "depth": "its variation was long enough",
    "mate": "it had found the win that was asked for",
    "proven": "the result is proven",
    "decided": "no other move could have caught up",
    "forced": "there is only one move",
    "fault": "the game's code failed",
}
"""Texts for the reasons of ``SearchResult`` why a search ended. ``book`` is missing: it is explained separately."""


class _Explain:
    def __init__(self, board: Board, memory: LastSearch, search: Handler) -> None:
        self._board = board
        self._memory = memory
        self._search = search

    def explain(self, command: GtpCommand) -> str | Thinking:
        """``explain [CANDIDATES]``: Explains the last move if the last search chose it. Otherwise explains the best
        move here, after a search if necessary. Lists the candidates with their visits, win rates and lines."""
        words = arguments(command, "[CANDIDATES]", 0, 1)
        most = integer(words[0]) if words else CANDIDATES
        if most < 1:
            raise GtpError("syntax error: the number of candidates is 1 or more")
        last = self._memory.last
        if last is not None and self._followed(last):
            return report(last.result, last.player, self._board.record().moves[-1][1], most)
        player = self._board.mover
        if player is None:
            raise GtpError("the game is over")
        mover = max(player, 0)
        return searched(command, mover, self._memory, self._search, lambda result: report(result, mover, None, most))

    def _followed(self, last: Searched) -> bool:
        """Whether the last search was for the last move: only this move has been made since, by the same player."""
        record, before = self._board.record(), last.record
        same = (record.game, record.setup, record.first) == (before.game, before.setup, before.first)
        return same and record.moves[:-1] == before.moves and [p for p, _ in record.moves[-1:]] == [last.player]


def explain_commands(board: Board, memory: LastSearch, commands: Mapping[str, Handler]) -> dict[str, Handler]:
    """The command; ``commands`` has ``reg_genmove``."""
    return {"explain": _Explain(board, memory, commands["reg_genmove"]).explain}


def report(result: SearchResult, player: int, played: str | None, most: int) -> str:
    """The explanation of ``played`` or, if that is None, of the move that the search chose."""
    moves, info = result.info.moves, result.info
    move = played or result.move or "pass"
    lines = [f"{NAMES[player]} {'played' if played else 'to move: best is'} {move}. {_why(result, move)}"]
    if moves:
        lines.append(
            f"{info.simulations} {'simulation' if info.simulations == 1 else 'simulations'} in {info.time:.2f} s after"
            f" {max(0, info.visits - info.simulations)} of earlier searches, {info.depth:.1f} plies deep on average,"
            f" {info.seldepth} at most; the search ended because {REASONS.get(result.reason, result.reason)}."
            f" Win rates are {NAMES[player]}'s."
        )
        width = max(4, *(len(one.move) for one in moves[:most]))
        lines.append(f"  {'move':<{width}}  {'visits':>8} {'share':>6} {'wins':>6} {'surely':>6}  line")
        lines += [_row(one, width, max(1, sum(other.visits for other in moves))) for one in moves[:most]]
        if len(moves) > most:
            lines.append(f"  and {len(moves) - most} more")
    return "\n".join(lines)


def _row(move: MoveInfo, width: int, visits: int) -> str:
    line = " ".join(move.pv[:LONGEST_LINE]) + (" ..." if len(move.pv) > LONGEST_LINE else "")
    shares = [move.visits / visits, win_rate(move.value), lower_bound(move)]
    numbers = " ".join(f"{share:>6.1%}" for share in shares)
    return f"  {move.move:<{width}}  {move.visits:>8} {numbers}  {line}{_proof(move)}"


def _proof(move: MoveInfo) -> str:
    if not move.proven:
        return ""
    result = "won" if move.value > 0 else "lost" if move.value < 0 else "drawn"
    return f" ({result}, proven)" if move.plies is None else f" ({result} in {move.plies} plies, proven)"


def _why(result: SearchResult, move: str) -> str:
    """The reason for ``move``, in one sentence."""
    if result.book is not None and result.move == move:
        return f"It is a book's: {result.book}."
    moves = result.info.moves
    ranks = {one.move: rank for rank, one in enumerate(moves)}
    if move not in ranks:
        return "The search did not look at it." if moves else "There was nothing to choose."
    this = moves[ranks[move]]
    if this.proven:
        return f"It is{_proof(this).strip(' ()').join((' ', '.'))}"
    if ranks[move] > 0:
        return (
            f"The search put it in place {ranks[move] + 1}, at {win_rate(this.value):.1%}, behind {moves[0].move} at"
            f" {win_rate(moves[0].value):.1%}."
        )
    if len(moves) == 1:
        return "It was the only move that the search looked at."
    return (
        f"It was searched most: {this.visits} visits at {win_rate(this.value):.1%}, against {moves[1].visits} at"
        f" {win_rate(moves[1].value):.1%} for {moves[1].move}."
    )
