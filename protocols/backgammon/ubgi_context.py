"""The position as UBGI's commands have set it: checkers, dice, cube, score."""

from __future__ import annotations

from collections.abc import Sequence

from playout.games.backgammon import START
from playout.games.errors import ProtocolError
from playout.games.support.backgammon.position_id import Checkers, from_position_id
from playout.games.support.backgammon.setup import Match, Setup, from_gnubg_id, roll
from playout.games.support.backgammon.xgid import from_xgid
from playout.protocols.base.lines import one_line

PLAYERS = ("p0", "p1")


class UbgiError(ProtocolError):
    """A command that cannot be carried out, with the code and the text of its ``error`` line."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code} {message}")
        self.code = code


class Context:
    """The position, set piece by piece. A method that raises UbgiError or GameError changes nothing."""

    def __init__(self) -> None:
        self._length, self._jacoby, self._crawford = 0, True, False
        self._scores = (0, 0)
        self.new_game()

    def new_game(self) -> None:
        """Sets the start position, with the cube in the middle and player 0 on roll. Keeps the score and the rules."""
        self._own: Checkers = START
        self._other: Checkers = START
        self._turn = 0
        self._dice: tuple[int, int] | None = None
        self._cube = 1
        self._owner: int | None = None
        self._doubled = self._beavers = False

    def new_session(self, words: Sequence[str]) -> None:
        """Sets the rules by the pairs of words of ``newsession``, and the score to 0-0."""
        pairs = _pairs("newsession", words, ("type", "length", "jacoby", "crawford"))
        kind = pairs.get("type", "match" if "length" in pairs else "money")
        if kind not in ("money", "match"):
            raise UbgiError("bad_argument", "newsession type: money or match")
        length = _number(pairs.get("length", "1"), "newsession length") if kind == "match" else 0
        if kind == "match" and length < 1:
            raise UbgiError("bad_argument", "newsession length: at least 1")
        jacoby = _switch(pairs.get("jacoby", "on"), "jacoby")
        crawford = _switch(pairs.get("crawford", "on" if length else "off"), "crawford")
        Match(length=length)
        self._length, self._jacoby, self._crawford, self._scores = length, jacoby, crawford, (0, 0)
        self.new_game()

    def set_score(self, words: Sequence[str]) -> None:
        """Sets the points of player 0 and player 1 by the words of ``setscore``."""
        if len(words) != 2:
            raise UbgiError("bad_argument", "setscore: expected P0 P1")
        scores = (_number(words[0], "setscore"), _number(words[1], "setscore"))
        Match(length=self._length, scores=scores)
        self._scores = scores

    def set_cube(self, words: Sequence[str]) -> None:
        """Sets the cube by the pairs of words of ``setcube``."""
        pairs = _pairs("setcube", words, ("value", "owner"))
        if len(pairs) != 2:
            raise UbgiError("bad_argument", "setcube: expected value N owner center|p0|p1")
        cube = _number(pairs["value"], "setcube value")
        if pairs["owner"] not in ("center", *PLAYERS):
            raise UbgiError("bad_argument", "setcube owner: center, p0 or p1")
        Match(cube=cube)
        self._cube = cube
        self._owner = PLAYERS.index(pairs["owner"]) if pairs["owner"] in PLAYERS else None
        self._doubled = False

    def set_turn(self, words: Sequence[str]) -> None:
        """Sets the player on roll, whose checkers a Position ID lists first."""
        if len(words) != 1 or words[0] not in PLAYERS:
            raise UbgiError("bad_argument", "setturn: expected p0 or p1")
        self._turn = PLAYERS.index(words[0])

    def set_dice(self, words: Sequence[str]) -> None:
        """Sets the roll by the two numbers of ``dice``."""
        if len(words) != 2 or any(len(word) != 1 for word in words):
            raise UbgiError("bad_argument", "dice: expected two numbers from 1 to 6")
        dice = roll("".join(words))
        if dice is None:
            raise UbgiError("bad_argument", "dice: expected two numbers from 1 to 6")
        self._dice = dice

    def set_position(self, words: Sequence[str]) -> None:
        """Sets the position by the words of ``position``: the format's name, then the text."""
        if len(words) != 2 or words[0] not in ("gnubgid", "xgid"):
            raise UbgiError("bad_argument", "position: expected gnubgid ID or xgid XGID")
        if words[0] == "xgid":
            self.take(from_xgid(words[1]))
        elif ":" in words[1]:
            self.take(from_gnubg_id(words[1]))
        else:
            self._own, self._other = from_position_id(words[1])
            self._doubled = False

    def take(self, setup: Setup) -> None:
        """Replaces everything by ``setup``."""
        match = setup.match
        self._own, self._other = setup.on_roll, setup.off_roll
        self._turn, self._dice, self._doubled = match.player, match.dice, match.doubled
        self._cube, self._owner = match.cube, match.owner
        self._length, self._scores, self._crawford = match.length, match.scores, match.crawford
        self._jacoby, self._beavers = match.jacoby, match.beavers

    def setup(self, *, rolled: bool) -> Setup:
        """The position: after the roll with its dice if ``rolled``, else before the roll."""
        if rolled and self._dice is None:
            raise UbgiError("missing_context", "dice")
        crawford = self._crawford and self._cube == 1 and self._length - 1 in self._scores
        match = Match(
            player=self._turn,
            dice=self._dice if rolled else None,
            cube=self._cube,
            owner=self._owner,
            doubled=self._doubled and not rolled,
            length=self._length,
            scores=self._scores,
            crawford=crawford and not self._doubled,
            jacoby=self._jacoby and not self._length,
            beavers=self._beavers,
        )
        own, other = self._own, self._other
        return Setup((other, own) if self._turn else (own, other), match)

    @property
    def rolled(self) -> bool:
        """Whether the dice are set."""
        return self._dice is not None


def _pairs(command: str, words: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or len(pairs) != len(words) // 2 or set(pairs) - set(names):
        raise UbgiError("bad_argument", f"{command}: expected pairs of {', '.join(names)} and a value")
    return pairs


def _number(word: str, place: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 7):
        raise UbgiError("bad_argument", f"{place}: {one_line(word, 20)!r} is not a number")
    return int(word)


def _switch(word: str, place: str) -> bool:
    if word not in ("on", "off"):
        raise UbgiError("bad_argument", f"newsession {place}: on or off")
    return word == "on"
