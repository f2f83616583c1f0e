"""The backgammon board as 14 columns and 14 rows of cells, for GUIs that show only men on cells.

The board is drawn with player 0's home at the bottom right: player 0's points 12 to 1 below, 13 to 24 above, the bar in
column 6, the checkers that are off in column 13. A point's checkers fill five cells from the edge inwards, and a sixth
stays free for the next one; the roll is between the halves. A checker moves from the innermost one of a point to the
cell next to the innermost one, or to the blot that it hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from playout.games.game import GAP, Cell
from playout.games.support.backgammon.notation import Hop
from playout.games.support.backgammon.position_id import BAR, OFF, Checkers

SIZE = 14
STACK = 5
"""Number of checkers of a point that are visible."""
HALF = STACK + 1
DICE = (HALF, HALF + 1), (HALF, HALF)
"""Cells of the roll: between the halves of the bar."""

Sides = tuple[Checkers, Checkers]
Way = tuple[Cell, ...]


def cell(player: int, point: int, level: int) -> Cell:
    """Returns the cell of a checker of ``player`` on ``point``, with ``level`` checkers between it and the edge."""
    if point == OFF:
        column, above = SIZE - 1, player == 1
    elif point == BAR:
        column, above = HALF, player == 0
    else:
        point = BAR - point if player else point
        above = point > 12
        column = point - 13 if above else 12 - point
        column += column >= HALF
    return column, SIZE - 1 - level if above else level


def rows(sides: Sides) -> Sequence[Sequence[int | None]]:
    """Returns the owner of the checker on each cell."""
    board: list[list[int | None]] = [[None] * SIZE for _ in range(SIZE)]
    for row in (HALF, HALF + 1):
        board[row] = [None if (column, row) in DICE else GAP for column in range(SIZE)]
    for player, checkers in enumerate(sides):
        for point, count in enumerate(checkers):
            for level in range(min(count, STACK)):
                column, row = cell(player, point, level)
                board[row][column] = player
    return board


def labels(sides: Sides, player: int, dice: tuple[int, int] | None) -> dict[Cell, str]:
    """Returns labels: the roll, the points as ``player`` counts them, and the number of checkers on a point that holds
    more than are visible.
    """
    written = {
        cell(owner, point, STACK - 1): str(count)
        for owner, checkers in enumerate(sides)
        for point, count in enumerate(checkers)
        if count > STACK
    }
    written |= {cell(player, point, HALF): str(point) for point in range(1, BAR)}
    return written | dict(zip(DICE, map(str, dice or ()), strict=False))


def shades() -> dict[str, list[Cell]]:
    """Returns the colours: points alternately dark and light, the bar and the tray, and the dice."""
    colours: dict[str, list[Cell]] = {"#c8a070": [], "#e8d8b0": [], "#806040": [], "#ffffff": [*DICE]}
    for point in (*range(BAR), BAR):
        for player in (0, 1) if point in (OFF, BAR) else (0,):
            colour = "#806040" if point in (OFF, BAR) else "#c8a070" if point % 2 else "#e8d8b0"
            colours[colour] += [cell(player, point, level) for level in range(HALF)]
    return colours


def step(player: int, own: Checkers, other: Checkers, source: int, target: int, onward: bool) -> Way:
    """Returns the cells to click for a hop: from and to. ``onward``, the target of the last hop, needs no
    second click.
    """
    blot = OFF < target < BAR and other[BAR - target] == 1
    to = cell(player, target, 0 if blot else min(own[target], STACK))
    return (to,) if onward else (cell(player, source, min(own[source], STACK) - 1), to)


def way(player: int, own: Checkers, other: Checkers, hops: Sequence[Hop]) -> Way:
    """Returns the cells to click for ``hops``, one after another."""
    sides: Sides = (own, other)
    clicked: Way = ()
    last = None
    for source, target, _ in hops:
        clicked += step(player, *sides, source, target, source == last)
        sides, last = _hopped(*sides, source, target), target
    return clicked


def moved(sides: Sides, player: int, clicked: Sequence[Cell]) -> Sides:
    """Returns the checkers of both players after the first clicks of a way."""
    if len(clicked) < 2:
        return sides
    own, other = sides[player], sides[1 - player]
    for source, target in hops_of(sides, player, clicked):
        own, other = _hopped(own, other, source, target)
    return (other, own) if player else (own, other)


def hops_of(sides: Sides, player: int, clicked: Sequence[Cell]) -> list[tuple[int, int]]:
    """Returns the hops of a way, or of its first clicks: the points from which and to which checkers move."""
    places, found = _places(player), list[tuple[int, int]]()
    own, other, source = sides[player], sides[1 - player], BAR
    for point, level in map(places.__getitem__, clicked):
        if level >= min(own[point], STACK):
            own, other = _hopped(own, other, source, point)
            found.append((source, point))
        source = point
    return found


@cache
def _places(player: int) -> dict[Cell, tuple[int, int]]:
    """Returns the point and the level of each cell."""
    return {cell(player, point, level): (point, level) for point in range(BAR + 1) for level in range(HALF)}


def _hopped(own: Checkers, other: Checkers, source: int, target: int) -> Sides:
    mine, theirs = list(own), list(other)
    mine[source] -= 1
    mine[target] += 1
    if target > OFF and theirs[BAR - target]:
        theirs[BAR - target] -= 1
        theirs[BAR] += 1
    return tuple(mine), tuple(theirs)
