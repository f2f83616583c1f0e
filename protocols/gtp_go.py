"""GTP's commands for Go: komi, handicap, scoring."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from playout.engine.ownership import is_dead
from playout.games.errors import GameError, IllegalMove
from playout.protocols.gtp_board import PASS, Board, Record, canonical
from playout.protocols.gtp_syntax import Command, GtpError, Handler, arguments, integer, real

FIXED_HANDICAP_MOST = 9
DRAWS = ("0", "DRAW", "JIGO")


class _Go:
    def __init__(self, board: Board) -> None:
        self._board = board

    def komi(self, command: Command) -> str:
        """``komi POINTS``: what White is given; the position stays."""
        komi = real(arguments(command, "KOMI", 1)[0])
        if komi != self._board.game.komi:
            changed = dataclasses.replace(self._board.game, komi=komi)
            self._board.load(dataclasses.replace(self._board.record(), game=changed))
        return ""

    def get_komi(self, _: Command) -> str:
        """``get_komi``: the komi."""
        return f"{self._board.game.komi:g}"

    def fixed_handicap(self, command: Command) -> str:
        """``fixed_handicap STONES``: places 2 to 9 handicap stones on the fixed points, and answers these."""
        number = integer(arguments(command, "STONES", 1)[0])
        self._check_empty()
        try:
            return self._place(self._points(number))
        except GameError:
            raise GtpError("invalid number of stones") from None

    def place_free_handicap(self, command: Command) -> str:
        """``place_free_handicap STONES``: places handicap stones where the engine likes, and answers their points:
        fewer stones than were asked for where the fixed points run out."""
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
        """``set_free_handicap POINT ...``: places handicap stones where the controller likes."""
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
        """``final_score``: who wins by how much, as ``B+3.5``, or ``0``; stones that playouts judge dead are taken
        off."""
        lead = self._board.game.score(self._board.state, dead_points(self._board))
        return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"

    def game_over(self, command: Command) -> str:
        """``cgos-gameover RESULT``: says how the game ended off the board, as ``B+3.5``, ``W+Resign`` or ``0``, for the
        option BookLearn."""
        result = arguments(command, "RESULT", 1)[0].upper()
        value = {"B": 1.0, "W": -1.0}.get(result[:1]) if result[1:2] == "+" else 0.0 if result in DRAWS else None
        if value is None:
            raise GtpError("syntax error: expected B+..., W+... or 0")
        self._board.session.ended(value)
        return ""

    def final_status_list(self, command: Command) -> str:
        """``final_status_list alive|seki|dead``: the chains of a status, one a line. Dead is what playouts judge dead;
        nothing is called seki."""
        status = arguments(command, "alive|seki|dead", 1)[0].lower()
        if status not in ("alive", "seki", "dead"):
            raise GtpError("syntax error: expected alive, seki or dead")
        game, state = self._board.game, self._board.state
        chains = [chain for chain, dead in judged_chains(self._board) if status == ("dead" if dead else "alive")]
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
        "cgos-gameover": go.game_over,
        "final_score": go.final_score,
        "final_status_list": go.final_status_list,
    }


def judged_chains(board: Board) -> list[tuple[list[int], bool]]:
    """Each chain on the board, Black's first, and whether it is dead."""
    game, owners = board.game, board.session.ownership()
    sides = enumerate(game.stones(board.state))
    return [(chain, is_dead(chain, player, owners)) for player, own in sides for chain in _chains(own, game.size)]


def dead_points(board: Board) -> frozenset[int]:
    """The points of all dead chains."""
    return frozenset(point for chain, dead in judged_chains(board) if dead for point in chain)


def passing_loses(board: Board, player: int) -> bool:
    """Whether ``player`` wins the board as it stands, but not without the stones that are dead: an opponent who passes
    too, and a referee who takes dead stones off, would turn the game."""
    game, sign = board.game, 1 if player == 0 else -1
    as_it_stands, without_dead = (float(game.score(board.state, dead)) for dead in ((), dead_points(board)))
    return sign * as_it_stands > 0 >= sign * without_dead


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
