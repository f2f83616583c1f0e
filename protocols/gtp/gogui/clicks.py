"""GTP's commands for a board that is played click by click (``StepBoard``), and what GoGui shows of it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from playout.engine.terms.info import SearchResult
from playout.games.game import CHANCE, Cell, HasLabels, HasShades, action_to_text
from playout.protocols.gtp.board import PASS, Board
from playout.protocols.gtp.clock import NAMES
from playout.protocols.gtp.gogui.game_rules import GameRules, listed
from playout.protocols.gtp.gogui.steps import StepBoard, Way, vertex
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking, arguments, colour, then
from playout.protocols.gtp.table import Wraps


class _StepRules(GameRules):
    """GoGui's rules of a board that is clicked."""

    def __init__(self, board: StepBoard) -> None:
        super().__init__(board)
        self._steps = board

    def _rows(self) -> Sequence[Sequence[int | None]]:
        return self._steps.cells

    def _points(self) -> list[str]:
        return [vertex(step) for step in self._steps.choices()]

    def board_gfx(self, _: GtpCommand) -> str:
        """``gogui-rules_board_gfx``: GoGui's drawing of the board: colours of cells, letters or numbers of men, dice,
        squares on the cells clicked so far, circles on the cells that may follow, triangles on the last move."""
        board, game = self._steps, self._board.game
        state, lines = board.state, ["CLEAR"]
        if isinstance(game, HasShades):
            lines += [_marked(f"COLOR {shade}", cells) for shade, cells in game.shades().items()]
        if isinstance(game, HasLabels):
            labels = game.labels(state, board.clicked)
            lines.append(" ".join(["LABEL", *(f"{vertex((cell,))} {text}" for cell, text in labels.items())]))
        if board.clicked:
            lines += [
                _marked("SQUARE", board.clicked),
                _marked("CIRCLE", [step[0] for step in board.choices() if step]),
            ]
        lines.append(_marked("TRIANGLE", dict.fromkeys(board.last)))
        lines.append(f"TEXT {self._status()}")
        return "\n".join(line for line in lines if " " in line or line == "CLEAR")

    def _status(self) -> str:
        """The status line: the result, the request for a roll, or the player to move with the clicks made so far."""
        if self._board.over:
            return self.final_result(GtpCommand("", "", (), 0.0))
        if self._board.mover == CHANCE:
            return "Click an empty point to throw the dice"
        mover = f"{NAMES[self._board.mover or 0]} to move"
        return f"{mover}: {' '.join(vertex((cell,)) for cell in self._steps.clicked)}" if self._steps.clicked else mover


def _marked(word: str, cells: Sequence[Cell] | Mapping[Cell, Any]) -> str:
    return " ".join([word, *(vertex((cell,)) for cell in cells)])


class _Clicked:
    """The commands whose answers differ while the board is clicked."""

    def __init__(self, board: StepBoard, commands: Mapping[str, Handler]) -> None:
        self._board = board
        self._commands = commands

    def genmove(self, command: GtpCommand) -> str | Thinking:
        board = self._board
        player = colour(arguments(command, "COLOUR", 1)[0])
        if board.over:
            return self._commands["genmove"](command)
        if board.mover == CHANCE:
            return self._click(player, board.luck.choice(board.choices()))
        if board.mover != player:
            raise GtpError(f"it is not {NAMES[player]}'s turn")
        if board.plan:
            return self._click(player, board.plan[:1])
        outcome = self._commands["genmove"](command)
        if isinstance(outcome, str):
            return outcome

        def finish(result: SearchResult) -> str | Thinking:
            answer = PASS if result.move is None else vertex(board.remaining(result.move)[:1])
            with board.by_steps():
                text = outcome.finish(result)
            return then(text, lambda text: text if text == "resign" else answer)

        return replace(outcome, limits=self._limits(outcome), finish=finish)

    def reg_genmove(self, command: GtpCommand) -> str | Thinking:
        board = self._board
        outcome = self._commands["reg_genmove"](command)
        if isinstance(outcome, str):
            return outcome

        def first(text: str) -> str:
            return text if text in (PASS, "resign") else vertex(board.remaining(text)[:1])

        return then(outcome, first)

    def showboard(self, command: GtpCommand) -> str | Thinking:
        drawing, clicked = self._commands["showboard"](command), self._board.clicked
        return f"{drawing}\nclicked: {' '.join(vertex((cell,)) for cell in clicked)}" if clicked else drawing

    def is_legal(self, command: GtpCommand) -> str | Thinking:
        words = arguments(command, "COLOUR MOVE", 2, 9)
        points = self._points(colour(words[0]))
        return "1" if " ".join(words[1:]).upper() in map(str.upper, points) else "0"

    def all_legal(self, command: GtpCommand) -> str | Thinking:
        return " ".join(self._points(colour(arguments(command, "COLOUR", 1)[0])))

    def _points(self, player: int) -> list[str]:
        board = self._board
        return [vertex(step) for step in board.choices()] if board.mover in (player, CHANCE) else []

    def _click(self, player: int, step: Way) -> str:
        self._board.click(player, step)
        return vertex(step)

    def _limits(self, outcome: Thinking) -> Any:
        """Limits of the search, restricted to the moves that begin with the clicks made so far."""
        if outcome.limits is None or not self._board.clicked:
            return outcome.limits
        game, state = self._board.game, self._board.state
        moves = tuple(action_to_text(game, state, action) for action in self._board.fitting())
        return replace(outcome.limits, search_moves=moves)


def click_commands(board: Board, commands: Mapping[str, Handler]) -> dict[str, Wraps]:
    """The commands of a game with steps: some answer in clicks once the board is clicked, and the board has a size."""
    if not isinstance(board, StepBoard):
        return {}
    clicked = _Clicked(board, dict(commands))
    handlers: dict[str, Handler] = {
        "genmove": clicked.genmove,
        "reg_genmove": clicked.reg_genmove,
        "showboard": clicked.showboard,
        "is_legal": clicked.is_legal,
        "all_legal": clicked.all_legal,
    }

    def chosen(whole: Handler, step: Handler) -> Handler:
        @functools.wraps(whole)
        def handler(command: GtpCommand) -> str | Thinking:
            return (step if board.clicking else whole)(command)

        return handler

    made = {name: Wraps(chosen(commands[name], handler)) for name, handler in handlers.items()}
    return {**made, "boardsize": Wraps(_StepRules(board).boardsize)}


def click_rules(board: Board) -> dict[str, Handler]:
    """GoGui's rules of a game with steps; each of them begins the clicks."""
    if not isinstance(board, StepBoard):
        return {}
    rules = _StepRules(board)

    def beginning(rule: Handler) -> Handler:
        @functools.wraps(rule)
        def handler(command: GtpCommand) -> str | Thinking:
            board.begin_clicks()
            return rule(command)

        return handler

    commands = {**listed(rules), "gogui-rules_board_gfx": rules.board_gfx}
    return {name: beginning(rule) for name, rule in commands.items()}
