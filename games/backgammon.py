"""Backgammon for money without the cube, by the usual rules of the World Backgammon Federation.

Each player counts the points from their own side: 24 down to 1, the home board 6 to 1, 25 the bar, 0 off the board. A
play, everything that a player moves with one roll, is one action; plays that lead to the same position are the same
action, as in GNU Backgammon.

Actions are ints. A roll is its two digits, the higher first (``31``). In the opening roll the first digit is the die of
player 0. A play is up to four source points of five bits each in the order in which they are played, the first in bits
15 to 19; bit 20 is set if the higher of two unequal dice is played first; 0 is the pass. Of the ways to play to the
same position the action is the greatest number: the higher die first if possible, the rear checker first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from playout.games.errors import GameError, IllegalMove
from playout.games.game import CHANCE, Box, Cell
from playout.games.support.backgammon import cells
from playout.games.support.backgammon.cells import Way
from playout.games.support.backgammon.notation import PASSES, Hop, draw, play_to_text, text_to_moves
from playout.games.support.backgammon.position_id import ALL, BAR, HOME, OFF, Checkers, from_position_id, position_id
from playout.games.support.backgammon.setup import from_gnubg_id
from playout.games.support.backgammon.xgid import from_xgid

START: Checkers = tuple({6: 5, 8: 3, 13: 5, 24: 2}.get(point, 0) for point in range(26))
COLOURS = ("Black", "White")
"""Names of player 0 and player 1 where their men are shown."""
PASS = 0
HIGH_FIRST = 1 << 20
SHIFTS = (15, 10, 5, 0)
"""Shifts of the source points of a play in its number."""

ROLLS = tuple(10 * high + low for high in range(1, 7) for low in range(1, high + 1))
OPENING_ROLLS = tuple(10 * one + two for one in range(1, 7) for two in range(1, 7) if one != two)


@dataclass(frozen=True, slots=True)
class State:
    """Checkers of player 0 and player 1, 26 counts each by the owner's points; the player on roll; the dice.

    ``player`` is ``CHANCE`` until the opening roll determines who starts. ``dice`` is the roll to be played, the higher
    die first, or None before the roll.
    """

    checkers: tuple[Checkers, Checkers]
    player: int
    dice: tuple[int, int] | None


def move_checker(own: Checkers, other: Checkers, source: int, die: int) -> tuple[Checkers, Checkers] | None:
    """Returns both sides' checkers after one of ``own`` has moved ``die`` points from ``source``; None if that is
    illegal.
    """
    target = source - die
    if not own[source] or (own[BAR] and source != BAR):
        return None
    if target > OFF:
        if other[BAR - target] > 1:
            return None
        if other[BAR - target] == 1:
            other = _shift(other, BAR - target, BAR)
    elif any(own[HOME + 1 :]) or (target < OFF and any(own[source + 1 :])):
        return None
    return _shift(own, source, max(target, OFF)), other


def _shift(checkers: Checkers, source: int, target: int) -> Checkers:
    counts = list(checkers)
    counts[source] -= 1
    counts[target] += 1
    return tuple(counts)


Plays = dict[tuple[Checkers, Checkers], int]
"""Positions that a roll can lead to (the checkers of the player to move, the opponent's), each with its action."""


def plays(own: Checkers, other: Checkers, dice: tuple[int, int]) -> Plays:
    """Returns the legal plays: as many dice as possible are played, and the higher one if only one of them can be."""
    high, low = dice
    if high == low:
        return _sequences(own, other, (high,) * 4, 0)[1] or {(own, other): PASS}
    length, found = _sequences(own, other, (high, low), HIGH_FIRST)
    other_length, others = _sequences(own, other, (low, high), 0)
    if other_length > length:
        return others
    if length == 2 == other_length:
        return others | found  # if both orders reach a position, the higher die first
    return found or {(own, other): PASS}


def _sequences(own: Checkers, other: Checkers, order: Sequence[int], action: int) -> tuple[int, Plays]:
    """Returns the number of dice that can be played in this order, and the positions after plays of that length."""
    reached: Plays = {(own, other): action}
    for length, (die, shift) in enumerate(zip(order, SHIFTS, strict=False)):
        further: Plays = {}
        for (mine, theirs), so_far in reached.items():
            for source in range(BAR, OFF, -1):
                after = move_checker(mine, theirs, source, die)
                if after is not None:
                    further[after] = max(further.get(after, 0), so_far | source << shift)
        if not further:
            return length, reached if length else {}
        reached = further
    return len(order), reached


def hops(state: State, action: int) -> tuple[list[Hop], tuple[Checkers, Checkers]]:
    """Returns the hops of a play in order, and the checkers of the player who moves and of the opponent after it."""
    assert state.dice is not None
    high, low = state.dice
    order = (high,) * 4 if high == low else (high, low) if action & HIGH_FIRST else (low, high)
    own, other = state.checkers[state.player], state.checkers[1 - state.player]
    done: list[Hop] = []
    for die, shift in zip(order, SHIFTS, strict=False):
        if source := action >> shift & 31:
            after = move_checker(own, other, source, die)
            if after is None:
                raise IllegalMove(f"illegal play: {action} with {high}{low}")
            done.append((source, max(source - die, OFF), after[1] != other))
            own, other = after
    return done, (own, other)


@dataclass(frozen=True)
class Backgammon:
    """A race of 15 checkers against 15.

    A single win counts one point, a gammon (the loser has borne off no checker) two, a backgammon (in addition the
    loser has a checker on the bar or in the winner's home board) three. A result is points / ``points_scale``: 1/3, 2/3
    or 1.
    """

    gammons: bool = True
    """If false, every win counts one point, a result of 1."""

    kernel: ClassVar[str] = "backgammon"
    max_game_length: ClassVar[int | None] = None
    """Checkers that are hit start again, so a game ends with probability 1 but has no maximum length."""

    def __post_init__(self) -> None:
        if not isinstance(self.gammons, bool):
            raise GameError(f"backgammon: gammons={self.gammons!r} is neither True nor False")

    @property
    def name(self) -> str:
        return "backgammon" if self.gammons else "backgammon:gammons=false"

    @property
    def points_scale(self) -> int:
        """Number of points for a result of 1."""
        return 3 if self.gammons else 1

    def initial_state(self) -> State:
        return State((START, START), CHANCE, None)

    def current_player(self, state: State) -> int:
        return CHANCE if state.dice is None else state.player

    def legal_actions(self, state: State) -> Sequence[int]:
        if self.returns(state) is not None:
            return ()
        if state.dice is None:
            return OPENING_ROLLS if state.player == CHANCE else ROLLS
        return sorted(_plays(state).values(), reverse=True)

    def chance_outcomes(self, state: State) -> Sequence[tuple[int, float]]:
        """The opening roll is repeated while the dice are equal: 30 equally likely rolls. Later rolls are 21, out of
        36.
        """
        if state.player == CHANCE:
            return [(roll, 1 / 30) for roll in OPENING_ROLLS]
        return [(roll, 1 / 36 if roll % 11 == 0 else 2 / 36) for roll in ROLLS]

    def next_state(self, state: State, action: int) -> State:
        if state.dice is None:
            one, two = divmod(action, 10)
            player = int(one < two) if state.player == CHANCE else state.player
            return State(state.checkers, player, (max(one, two), min(one, two)))
        _, (own, other) = hops(state, action)
        return State((other, own) if state.player else (own, other), 1 - state.player, None)

    def returns(self, state: State) -> Sequence[float] | None:
        for winner, sign in ((0, 1), (1, -1)):
            loser = state.checkers[1 - winner]
            if state.checkers[winner][OFF] == ALL:
                points = 1 if loser[OFF] or not self.gammons else 3 if any(loser[BAR - HOME :]) else 2
                return sign * points / self.points_scale, -sign * points / self.points_scale
        return None

    def key(self, state: State) -> State:
        return state

    def with_player(self, state: State, player: int) -> State:
        """Returns the same checkers and dice with ``player`` on roll; before the opening roll, that player
        will start.
        """
        return State(state.checkers, player, state.dice)

    def action_to_text(self, state: State, action: int) -> str:
        """A roll as two digits, a play as one word with the mover's points: ``"8/5,6/5"``, ``"24/18*/13"``, "pass"."""
        return str(action) if state.dice is None else play_to_text(hops(state, action)[0])

    def text_to_action(self, state: State, text: str) -> int:
        """Returns the roll, or the play that leads to the position that ``text`` describes.

        Moves may be in any order, hop by hop or joined, with or without ``*``; see ``text_to_moves``. If a joined move
        can hit on the way or not, it does not hit unless the point is named.
        """
        if state.dice is None:
            return self._text_to_roll(state, text)
        legal = _plays(state)
        if text.strip().casefold() in PASSES:
            if PASS in legal.values():
                return PASS
            raise IllegalMove(f"illegal move: {text.strip()!r}, the roll can be played")
        own, other = state.checkers[state.player], state.checkers[1 - state.player]
        described, named = list(own), set()
        for points in text_to_moves(text):
            described[points[0]] -= 1
            described[points[-1]] += 1
            named |= {BAR - point for point in points[:-1] if OFF < point < BAR and other[BAR - point] == 1}
        fits = [
            (theirs[BAR], action)
            for (mine, theirs), action in legal.items()
            if list(mine) == described and not any(theirs[point] for point in named)
        ]
        fewest_hits = [action for hits, action in sorted(fits, reverse=True) if hits == min(fits)[0]]
        if len(fewest_hits) == 1:
            return fewest_hits[0]
        roll = "{}{}".format(*state.dice)
        if fewest_hits:
            choices = " or ".join(self.action_to_text(state, action) for action in fewest_hits)
            raise IllegalMove(f"ambiguous move: {text.strip()!r} with {roll}: {choices}")
        raise IllegalMove(f"illegal move: {text.strip()!r} with {roll}")

    def _text_to_roll(self, state: State, text: str) -> int:
        digits = [int(letter) for letter in text if letter in "123456"]
        if len(digits) == 2 and not text.strip(" \t,-123456"):
            one, two = digits if state.player == CHANCE else sorted(digits, reverse=True)
            if 10 * one + two in self.legal_actions(state):
                return 10 * one + two
        unequal = " that differ" if state.player == CHANCE else ""
        raise IllegalMove(f"not a roll: {text.strip()!r} (two digits from 1 to 6{unequal}, as in '31')")

    def state_to_text(self, state: State) -> str:
        """Position ID, player on roll, and the dice (``-`` before the roll): ``"4HPwATDgc/ABMA 0 31"``.

        Before the opening roll: ``"4HPwATDgc/ABMA 0 opening"``.
        """
        player = max(state.player, 0)
        word = position_id(state.checkers[player], state.checkers[1 - player])
        roll = "opening" if state.player == CHANCE else "-" if state.dice is None else "{}{}".format(*state.dice)
        return f"{word} {player} {roll}"

    def book_state(self, state: State) -> State:
        """Returns the position with player 0 on roll: plays use the mover's points, so they are the same for both
        players.
        """
        if state.player != 1:
            return state
        return State((state.checkers[1], state.checkers[0]), 0, state.dice)

    def book_text(self, state: State) -> str:
        return self.state_to_text(self.book_state(state))

    def state_from_text(self, text: str) -> State:
        """Also reads an XGID, with X as player 0, and GNU Backgammon's ID; cube and score are ignored."""
        words = text.split()
        if len(words) == 1 and ":" in words[0]:
            setup = from_gnubg_id(words[0]) if words[0].find(":") == 14 else from_xgid(words[0])
            if setup.match.doubled:
                raise GameError(f"position of a cube decision: {text.strip()!r} (there is no cube here)")
            roll = "-" if setup.match.dice is None else "{}{}".format(*setup.match.dice)
            return self._checked(State(setup.checkers, setup.match.player, None), roll, text)
        if len(words) != 3 or words[1] not in ("0", "1"):
            raise GameError(f"not a backgammon position: {text.strip()!r} (as in '4HPwATDgc/ABMA 0 31')")
        own, other = from_position_id(words[0])
        player = int(words[1])
        return self._checked(State((other, own) if player else (own, other), player, None), words[2], text)

    def _checked(self, state: State, roll: str, text: str) -> State:
        """Returns ``state`` with the roll. Raises GameError if it is not a roll, or the game is over."""
        if roll == "opening" and state.player == 0 and self.returns(state) is None:
            return State(state.checkers, CHANCE, None)
        if roll == "-":
            return state
        if len(roll) != 2 or set(roll) - set("123456"):
            raise GameError(f"not a roll: {roll!r} in {text.strip()!r} (two digits from 1 to 6, '-', or '0 opening')")
        if self.returns(state) is not None:
            raise GameError(f"dice after the end of the game: {text.strip()!r}")
        high, low = sorted(map(int, roll), reverse=True)
        return State(state.checkers, state.player, (high, low))

    def cells(self, state: State, clicked: Sequence[Cell]) -> Sequence[Sequence[int | None]]:
        """Returns the board of ``cells.py``, with the clicked checkers moved."""
        return cells.rows(cells.moved(state.checkers, state.player, clicked))

    def steps(self, state: State, action: int) -> Sequence[Sequence[Cell]]:
        """Returns all orders of hops that lead to the same position; if no checker can move, the dice, or a pass."""
        return _ways(state)[action]

    def labels(self, state: State, clicked: Sequence[Cell]) -> dict[Cell, str]:
        return cells.labels(cells.moved(state.checkers, state.player, clicked), max(state.player, 0), state.dice)

    def shades(self) -> dict[str, list[Cell]]:
        return cells.shades()

    def captures(self, state: State) -> tuple[int, int]:
        """Returns the checkers borne off, since these decide the game."""
        return state.checkers[0][OFF], state.checkers[1][OFF]

    def places(self, state: State) -> dict[str, Box]:
        from playout.games.picture.backgammon import places

        return places(max(state.player, 0))

    def clicks(self, state: State, action: int) -> list[list[str]]:
        """From and to for each hop, in each order of the hops."""
        if state.dice is None or action == PASS:
            return []
        from playout.games.picture.backgammon import place_name

        hops = {tuple(cells.hops_of(state.checkers, state.player, way)) for way in _ways(state)[action]}
        return [[place_name(point) for hop in way for point in hop] for way in sorted(hops, reverse=True)]

    def svg(self, state: State) -> str:
        from playout.games.picture.backgammon import board

        return board(self.name, state.checkers, max(state.player, 0), state.dice, self._caption(state, COLOURS))

    def render(self, state: State) -> str:
        return draw(state.checkers, max(state.player, 0), self._caption(state, "XO"))

    def _caption(self, state: State, names: Sequence[str]) -> str:
        result = self.returns(state)
        if result is not None:
            return f"{names[result[0] < 0]} wins {abs(result[0]) * self.points_scale:.0f}"
        if state.player == CHANCE:
            return "opening roll"
        if state.dice is None:
            return f"{names[state.player]} to roll"
        return f"{names[state.player]} to play {state.dice[0]}{state.dice[1]}"


def _plays(state: State) -> Plays:
    assert state.dice is not None
    return plays(state.checkers[state.player], state.checkers[1 - state.player], state.dice)


@lru_cache(maxsize=256)
def _ways(state: State) -> dict[int, list[Way]]:
    """Returns the ways to click each play, that of its own hops first."""
    assert state.dice is not None
    legal = _plays(state)
    if PASS in legal.values():
        return {PASS: [(cells.DICE[0],), ()]}
    own, other = state.checkers[state.player], state.checkers[1 - state.player]
    dice = state.dice if state.dice[0] > state.dice[1] else state.dice * 2
    found = _walks(state.player, own, other, dice, None, {})
    longest = max(hops for _, _, hops in found)
    ways = {action: {cells.way(state.player, own, other, hops(state, action)[0]): None} for action in legal.values()}
    for way, end, length in found:
        if length == longest and end in legal:
            ways[legal[end]][way] = None
    return {action: list(known) for action, known in ways.items()}


Walk = tuple[Way, tuple[Checkers, Checkers], int]
"""The clicked cells, both sides' checkers after them, and the number of dice played."""


def _walks(
    player: int,
    own: Checkers,
    other: Checkers,
    dice: tuple[int, ...],
    last: int | None,
    known: dict[tuple[Checkers, Checkers, tuple[int, ...], int | None], list[Walk]],
) -> list[Walk]:
    """Returns all ways to move one checker after another until no die can be played; ``last`` is the previous target
    point.
    """
    key = own, other, dice, last
    if key not in known:
        found: list[Walk] = []
        for die in set(dice):
            number = dice.index(die)
            rest = dice[:number] + dice[number + 1 :]
            for source in range(BAR, OFF, -1):
                after = move_checker(own, other, source, die)
                if after is not None:
                    target = max(source - die, OFF)
                    step = cells.step(player, own, other, source, target, source == last)
                    walks = _walks(player, *after, rest, target, known)
                    found += [(step + way, end, length + 1) for way, end, length in walks]
        known[key] = found or [((), (own, other), 0)]
    return known[key]
