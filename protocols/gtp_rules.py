"""GoGui's commands by which it plays games that it does not know: it asks for the board and the legal moves.

They need a game whose moves each name a cell (``HasCells``). A cell is written as a point of Go: columns from A without
I, rows from 1 at the bottom.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from playout.engine.info import SearchResult
from playout.games.game import HasCells, text_to_action
from playout.protocols.gtp_board import PASS, Board
from playout.protocols.gtp_clock import NAMES
from playout.protocols.gtp_syntax import Command, Handler, Thinking

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
MARKS = {0: "X", 1: "O", None: "."}


class _Rules:
    def __init__(self, board: Board) -> None:
        self._board = board

    def game_id(self, _: Command) -> str:
        """``gogui-rules_game_id``: The game's name in one word."""
        name = "".join(letter for letter in self._board.game.name.partition(":")[0] if letter.isalpha())
        return name.capitalize()

    def board(self, _: Command) -> str:
        """``gogui-rules_board``: The board, rows from the top: X is Black's, O is White's, a point is nobody's."""
        rows = self._board.game.cells(self._board.state)
        return "\n" + "\n".join(" ".join(MARKS[owner] for owner in row) for row in reversed(rows))

    def board_size(self, _: Command) -> str:
        """``gogui-rules_board_size``: The size or, if the board is not square, columns and rows."""
        rows = self._board.game.cells(self._board.state)
        width, height = len(rows[0]), len(rows)
        return str(width) if width == height else f"{width} {height}"

    def legal_moves(self, _: Command) -> str:
        """``gogui-rules_legal_moves``: The points that may be played; none after the end."""
        game, state = self._board.game, self._board.state
        return " ".join(point(game, state, action) for action in game.legal_actions(state))

    def side_to_move(self, _: Command) -> str:
        """``gogui-rules_side_to_move``: ``black`` or ``white``."""
        moves, mover = self._board.record().moves, self._board.mover
        if mover is None:
            mover = 1 - moves[-1][0] if moves else 0
        return NAMES[max(mover, 0)].lower()

    def final_result(self, _: Command) -> str:
        """``gogui-rules_final_result``: Who has won, for people; ``unknown`` before the end."""
        returns = self._board.game.returns(self._board.state)
        if returns is None:
            return "unknown"
        return "Draw" if returns[0] == 0 else f"{NAMES[0 if returns[0] > 0 else 1]} wins"

    def captured_count(self, _: Command) -> str:
        """``gogui-rules_captured_count``: Men taken by Black and by White: none in the games that have cells."""
        return "0 0"


def rules_commands(board: Board) -> dict[str, Handler]:
    """The commands, for a game with cells that is neither Go nor Hex."""
    if not with_cells(board):
        return {}
    rules = _Rules(board)
    return {
        "gogui-rules_game_id": rules.game_id,
        "gogui-rules_board": rules.board,
        "gogui-rules_board_size": rules.board_size,
        "gogui-rules_legal_moves": rules.legal_moves,
        "gogui-rules_side_to_move": rules.side_to_move,
        "gogui-rules_final_result": rules.final_result,
        "gogui-rules_captured_count": rules.captured_count,
    }


def with_cells(board: Board) -> bool:
    """Whether the game is shown as one that GoGui does not know."""
    return isinstance(board.game, HasCells) and board.kernel not in ("go", "hex")


def point(game: Any, state: Any, action: Any) -> str:
    """The cell of an action as a point; ``pass`` for an action without a cell."""
    cell = game.cell(state, action)
    return PASS if cell is None else f"{COLUMNS[cell[0]]}{cell[1] + 1}"


def answering_points(board: Board, commands: Mapping[str, Handler]) -> dict[str, Handler]:
    """``genmove`` and ``reg_genmove`` of a game with cells, which answer with points."""

    def pointed(search: Handler) -> Handler:
        def handler(command: Command) -> str | Thinking:
            outcome = search(command)
            if isinstance(outcome, str):
                return outcome

            def finish(result: SearchResult) -> str:
                game, state = board.game, board.state
                text = outcome.finish(result)
                return text if text in (PASS, "resign") else point(game, state, text_to_action(game, state, text))

            return replace(outcome, finish=finish)

        handler.__doc__ = search.__doc__
        return handler

    names = ("genmove", "reg_genmove") if with_cells(board) else ()
    return {name: pointed(commands[name]) for name in names}
