"""Cube, dice and score of a backgammon position, and GNU Backgammon's Match ID for them.

Player 0 is the X of drawings and of an XGID, and the player at the bottom, number 1, of GNU Backgammon.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from playout.games.errors import GameError
from playout.games.support.backgammon.position_id import Checkers, from_position_id, position_id

HIGHEST_CUBE = 15
"""Power of two at which a Match ID's four bits end."""
LONGEST = 2**15 - 1
"""Points of the longest match that a Match ID's fifteen bits can hold."""
_PLAYING = 1
_CENTRED = 3


@dataclass(frozen=True, slots=True)
class Match:
    """Everything about a position except its checkers."""

    player: int = 0
    """Player on roll; if a double is offered, the player who offered it."""
    dice: tuple[int, int] | None = None
    """Roll to be played, the higher die first."""
    cube: int = 1
    """Value of the cube, a power of two."""
    owner: int | None = None
    """Player who may turn the cube; None while it is in the middle."""
    doubled: bool = False
    """Whether a double is offered; the other player takes or drops."""
    length: int = 0
    """Length of the match in points; 0 is play for money."""
    scores: tuple[int, int] = (0, 0)
    """Points of player 0 and player 1."""
    crawford: bool = False
    """Whether this is the Crawford game of the match, in which nobody may double."""
    jacoby: bool = False
    """Jacoby rule, for money: gammons count only once the cube has been turned."""
    beavers: bool = False
    """Beavers, for money: a player who is doubled may redouble at once and keep the cube. Not part of a Match ID."""

    def __post_init__(self) -> None:
        if self.cube.bit_count() != 1 or self.cube > 2**HIGHEST_CUBE:
            raise GameError(f"no cube shows {self.cube}")
        if not 0 <= self.length <= LONGEST:
            raise GameError(f"no match is {self.length} points long (0 to {LONGEST}; 0 is play for money)")
        if min(self.scores) < 0 or max(self.scores) >= (self.length or LONGEST + 1):
            raise GameError(f"impossible score: {self.scores[0]}-{self.scores[1]} in a match of {self.length} points")
        if self.crawford and (self.length - 1 not in self.scores or self.cube > 1 or self.doubled):
            raise GameError("not a Crawford game: the cube is turned, or nobody needs just one point")
        if self.doubled and (self.dice is not None or self.owner == 1 - self.player):
            raise GameError("impossible double: after the roll, or by the player who does not own the cube")

    @property
    def decider(self) -> int:
        """The player who has to make the next decision."""
        return 1 - self.player if self.doubled else self.player


@dataclass(frozen=True, slots=True)
class Setup:
    """A complete position: the checkers of player 0 and player 1, each by the owner's points, and the match."""

    checkers: tuple[Checkers, Checkers]
    match: Match = Match()

    @property
    def on_roll(self) -> Checkers:
        """Checkers of the player on roll."""
        return self.checkers[self.match.player]

    @property
    def off_roll(self) -> Checkers:
        """Checkers of the other player."""
        return self.checkers[1 - self.match.player]


def match_id(match: Match) -> str:
    """Returns the 12 characters of base64 for the 67 bits of GNU Backgammon's Match ID, ``"cIkFAAAAAAAA"``."""
    high, low = match.dice or (0, 0)
    fields = [
        (4, match.cube.bit_length() - 1),
        (2, _CENTRED if match.owner is None else 1 - match.owner),
        (1, 1 - match.player),
        (1, match.crawford),
        (3, _PLAYING),
        (1, 1 - match.decider),
        (1, match.doubled),
        (2, 0),
        (3, high),
        (3, low),
        (15, match.length),
        (15, match.scores[1]),
        (15, match.scores[0]),
        (1, not match.jacoby),
    ]
    number, place = 0, 0
    for width, value in fields:
        number |= int(value) << place
        place += width
    return base64.b64encode(number.to_bytes(9, "little")).decode()


def from_match_id(text: str) -> Match:
    """Parses a Match ID of a game in progress.

    Raises:
        GameError: if ``text`` is not a Match ID, or describes something impossible or a game not in progress.
    """
    try:
        number = int.from_bytes(base64.b64decode(text, validate=True), "little")
    except (binascii.Error, ValueError):
        number = -1
    if len(text) != 12 or not 0 <= number < 2**67:
        raise GameError(f"not a Match ID: {text!r} (12 characters of base64)")
    widths = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
    values = []
    for width in widths:
        values.append(number & (2**width - 1))
        number >>= width
    cube, owner, roller, crawford, state, turn, doubled, resigned, high, low, length, second, first, no_jacoby = values
    if state != _PLAYING or resigned:
        raise GameError(f"Match ID of a game that is not being played: {text!r}")
    if turn != (1 - roller if doubled else roller) or owner == 2:
        raise GameError(f"Match ID that contradicts itself: {text!r}")
    return Match(
        player=1 - roller,
        dice=roll(f"{high}{low}"),
        cube=2**cube,
        owner=None if owner == _CENTRED else 1 - owner,
        doubled=bool(doubled),
        length=length,
        scores=(first, second),
        crawford=bool(crawford),
        jacoby=not no_jacoby and not length,
    )


def gnubg_id(setup: Setup) -> str:
    """Returns Position ID and Match ID, as GNU Backgammon writes them: ``"4HPwATDgc/ABMA:cIkFAAAAAAAA"``."""
    return f"{position_id(setup.on_roll, setup.off_roll)}:{match_id(setup.match)}"


def from_gnubg_id(text: str) -> Setup:
    """Parses a Position ID, with or without a Match ID after it; without one the player on roll is player 0.

    Raises:
        GameError: if ``text`` is neither, or its position is impossible.
    """
    position, colon, rest = text.strip().partition(":")
    match = from_match_id(rest) if colon else Match()
    own, other = from_position_id(position)
    return Setup((other, own) if match.player else (own, other), match)


def roll(digits: str) -> tuple[int, int] | None:
    """Parses two digits as dice, the higher first; None for ``"00"``.

    Raises:
        GameError: if they are not a roll.
    """
    if digits == "00":
        return None
    if len(digits) != 2 or set(digits) - set("123456"):
        raise GameError(f"not a roll: {digits!r} (two digits from 1 to 6, or '00' before the roll)")
    high, low = sorted(map(int, digits), reverse=True)
    return high, low
