"""GTP commands for the komi of games with territory, and for handicaps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from playout.games.board_hooks import HasHandicap
from playout.games.errors import GameError, IllegalMove
from playout.games.support.go.komi import with_komi
from playout.protocols.gtp.board import PASS, Board, GameRecord, canonical
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, arguments, integer, real


class _Handicap:
    def __init__(self, board: Board) -> None:
        self._board = board

    def komi(self, command: GtpCommand) -> str:
        """``komi POINTS``: sets the komi; the position stays."""
        komi = real(arguments(command, "KOMI", 1)[0])
        if komi != self._board.game.komi:
            changed = with_komi(self._board.game, komi)
            self._board.load(dataclasses.replace(self._board.record(), game=changed))
        return ""

    def get_komi(self, _: GtpCommand) -> str:
        """``get_komi``: answers the komi."""
        return f"{self._board.game.komi:g}"

    def fixed_handicap(self, command: GtpCommand) -> str:
        """``fixed_handicap STONES``: places 2 to 9 handicap stones on the fixed points and answers the points."""
        number = integer(arguments(command, "STONES", 1)[0])
        self._check_empty()
        try:
            points = self._board.game.handicap_points(number)
        except GameError:
            raise GtpError("invalid number of stones") from None
        return self._place(self._names(points))

    def place_free_handicap(self, command: GtpCommand) -> str:
        """``place_free_handicap STONES``: places handicap stones on points that the engine chooses, and answers these.
        Places as many as the fixed points allow, and at most 4 on boards without fixed points."""
        number = integer(arguments(command, "STONES", 1)[0])
        game = self._board.game
        self._check_empty()
        if not 2 <= number < game.columns * game.rows:
            raise GtpError("invalid number of stones")
        return self._place(self._names(game.free_handicap_points(number)))

    def set_free_handicap(self, command: GtpCommand) -> str:
        """``set_free_handicap POINT ...``: places handicap stones on these points."""
        self._check_empty()
        game = self._board.game
        if not 2 <= len(command.arguments) < game.columns * game.rows:
            raise GtpError("bad vertex list")
        try:
            points = [canonical(game, word) for word in command.arguments]
        except IllegalMove:
            raise GtpError("bad vertex list") from None
        if len(set(points)) < len(points) or PASS in points:
            raise GtpError("bad vertex list")
        self._place(points)
        return ""

    def _check_empty(self) -> None:
        if self._board.begun:
            raise GtpError("board not empty")

    def _names(self, points: Iterable[int]) -> list[str]:
        game = self._board.game
        return [game.action_to_text(game.initial_state(), point) for point in points]

    def _place(self, points: Iterable[str]) -> str:
        stones = tuple((0, point) for point in points)
        self._board.load(GameRecord(self._board.game, stones, first=1))
        return " ".join(point for _, point in stones)


def handicap_commands(board: Board) -> dict[str, Handler]:
    """The commands that the board's game has."""
    handicap = _Handicap(board)
    commands: dict[str, Handler] = {}
    if board.territory:
        commands |= {"komi": handicap.komi, "get_komi": handicap.get_komi}
    if isinstance(board.game, HasHandicap):
        commands |= {
            "fixed_handicap": handicap.fixed_handicap,
            "place_free_handicap": handicap.place_free_handicap,
            "set_free_handicap": handicap.set_free_handicap,
        }
    return commands
