"""The last search, for commands that report its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from playout.engine.terms.info import SearchResult
from playout.protocols.gtp.board import Board, GameRecord
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking


@dataclass(frozen=True, slots=True)
class Searched:
    """A search with its result, and the game up to its root."""

    record: GameRecord
    player: int
    """The player to move at the root."""
    result: SearchResult


class LastSearch:
    """Remembers the last search that looked at moves."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self.last: Searched | None = None

    def note(self, result: SearchResult) -> None:
        """Stores the result of a search. The board must still be at the position that was searched."""
        mover = self._board.mover
        if mover in (0, 1) and result.move is not None:
            self.last = Searched(self._board.record(), mover, result)

    def here(self, player: int) -> SearchResult | None:
        """The last search, if it was of this position with ``player`` to move."""
        last = self.last
        same = last is not None and last.player == player and last.record == self._board.record()
        return last.result if last is not None and same and last.result.info.moves else None


def searched(
    command: GtpCommand, player: int, memory: LastSearch, search: Handler, produce: Callable[[SearchResult], str]
) -> str | Thinking:
    """The response that ``produce`` makes of a search of this position with ``player`` to move. That is the last search
    if it fits, else a new one by ``search``, the handler of ``reg_genmove``.

    Raises:
        GtpError: if the game is over, or dice have to be rolled first.
    """
    known = memory.here(player)
    if known is not None:
        return produce(known)
    outcome = search(replace(command, arguments=("bw"[player],)))
    if isinstance(outcome, str):
        raise GtpError("the game is over")

    def finish(result: SearchResult) -> str:
        text = produce(result)
        outcome.finish(replace(result, move=None))
        return text

    return replace(outcome, finish=finish)
