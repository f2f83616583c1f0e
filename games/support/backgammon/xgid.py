"""XGID, eXtreme Gammon's text for a backgammon position with its cube, dice and score.

``XGID=`` and 26 characters for O's bar, the points 1 to 24 as X counts them, and X's bar: ``A`` to ``O`` are 1 to 15
checkers of X, ``a`` to ``o`` those of O. Then numbers follow, each after a colon: the cube's power of two; its owner (1
X, -1 O, 0 neither); the player whose turn it is (1 X, -1 O); the roll, ``00`` before it, or ``D`` if that player has
doubled; the points of X and of O; the rules (in a match 1 for the Crawford game; for money 1 for Jacoby plus 2 for
beavers); the length of the match, 0 for money; the highest power of two of the cube.
"""

from __future__ import annotations

from playout.games.errors import GameError
from playout.games.support.backgammon.position_id import ALL, BAR, OFF, Checkers, check_position
from playout.games.support.backgammon.setup import Match, Setup, roll

MOST = 10
"""Highest power of two of the cube, as eXtreme Gammon sets it."""
_FIELDS = 9


def xgid(setup: Setup) -> str:
    """Returns the XGID, such as ``"XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"``."""
    match = setup.match
    dice = "D" if match.doubled else "{}{}".format(*(match.dice or (0, 0)))
    rules = int(match.crawford) if match.length else match.jacoby + 2 * match.beavers
    fields = (
        match.cube.bit_length() - 1,
        {None: 0, 0: 1, 1: -1}[match.owner],
        -1 if match.player else 1,
        dice,
        *match.scores,
        rules,
        match.length,
        MOST,
    )
    return f"XGID={_board(*setup.checkers)}:{':'.join(map(str, fields))}"


def _board(x: Checkers, o: Checkers) -> str:
    def letter(point: int) -> str:
        if point != OFF and x[point]:
            return chr(ord("A") + x[point] - 1)
        mirrored = BAR - point
        if mirrored != OFF and o[mirrored]:
            return chr(ord("a") + o[mirrored] - 1)
        return "-"

    return "".join(letter(point) for point in range(BAR + 1))


def from_xgid(text: str) -> Setup:
    """Parses an XGID, with or without ``XGID=``. The last field, the cube's maximum, may be missing.

    Raises:
        GameError: if ``text`` is not an XGID, or its position is impossible.
    """
    board, *fields = text.strip().removeprefix("XGID=").split(":")
    if len(board) != BAR + 1 or len(fields) not in (_FIELDS - 1, _FIELDS):
        raise GameError(f"not an XGID: {text.strip()!r} (26 characters, then nine fields, each after a colon)")
    dice = fields.pop(3)
    numbers = [_number(field, text) for field in fields]
    power, owner, turn, x_points, o_points, rules, length = numbers[:7]
    if owner not in (-1, 0, 1) or turn not in (-1, 1) or not 0 <= power <= MOST + 5:
        raise GameError(f"not an XGID: {text.strip()!r} (owner -1, 0 or 1, turn -1 or 1, cube a power of two up to 15)")
    if not 0 <= rules <= (1 if length else 3):
        raise GameError(f"not an XGID: {text.strip()!r} (rules 0 to 3, in a match 0 or 1)")
    match = Match(
        player=0 if turn == 1 else 1,
        dice=None if dice in ("D", "B", "R") else roll(dice),
        cube=2**power,
        owner={0: None, 1: 0, -1: 1}[owner],
        doubled=dice == "D",
        length=length,
        scores=(x_points, o_points),
        crawford=bool(length and rules),
        jacoby=bool(not length and rules & 1),
        beavers=bool(not length and rules & 2),
    )
    if dice in ("B", "R"):
        raise GameError(f"XGID of a beaver or a resignation: {text.strip()!r} (neither can be answered here)")
    return Setup(_checkers(board), match)


def _number(field: str, text: str) -> int:
    if not field.removeprefix("-").isascii() or not field.removeprefix("-").isdigit() or len(field) > 6:
        raise GameError(f"not an XGID: {field[:20]!r} in {text.strip()!r} is not a number")
    return int(field)


def _checkers(board: str) -> tuple[Checkers, Checkers]:
    sides = [[0] * 26, [0] * 26]
    for point, letter in enumerate(board):
        if "A" <= letter <= "O":
            sides[0][point] = ord(letter) - ord("A") + 1
        elif "a" <= letter <= "o":
            sides[1][BAR - point] = ord(letter) - ord("a") + 1
        elif letter != "-":
            raise GameError(f"not an XGID: {letter!r} in {board!r} is none of A-O, a-o and -")
    if sides[0][OFF] or sides[1][OFF] or max(map(sum, sides)) > ALL:
        raise GameError(f"not an XGID: {board!r} has a checker where none can be, or more than {ALL} a side")
    x, o = ((ALL - sum(side), *side[1:]) for side in sides)
    check_position(x, o)
    return x, o
