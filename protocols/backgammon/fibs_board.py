"""The ``board:`` line of FIBS, as GNU Backgammon's external player writes and reads it.

    board:NAME:NAME:length:score:score:p0:p1:...:p25:turn:d1:d2:d1:d2:cube:may:may:doubled:colour:direction:...

52 fields after ``board``. Checkers of player 0 are positive, those of player 1 negative; turn, colour and direction
are 1 or -1. Positive checkers move from point 24 down to point 1 where colour times direction is -1, else up. FIBS
gives first the score of the side that ``colour`` names. GNU Backgammon gives it last, except where a double is offered.
This module reads and writes GNU Backgammon's order.
"""

from __future__ import annotations

from dataclasses import replace

from playout.games.errors import GameError
from playout.games.support.backgammon.position_id import ALL, BAR, Checkers, check_position
from playout.games.support.backgammon.setup import Match, Setup

PREFIX = "board:"
_NAMES = 2
_POINTS = 3
_TURN = _POINTS + 26
_FEWEST, _MOST = 44, 51
"""Least and greatest count of numbers after the names: the last seven may be missing."""
_POST_CRAWFORD, _NO_CRAWFORD = 48, 49
_UNLIMITED = 9999
"""FIBS's match length for money play."""


def from_fibs_board(text: str, *, jacoby: bool = True) -> Setup:
    """The position of a board line. A double is offered if the line says so or, before the roll, if nobody may double.

    Raises:
        GameError: if ``text`` is not a board line, or its position is impossible.
    """
    fields = text.strip().removeprefix(PREFIX).split(":")
    if not text.strip().startswith(PREFIX) or not _FEWEST <= len(fields) - _NAMES <= _MOST:
        raise GameError("not a board line: expected board: and 52 fields separated by colons")
    try:
        numbers = [int(field) for field in fields[_NAMES:] if len(field) < 12]
    except ValueError:
        numbers = []
    if len(numbers) != len(fields) - _NAMES:
        raise GameError("not a board line: all fields except the names must be numbers")
    numbers += [0] * (_MOST - len(numbers))
    turn, d1, d2, other1, other2, cube, may, other_may, doubled, colour, direction = numbers[_TURN : _TURN + 11]
    if abs(turn) != 1 or abs(colour) != 1 or abs(direction) != 1:
        raise GameError("not a board line: turn, colour and direction must be 1 or -1")
    dice = _dice(d1, d2) or _dice(other1, other2)
    length = 0 if numbers[0] == _UNLIMITED else numbers[0]
    offered = dice is None and bool(doubled or not (may or other_may))
    first = 0 if colour > 0 else 1
    scores = (numbers[1], numbers[2]) if offered == (first == 0) else (numbers[2], numbers[1])
    player = 0 if turn > 0 else 1
    owner = None if bool(may) == bool(other_may) else first if may else 1 - first
    match = Match(
        player=player,
        dice=dice,
        cube=cube if cube > 0 else 1,
        owner=player if offered and owner is not None else owner,
        doubled=offered,
        length=length,
        scores=scores,
        jacoby=jacoby and not length,
    )
    later = numbers[_POST_CRAWFORD] or numbers[_NO_CRAWFORD] or cube > 1 or offered
    if length and length - 1 in scores and not later:
        match = replace(match, crawford=True)
    return Setup(_checkers(numbers[_POINTS:_TURN], colour * direction < 0), match)


def fibs_board(setup: Setup, names: tuple[str, str] = ("playout", "opponent")) -> str:
    """The line by which GNU Backgammon sends the position ``setup``. ``names`` are player 0's and player 1's."""
    match = setup.match
    x, o = setup.checkers
    points = [-o[BAR], *(x[point] - o[BAR - point] for point in range(1, BAR)), x[BAR]]
    order = (0, 1) if match.doubled else (1, 0)
    dice = match.dice or (0, 0)
    fields = (
        *(names[player].replace(":", "_") for player in order),
        match.length,
        *(match.scores[player] for player in order),
        *points,
        -1 if match.player else 1,
        *dice,
        *dice,
        match.cube,
        int(match.owner != 1),
        int(match.owner != 0),
        int(match.doubled),
        *(1, -1, 0, BAR),
        x[0],
        o[0],
        *(0, 0, 0, 0, 0),
        int(not match.crawford),
    )
    return PREFIX + ":".join(map(str, fields))


def _dice(one: int, two: int) -> tuple[int, int] | None:
    if one == two == 0:
        return None
    if not (1 <= one <= 6 and 1 <= two <= 6):
        raise GameError(f"not a roll: {one} and {two}")
    return max(one, two), min(one, two)


def _checkers(points: list[int], downwards: bool) -> tuple[Checkers, Checkers]:
    """The checkers of player 0 and player 1, each counted by that player's own points. ``downwards`` says that point 1
    of the line is player 0's point 1."""
    if not downwards:
        points = points[::-1]
    if points[0] > 0 or points[BAR] < 0:
        raise GameError("not a board line: a checker is on the opponent's bar")
    x, o = [0] * 26, [0] * 26
    for point, count in enumerate(points):
        if count > 0:
            x[point] = count
        else:
            o[BAR - point] = -count
    if max(sum(x), sum(o)) > ALL:
        raise GameError(f"not a board line: more than {ALL} checkers a side")
    sides = (ALL - sum(x), *x[1:]), (ALL - sum(o), *o[1:])
    check_position(*sides)
    return sides
