"""GTP's commands for Go: komi, handicap, scoring."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from playout.games.errors import GameError, IllegalMove
from playout.protocols.gtp_board import PASS, Board, Record, canonical
from playout.protocols.gtp_syntax import Command, GtpError, Handler, arguments, integer, real

FIXED_HANDICAP_MOST = 9


class _Go:
    def __init__(self, board: Board) -> None:
        self._board = board

    def komi(self, command: Command) -> str:
        """Keeps the position."""
        komi = real(arguments(command, "KOMI", 1)[0])
        if komi != self._board.game.komi:
            changed = dataclasses.replace(self._board.game, komi=komi)
            self._board.load(dataclasses.replace(self._board.record(), game=changed))
        return ""

    def get_komi(self, _: Command) -> str:
        return f"{self._board.game.komi:g}"

    def fixed_handicap(self, command: Command) -> str:
        number = integer(arguments(command, "STONES", 1)[0])
        self._check_empty()
        try:
            return self._place(self._points(number))
        except GameError:
            raise GtpError("invalid number of stones") from None

    def place_free_handicap(self, command: Command) -> str:
        """Fewer stones than were asked for where the fixed places run out, as GTP allows."""
        number = integer(arguments(command, "STONES", 1)[0])
        self._check_empty()
        if 2 <= number < self._board.game.size**2:
            for count in range(min(number, FIXED_HANDICAP_MOST), 1, -1):
                try:
                    return self._place(self._points(count))
                except GameError:
                    continue
        raise GtpError("invalid number of stones")

    def set_free_handicap(self, command: Command) -> str:
        self._check_empty()
        try:
            points = [canonical(self._board.game, word) for word in command.arguments]
        except IllegalMove:
            raise GtpError("bad vertex list") from None
        most = self._board.game.size**2 - 1
        if not 2 <= len(points) <= most or len(set(points)) < len(points) or PASS in points:
            raise GtpError("bad vertex list")
        self._place(points)
        return ""

    def final_score(self, _: Command) -> str:
        """``B+3.5`` or the like with every stone on the board alive, as under the rules of CGOS."""
        lead = self._board.game.score(self._board.state)
        return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"

    def final_status_list(self, command: Command) -> str:
        """The chains of a status, a line each: all stones on the board are alive, as under the rules of CGOS."""
        status = arguments(command, "alive|seki|dead", 1)[0].lower()
        if status not in ("alive", "seki", "dead"):
            raise GtpError("syntax error: expected alive, seki or dead")
        if status != "alive":
            return ""
        game, state = self._board.game, self._board.state
        chains = [chain for stones in game.stones(state) for chain in _chains(stones, game.size)]
        return "\n".join(" ".join(game.action_to_text(state, point) for point in chain) for chain in chains)

    def _check_empty(self) -> None:
        if self._board.begun:
            raise GtpError("board not empty")

    def _points(self, number: int) -> list[str]:
        game = self._board.game
        return [game.action_to_text(game.initial_state(), point) for point in game.handicap_points(number)]

    def _place(self, points: Iterable[str]) -> str:
        stones = tuple((0, point) for point in points)
        self._board.load(Record(self._board.game, stones, first=1))
        return " ".join(point for _, point in stones)


def go_commands(board: Board) -> dict[str, Handler]:
    """The commands."""
    go = _Go(board)
    return {
        "komi": go.komi,
        "get_komi": go.get_komi,
        "fixed_handicap": go.fixed_handicap,
        "place_free_handicap": go.place_free_handicap,
        "set_free_handicap": go.set_free_handicap,
        "final_score": go.final_score,
        "final_status_list": go.final_status_list,
    }


def _chains(stones: Iterable[int], size: int) -> list[list[int]]:
    """``stones`` of one colour, sorted into chains of neighbours."""
    left, chains = set(stones), []
    while left:
        chain, ahead = [], [min(left)]
        left.remove(ahead[0])
        while ahead:
            point = ahead.pop()
            chain.append(point)
            column = point % size
            beside = [point - size, point + size]
            beside += [point - 1] if column > 0 else []
            beside += [point + 1] if column < size - 1 else []
            for neighbour in left.intersection(beside):
                left.remove(neighbour)
                ahead.append(neighbour)
        chains.append(sorted(chain))
    return chains
