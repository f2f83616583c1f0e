"""Stones of Go without the history: a mutable board, fast enough to replay playouts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

BLACK, WHITE, EMPTY = 0, 1, 2


@cache
def neighbours(columns: int, rows: int) -> tuple[tuple[int, ...], ...]:
    """Returns for each point its adjacent points; points are numbered as in ``Go``."""
    area = columns * rows
    return tuple(
        tuple(
            beside
            for beside, there in (
                (point - columns, point >= columns),
                (point + columns, point < area - columns),
                (point - 1, point % columns > 0),
                (point + 1, point % columns < columns - 1),
            )
            if there
        )
        for point in range(area)
    )


class Stones:
    """The content of each point: ``BLACK``, ``WHITE`` or ``EMPTY``."""

    def __init__(self, columns: int, rows: int) -> None:
        self.points = [EMPTY] * (columns * rows)
        self._neighbours = neighbours(columns, rows)

    @staticmethod
    def of(columns: int, rows: int, stones: Sequence[Iterable[int]]) -> Stones:
        """Returns the board with the given stones of Black and White."""
        board = Stones(columns, rows)
        for player, points in enumerate(stones):
            for point in points:
                board.points[point] = player
        return board

    def copy(self) -> Stones:
        """Returns a copy."""
        board = Stones.__new__(Stones)
        board.points, board._neighbours = self.points.copy(), self._neighbours
        return board

    def play(self, point: int, player: int) -> None:
        """Puts a stone on an empty point and removes chains without liberties, the opponent's first."""
        points = self.points
        points[point] = player
        for beside in self._neighbours[point]:
            if points[beside] == 1 - player:
                self._remove_without_liberty(beside)
        self._remove_without_liberty(point)

    def chain(self, point: int) -> set[int]:
        """Returns the points connected with ``point`` that have the same content."""
        points, what = self.points, self.points[point]
        chain, ahead = {point}, [point]
        while ahead:
            for beside in self._neighbours[ahead.pop()]:
                if points[beside] == what and beside not in chain:
                    chain.add(beside)
                    ahead.append(beside)
        return chain

    def chains(self, player: int) -> list[list[int]]:
        """Returns the chains of ``player``, each sorted, in the order of their first points."""
        found, seen = [], set[int]()
        for point, what in enumerate(self.points):
            if what == player and point not in seen:
                chain = self.chain(point)
                seen |= chain
                found.append(sorted(chain))
        return found

    def beside(self, point: int) -> tuple[int, ...]:
        """Returns the points adjacent to ``point``."""
        return self._neighbours[point]

    def liberties(self, chain: Iterable[int]) -> set[int]:
        """Returns the liberties of a chain."""
        return {n for stone in chain for n in self._neighbours[stone] if self.points[n] == EMPTY}

    def regions(self) -> list[tuple[set[int], set[int]]]:
        """Returns the connected regions of empty points, each with the adjacent stones."""
        found, seen = [], set[int]()
        for point, what in enumerate(self.points):
            if what == EMPTY and point not in seen:
                region = self.chain(point)
                seen |= region
                around = {beside for inner in region for beside in self._neighbours[inner]} - region
                found.append((region, around))
        return found

    def _remove_without_liberty(self, point: int) -> None:
        points, player = self.points, self.points[point]
        chain, ahead = {point}, [point]
        while ahead:
            for beside in self._neighbours[ahead.pop()]:
                what = points[beside]
                if what == EMPTY:
                    return
                if what == player and beside not in chain:
                    chain.add(beside)
                    ahead.append(beside)
        for stone in chain:
            points[stone] = EMPTY
