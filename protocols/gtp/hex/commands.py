"""GTP commands for games with a swap rule, in the dialects of Hex programs: swaps by three names, and resignations.

``swap-pieces`` gives Black's first stone to White, reflected in the long diagonal, and Black moves next. ``swap-sides``
leaves the board as it is: the players change their colours, so that White moves next. Benzene's programs write
``swap-pieces`` for ``swap-sides``; the option SwapDialect selects their meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from playout.protocols.gtp.board import SWAP, Board
from playout.protocols.gtp.syntax import GtpCommand, Handler, Thinking, arguments, colour, then
from playout.protocols.gtp.table import Wraps

SIDES = ("swap-sides", "swap")
RESIGN = "resign"


class _Swap:
    def __init__(self, board: Board, commands: Mapping[str, Handler]) -> None:
        self._board = board
        self._play = commands["play"]
        self._genmove = commands["genmove"]

    def play(self, command: GtpCommand) -> str | Thinking:
        """``play COLOUR MOVE``: plays a cell, ``swap-pieces``, ``swap-sides`` (also called ``swap``) or ``resign``, for
        either colour at any time."""
        word, *others = arguments(command, "COLOUR MOVE", 2, 9)
        player, move = colour(word), " ".join(others).lower()
        if move == RESIGN:
            self._board.session.ended(2.0 * player - 1.0)
            return ""
        if player == 1 and (move in SIDES or (move == SWAP and self._benzene)):
            self._board.swap_sides()
            return ""
        return self._play(command)

    def genmove(self, command: GtpCommand) -> str | Thinking:
        """``genmove COLOUR``: searches, plays the best move and answers it: a cell or ``swap-pieces``. Answers
        ``resign`` instead of a hopeless move, and after the end of the game."""

        def answered(answer: str) -> str:
            if answer == SWAP and self._benzene:
                self._board.undo(1)
                self._board.swap_sides()
            return answer

        return then(self._genmove(command), answered)

    @property
    def _benzene(self) -> bool:
        return self._board.session.options.text("SwapDialect") == "benzene"


def hex_commands(board: Board, commands: Mapping[str, Handler]) -> dict[str, Wraps]:
    """The commands; they wrap ``play`` and ``genmove``, which ``commands`` holds."""
    swap = _Swap(board, commands)
    return {"play": Wraps(swap.play), "genmove": Wraps(swap.genmove)}
