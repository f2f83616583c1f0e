"""GTP commands that inspect the game, as GNU Go and KataGo have them, and commands that set up a position."""

from __future__ import annotations

from typing import Any

from playout.games.board_hooks import HasHandicap, HasSetup, points
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.game import HasPlayerChange, action_to_text, text_to_action
from playout.games.support.go.board import EMPTY, Stones
from playout.protocols.gtp.board import PASS, Board, GameRecord, Stone, canonical
from playout.protocols.gtp.clock import NAMES
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, arguments, colour


class _Inspect:
    def __init__(self, board: Board) -> None:
        self._board = board

    def last_move(self, _: GtpCommand) -> str:
        """``last_move``: answers the colour and the move played last, such as ``black D4``."""
        moves = self._board.record().moves
        if not moves:
            raise GtpError("no previous move known")
        return _played(moves[-1])

    def move_history(self, _: GtpCommand) -> str:
        """``move_history``: answers the moves played, one on each line, the last one first."""
        return "\n".join(_played(move) for move in reversed(self._board.record().moves))

    def is_legal(self, command: GtpCommand) -> str:
        """``is_legal COLOUR MOVE``: answers ``1`` if the colour may play the move, else ``0``."""
        words = arguments(command, "COLOUR MOVE", 2, 9)
        state = self._state_of(colour(words[0]))
        if state is None:
            return "0"
        try:
            text_to_action(self._board.game, state, " ".join(words[1:]))
        except IllegalMove:
            return "0"
        return "1"

    def all_legal(self, command: GtpCommand) -> str:
        """``all_legal COLOUR``: answers the moves that the colour may play."""
        state = self._state_of(colour(arguments(command, "COLOUR", 1)[0]))
        game = self._board.game
        actions = () if state is None else game.legal_actions(state)
        return " ".join(action_to_text(game, state, action) for action in actions)

    def clear_cache(self, _: GtpCommand) -> str:
        """``clear_cache``: clears the graph of earlier searches."""
        self._board.session.set_option("Clear Hash", "")
        return ""

    def get_random_seed(self, _: GtpCommand) -> str:
        """``get_random_seed``: answers the option Seed."""
        return str(self._board.session.options.integer("Seed"))

    def set_random_seed(self, command: GtpCommand) -> str:
        """``set_random_seed NUMBER``: sets the option Seed."""
        self._board.session.set_option("Seed", arguments(command, "NUMBER", 1)[0])
        return ""

    def set_position(self, command: GtpCommand) -> str:
        """``set_position [COLOUR POINT ...]``: sets up these stones on an empty board. The record of moves is empty;
        Black is to move."""
        words = command.arguments
        if len(words) % 2:
            raise GtpError("syntax error: expected set_position COLOUR POINT ...")
        game = self._board.game
        try:
            stones = [
                (colour(word), canonical(game, point)) for word, point in zip(words[::2], words[1::2], strict=True)
            ]
            points = [point for _, point in stones]
            if PASS in points or len(set(points)) < len(points):
                raise GtpError("illegal position")
            self._board.load(GameRecord(game, tuple(stones)))
        except GtpError:
            raise
        except PlayoutError:
            raise GtpError("illegal position") from None
        return ""

    def list_stones(self, command: GtpCommand) -> str:
        """``list_stones COLOUR``: answers the points of the colour's stones."""
        stones = self._board.game.stones(self._board.state)[colour(arguments(command, "COLOUR", 1)[0])]
        return " ".join(self._board.game.action_to_text(self._board.state, point) for point in sorted(stones))

    def captures(self, command: GtpCommand) -> str:
        """``captures COLOUR``: answers the number of stones that the colour has captured."""
        return str(self._board.game.captures(self._board.state)[colour(arguments(command, "COLOUR", 1)[0])])

    def color(self, command: GtpCommand) -> str:
        """``color POINT``: answers ``black``, ``white`` or ``empty``."""
        board, point = self._point(command)
        return ("black", "white", "empty")[board.points[point]]

    def countlib(self, command: GtpCommand) -> str:
        """``countlib POINT``: answers the number of liberties of the chain there."""
        board, point = self._point(command)
        if board.points[point] == EMPTY:
            raise GtpError("vertex must not be empty")
        return str(len(board.liberties(board.chain(point))))

    def get_handicap(self, _: GtpCommand) -> str:
        """``get_handicap``: answers the number of Black's handicap stones."""
        return str(self._board.record().handicap)

    def _state_of(self, player: int) -> Any:
        """The position with ``player`` to move; None if the game is over, or it is the other player's turn and the game
        keeps turns."""
        board = self._board
        if board.over:
            return None
        if board.mover in (player, None):
            return board.state
        return board.game.with_player(board.state, player) if isinstance(board.game, HasPlayerChange) else None

    def _point(self, command: GtpCommand) -> tuple[Stones, int]:
        game = self._board.game
        (word,) = arguments(command, "POINT", 1)
        try:
            point = text_to_action(game, game.initial_state(), word)
        except IllegalMove:
            point = None
        if point not in points(game):
            raise GtpError("invalid coordinate")
        return Stones.of(game.columns, game.rows, game.stones(self._board.state)), point


def inspect_commands(board: Board) -> dict[str, Handler]:
    """The commands that the board's game has."""
    inspect = _Inspect(board)
    commands: dict[str, Handler] = {
        "last_move": inspect.last_move,
        "move_history": inspect.move_history,
        "is_legal": inspect.is_legal,
        "all_legal": inspect.all_legal,
        "clear_cache": inspect.clear_cache,
        "get_random_seed": inspect.get_random_seed,
        "set_random_seed": inspect.set_random_seed,
        "echo": _echo,
    }
    if isinstance(board.game, HasSetup):
        commands["set_position"] = inspect.set_position
    if board.territory:
        commands |= {
            "list_stones": inspect.list_stones,
            "captures": inspect.captures,
            "color": inspect.color,
            "countlib": inspect.countlib,
        }
    if isinstance(board.game, HasHandicap):
        commands["get_handicap"] = inspect.get_handicap
    return commands


def _echo(command: GtpCommand) -> str:
    """``echo TEXT``: answers the text."""
    return " ".join(command.arguments)


def _played(move: Stone) -> str:
    player, text = move
    return f"{NAMES[player].lower()} {text}"
