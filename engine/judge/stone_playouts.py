"""Playouts on stones alone, for games with territory that are written in Python.

They implement only the captures of Go and no other rule of the game. So a playout takes milliseconds, while the game's
own ``legal_actions`` would take seconds.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache

from playout.games.board_hooks import HasPoints, HasTerritory
from playout.games.support.go.board import EMPTY, Stones, neighbours

MOST = 64
"""Greatest number of playouts for one answer. The standard error of a point's ownership is then at most 0.125."""
LENGTH = 3
"""Greatest length of a playout in plies, as a multiple of the number of points."""


class StonePosition:
    """Stones on the board of a game, and the player to move."""

    def __init__(self, game: HasTerritory, state: object, player: int) -> None:
        assert isinstance(game, HasPoints)
        self._sides = (game.columns, game.rows)
        self._stones = Stones.of(*self._sides, game.stones(state))
        self._player = player

    def end(self, seed: int) -> Stones:
        """The stones at the end of a playout."""
        board, rng = self._stones.copy(), random.Random(seed)
        player, passes, ko = self._player, 0, None
        for _ in range(LENGTH * len(board.points)):
            after, ko = _played(board, player, rng, ko, _corners(*self._sides))
            passes = passes + 1 if after is None else 0
            if passes == 2:
                break
            board, player = after or board, 1 - player
        return board

    def ownership(self, count: int, seed: int) -> list[float]:
        """Expected ownership of each point at the end, in [-1, 1], over at most ``MOST`` playouts; 1 is player 0."""
        count = min(count, MOST)
        owners = [0.0] * len(self._stones.points)
        for number in range(count):
            for point, owner in enumerate(_owners(self.end(seed + number))):
                owners[point] += owner / count
        return owners


def _owners(board: Stones) -> list[int]:
    """The owner of each point: 1 for player 0, -1 for player 1, 0 for none. A player owns the stones of the own colour
    and the regions that reach only these."""
    owners = [(1, -1, 0)[what] for what in board.points]
    for region, around in board.regions():
        sides = {owners[point] for point in around}
        if len(sides) == 1:
            owner = sides.pop()
            for point in region:
                owners[point] = owner
    return owners


def _played(
    board: Stones, player: int, rng: random.Random, ko: int | None, corners: Sequence[Sequence[int]]
) -> tuple[Stones | None, int | None]:
    """The board after a random stone, and the point that may not be retaken at once; no board if there is no sensible
    point. A stone fills no eye of its player's own and is taken neither at once nor, unless it takes stones itself, by
    the next move."""
    empty = [point for point, what in enumerate(board.points) if what == EMPTY and point != ko]
    while empty:
        place = rng.randrange(len(empty))
        point, empty[place] = empty[place], empty[-1]
        empty.pop()
        if _is_eye(board, point, player, corners[point]):
            continue
        after = board.copy()
        after.play(point, player)
        if after.points[point] != player:
            continue
        chain = after.chain(point)
        liberties = after.liberties(chain)
        taken = [n for n in board.beside(point) if board.points[n] == 1 - player and after.points[n] == EMPTY]
        if taken or len(liberties) > 1:
            return after, taken[0] if len(taken) == len(liberties) == len(chain) == 1 else None
    return None, None


def _is_eye(board: Stones, point: int, player: int, corners: Sequence[int]) -> bool:
    """Whether an empty point is an eye of ``player``: his stones around it, and at most one of the opponent's at its
    corners, none on the edge."""
    if any(board.points[n] != player for n in board.beside(point)):
        return False
    hostile = sum(board.points[corner] == 1 - player for corner in corners)
    return hostile <= (len(corners) == 4)


@cache
def _corners(columns: int, rows: int) -> tuple[tuple[int, ...], ...]:
    """For each point, the points that touch it diagonally."""
    around = neighbours(columns, rows)
    paths = [Counter(there for beside in around[point] for there in around[beside]) for point in range(columns * rows)]
    return tuple(
        tuple(there for there, ways in count.items() if ways == 2 and there != point)
        for point, count in enumerate(paths)
    )
