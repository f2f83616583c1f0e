"""Positions and games of Hex: counted exactly on small boards, estimated from samples on larger ones.

Both are numbers of boards, times the share of them that can arise. A board of k stones has ceil(k/2) of the first
player. It is reached in play if no player's chain was complete before the last stone. Without a complete chain any
order of the stones will do; with one, some stone of the last player must break the chain when it is taken away.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

EXACT = 4
"""Greatest size of which all boards are counted: 65,536 sets of one player's stones."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of positions and games of one board size."""

    positions: int
    """Number of legal positions, games that have ended included."""
    games: int
    """Number of games: lines from the empty board to a complete chain."""
    length: float
    """Mean length of uniformly random games in plies."""
    exact: bool


def boards(cells: int, stones: int) -> int:
    """Returns the number of boards with ``stones`` stones, with the players moving in turn."""
    return math.comb(cells, stones) * math.comb(stones, stones // 2)


def counts(size: int, samples: int, rng: random.Random) -> Counts:
    """Returns the counts of a board; up to ``EXACT`` they are exact, beyond from ``samples`` samples of each number of
    stones.
    """
    cells = size * size
    reached, going_on = _exact(size) if size <= EXACT else _sampled(size, samples, rng)
    # A uniformly random line is still going on after d plies with the share of boards of d stones that are.
    ended = [going_on[ply - 1] - going_on[ply] for ply in range(1, cells + 1)]
    return Counts(
        positions=round(sum(share * boards(cells, stones) for stones, share in enumerate(reached))),
        games=round(sum(share * math.perm(cells, ply) for ply, share in enumerate(ended, 1))),
        length=float(sum(share * ply for ply, share in enumerate(ended, 1))),
        exact=size <= EXACT,
    )


class Board:
    """The cells of an n x n board as bits, row by row; rows are shifted as in Hex."""

    def __init__(self, size: int) -> None:
        self.size, self.cells = size, size * size
        row = (1 << size) - 1
        column = sum(1 << (size * place) for place in range(size))
        self._all, self._left, self._right = (1 << self.cells) - 1, column, column << (size - 1)
        self.edges = ((row, row << (size * (size - 1))), (self._left, self._right))
        """For each player the two sides that a chain joins: top and bottom, left and right."""

    def joins(self, stones: int, player: int) -> bool:
        """Whether the ``stones`` of a player have a chain from side to side."""
        begin, end = self.edges[player]
        chain, grown = 0, stones & begin
        while grown != chain:
            if grown & end:
                return True
            chain = grown
            left, right = chain & ~self._left, chain & ~self._right
            near = chain << self.size | chain >> self.size | left >> 1 | right << 1
            grown |= (near | left << (self.size - 1) | right >> (self.size - 1)) & stones & self._all
        return bool(grown & end)

    def just_joined(self, stones: int, player: int) -> bool:
        """Whether a chain is complete, and some stone completed it: without that stone there is none."""
        return self.joins(stones, player) and any(
            stones >> cell & 1 and not self.joins(stones & ~(1 << cell), player) for cell in range(self.cells)
        )


def _exact(size: int) -> tuple[list[Fraction], list[Fraction]]:
    """Returns, for each number of stones, the share of boards that are reached, and of those where play goes on."""
    board = Board(size)
    cells = board.cells
    apart: list[dict[int, list[int]]] = [{}, {}]
    completed: list[dict[int, int]] = [{}, {}]
    for player in (0, 1):
        joined = [board.joins(stones, player) for stones in range(1 << cells)]
        for stones, joins in enumerate(joined):
            number = stones.bit_count()
            if not joins:
                apart[player].setdefault(number, []).append(stones)
            elif any(stones >> cell & 1 and not joined[stones & ~(1 << cell)] for cell in range(cells)):
                completed[player][number] = completed[player].get(number, 0) + 1
    reached, going_on = list[Fraction](), list[Fraction]()
    for stones in range(cells + 1):
        numbers = (stones + 1) // 2, stones // 2
        last = (stones + 1) % 2
        free = _pairs(apart[0].get(numbers[0], []), apart[1].get(numbers[1], []), cells)
        # A complete chain leaves no room for one of the other player, whose stones may be anywhere.
        ended = completed[last].get(numbers[last], 0) * math.comb(cells - numbers[last], numbers[1 - last])
        going_on.append(Fraction(free, boards(cells, stones)))
        reached.append(Fraction(free + ended, boards(cells, stones)))
    return reached, going_on


def _pairs(one: Sequence[int], other: Sequence[int], cells: int) -> int:
    """Returns the number of pairs of disjoint sets, one from each family."""
    members = set(other)
    subsets = [int(number in members) for number in range(1 << cells)]
    for _ in range(cells):
        # Adds the sets without the lowest cell to those with it, and makes the next cell the lowest.
        without, with_it = subsets[::2], subsets[1::2]
        subsets = without + list(map(operator.add, without, with_it))
    return sum(subsets[~number] for number in one)


def _sampled(size: int, samples: int, rng: random.Random) -> tuple[list[Fraction], list[Fraction]]:
    """Returns estimates of the shares that ``_exact`` counts."""
    board = Board(size)
    order = list(range(board.cells))
    reached, going_on = [0] * (board.cells + 1), [0] * (board.cells + 1)
    for _ in range(samples):
        rng.shuffle(order)
        end = _end(board, order)
        for stones in range(end):
            reached[stones] += 1
            going_on[stones] += 1
        # The board after each ply of one line is a random board of that many stones. The more stones the winner has,
        # the less one of them matters.
        winner = (end - 1) % 2
        for stones in range(end, board.cells + 1, 2):
            if not board.just_joined(_set(order[winner:stones:2]), winner):
                break
            reached[stones] += 1
    return [Fraction(count, samples) for count in reached], [Fraction(count, samples) for count in going_on]


def _end(board: Board, order: Sequence[int]) -> int:
    """Returns the ply at which the game ends in which the cells are taken in this ``order``."""
    least, most = 1, board.cells
    while least < most:
        ply = (least + most) // 2
        if board.joins(_set(order[:ply:2]), 0) or board.joins(_set(order[1:ply:2]), 1):
            most = ply
        else:
            least = ply + 1
    return least


def _set(cells: Sequence[int]) -> int:
    return sum(1 << cell for cell in cells)
