"""GTP commands by which GoGui plays games that it does not know: it asks for the board and the legal moves.

The game's moves name one cell each (``HasCells``), or are made by several clicks (``HasSteps``, in ``clicks.py``). A
cell is written as a point of Go: columns from A without I, rows from 1 at the bottom.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from playout.games.game import GAP, HasCaptures, HasCells, points_scale, text_to_action
from playout.protocols.gtp.board import PASS, Board
from playout.protocols.gtp.clock import NAMES
from playout.protocols.gtp.gogui.steps import StepBoard, vertex
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking, arguments, integer, then
from playout.protocols.gtp.table import Wraps

MARKS = {0: "X", 1: "O", None: ".", GAP: "?"}


class GameRules:
    """The commands for a board on which each move is one cell."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def game_id(self, _: GtpCommand) -> str:
        """``gogui-rules_game_id``: The game's name in one word."""
        name = "".join(letter for letter in self._board.game.name.partition(":")[0] if letter.isalpha())
        return name.capitalize()

    def board(self, _: GtpCommand) -> str:
        """``gogui-rules_board``: The board, rows from the top: X is Black, O is White, a dot is an empty cell. Question
        marks fill a rectangular board up to a square."""
        rows = self._rows()
        size = max(len(rows), len(rows[0]))
        lines = [" ".join([*(MARKS[owner] for owner in row), *("?" * (size - len(row)))]) for row in reversed(rows)]
        return "\n" + "\n".join([*[" ".join("?" * size)] * (size - len(rows)), *lines])

    def board_size(self, _: GtpCommand) -> str:
        """``gogui-rules_board_size``: The size, the greater of columns and rows. GoGui 1.6.0 needs a square board."""
        return str(self._size())

    def boardsize(self, command: GtpCommand) -> str:
        """``boardsize SIZE``: sets an empty board of that size, or fails with ``unacceptable size``."""
        if integer(arguments(command, "SIZE", 1)[0]) != self._size():
            raise GtpError("unacceptable size")
        self._board.clear()
        return ""

    def _size(self) -> int:
        rows = self._rows()
        return max(len(rows), len(rows[0]))

    def _rows(self) -> Sequence[Sequence[int | None]]:
        rows: Sequence[Sequence[int | None]] = self._board.game.cells(self._board.state)
        return rows

    def _points(self) -> list[str]:
        game, state = self._board.game, self._board.state
        return [point(game, state, action) for action in game.legal_actions(state)]

    def legal_moves(self, _: GtpCommand) -> str:
        """``gogui-rules_legal_moves``: The points that may be played next, and ``pass`` if legal; none after the
        end."""
        return " ".join(self._points())

    def side_to_move(self, _: GtpCommand) -> str:
        """``gogui-rules_side_to_move``: ``black`` or ``white``."""
        moves, mover = self._board.record().moves, self._board.mover
        if mover is None:
            mover = 1 - moves[-1][0] if moves else 0
        return NAMES[max(mover, 0)].lower()

    def final_result(self, _: GtpCommand) -> str:
        """``gogui-rules_final_result``: The result in words; ``unknown`` before the end."""
        game = self._board.game
        returns = game.returns(self._board.state)
        if returns is None:
            return "unknown"
        points = round(abs(returns[0]) * points_scale(game))
        won = f"wins {points} points" if points > 1 else "wins"
        return "Draw" if returns[0] == 0 else f"{NAMES[0 if returns[0] > 0 else 1]} {won}"

    def captured_count(self, _: GtpCommand) -> str:
        """``gogui-rules_captured_count``: Numbers of men that Black and White have captured."""
        game = self._board.game
        black, white = game.captures(self._board.state) if isinstance(game, HasCaptures) else (0, 0)
        return f"{black} {white}"


def rules_commands(board: Board) -> dict[str, Handler]:
    """The commands of a game with cells whose board GoGui does not know."""
    return listed(GameRules(board)) if with_cells(board) else {}


def listed(rules: GameRules) -> dict[str, Handler]:
    """The commands of ``rules`` by their names."""
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
    """Whether GoGui shows the game by its cells, because it does not know the board."""
    return isinstance(board.game, HasCells) and not board.points


def point(game: Any, state: Any, action: Any) -> str:
    """The cell of an action as a point; ``pass`` for an action without a cell."""
    cell = game.cell(state, action)
    return vertex(() if cell is None else (cell,))


def as_points(board: Board, moves: Sequence[str]) -> list[str]:
    """A line of moves from the current position in the notation of the GUI.

    In a game that is shown by its cells these are points. On a board that is clicked they are the clicks that complete
    the first move of the line; there are none if the clicks made so far belong to another move.
    """
    if isinstance(board, StepBoard) and board.clicking:
        action = text_to_action(board.game, board.state, moves[0])
        return [vertex((cell,)) for cell in board.remaining(moves[0])] if action in board.fitting() else []
    if not with_cells(board):
        return list(moves)
    game, state, texts = board.game, board.state, []
    for text in moves:
        texts.append(_as_point(game, state, text))
        state = game.next_state(state, text_to_action(game, state, text))
    return texts


def shown_by_cells(board: Board, commands: Mapping[str, Handler]) -> dict[str, Wraps]:
    """Replacements of common commands in a game with cells: they write moves as points, and give the board a size."""
    if not with_cells(board):
        return {}

    def pointed(search: Handler) -> Handler:
        @functools.wraps(search)
        def handler(command: GtpCommand) -> str | Thinking:
            outcome = search(command)
            if isinstance(outcome, str):
                return outcome
            game, state = board.game, board.state
            return then(outcome, lambda text: text if text in (PASS, "resign") else _as_point(game, state, text))

        return handler

    made = {name: Wraps(pointed(commands[name])) for name in ("genmove", "reg_genmove")}
    return made if hasattr(board.game, "size") else {**made, "boardsize": Wraps(GameRules(board).boardsize)}


def _as_point(game: Any, state: Any, text: str) -> str:
    """A move as a point. The game's own text is kept if only the case of its letter differs."""
    found = point(game, state, text_to_action(game, state, text))
    return text if text.upper() == found else found
