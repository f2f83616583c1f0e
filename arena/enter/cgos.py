"""The player at a CGOS Go server, without sockets and threads: lines in, actions out.

The server keeps board and clock. It sends ``setup`` with a game and, after a login in the middle of one, with all its
moves; then ``play`` with each move of the opponent and ``genmove`` where a move is wanted. Whatever does not fit the
game makes the player log in again, because the next ``setup`` has the truth.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from playout.arena.drivers.driver import RESIGN
from playout.games.errors import PlayoutError
from playout.protocols.base.lines import clean, one_line
from playout.protocols.base.version import NAME, VERSION

ANALYSIS = "genmove_analyze"
"""Word by which server and player agree on moves with a JSON object behind them."""
COLOURS = {"b": 0, "w": 1}
"""Player of the game by its letter: Black moves first."""
COLOUR_NAMES = ("Black", "White")
MARGIN = 0.5
"""Seconds of the clock that the engine is not told of, beside the delays that were measured."""
MEASURED = 16
"""Number of moves whose delays are remembered."""
_NAME = re.compile(r"[A-Za-z_.-][A-Za-z0-9_.-]{2,17}")
_PASSWORD = re.compile(r"[!-~]{3,}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Match:
    """A game as the server has set it up."""

    number: str
    """The server's name for it."""
    game: str
    """Name in the catalogue of games, with size and komi."""
    seconds: float
    """Time of each player for the whole game."""
    names: tuple[str, str]
    """Black and White, with their ratings."""
    player: int | None
    """The side of this program, 0 or 1; None if the server gives both sides other names."""

    def __str__(self) -> str:
        return f"game {self.number}: {self.game}, {self.names[0]} (Black) against {self.names[1]} (White)"


@dataclass(frozen=True, slots=True)
class Send:
    """Sends a line."""

    line: str
    secret: bool = False
    """Whether no log may show it."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """Gets the engine ready for a game, which begins or goes on."""

    match: Match


@dataclass(frozen=True, slots=True)
class Think:
    """Lets the engine look for a move; ``CgosPlayer.answer`` takes it."""

    match: Match
    moves: tuple[str, ...]
    """All moves of the game, Black's first, as the server wrote them."""
    player: int
    """The player to move, 0 or 1."""
    left: float
    """Seconds on the clock of this player when the server asked, by its word; it may be negative."""
    planned: float
    """Seconds that the engine may plan with: ``left`` less what the network may take."""
    opponent: float | None
    """Seconds on the other clock, as far as they are known."""
    received: float
    """Time at which the server's line came."""
    analysis: bool
    """Whether the server wants to know what the engine thinks."""

    def asks_as(self, other: Think) -> bool:
        """Whether the answer to ``other`` answers this, too: it is the same position of the same game."""
        return (self.match.number, self.moves) == (other.match.number, other.moves)


@dataclass(frozen=True, slots=True)
class Halt:
    """Tells the engine that nobody waits for its move any more. ``CgosPlayer.answer`` still takes the answer."""


@dataclass(frozen=True, slots=True)
class Over:
    """Reports the end of a game."""

    match: Match
    result: str
    """In the server's words, such as ``B+3.5`` or ``W+Resign``."""

    @property
    def value(self) -> float | None:
        """Result of Black in [-1, 1]; None if the game does not count."""
        if self.result == "Draw":
            return 0.0
        return {"B+": 1.0, "W+": -1.0}.get(self.result[:2])

    def __str__(self) -> str:
        said = ""
        if self.value is not None and self.match.player is not None:
            own = self.value if self.match.player == 0 else -self.value
            said = ", won" if own > 0 else ", lost" if own < 0 else ", drawn"
        return f"{self.match}: {self.result}{said}"


@dataclass(frozen=True, slots=True)
class Reconnect:
    """Drops the connection, in order to log in again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Ends the connection for good, once everything is sent."""


Action = Send | Prepare | Think | Halt | Over | Reconnect | Leave


class CgosPlayer:
    """The state of one user of a server, over all its connections. Not for several threads.

    Times are in seconds of one clock, which the caller reads.
    """

    def __init__(
        self, name: str, password: str, *, analyses: bool = False, margin: float = MARGIN, games: int | None = None
    ) -> None:
        """``analyses`` says whether the engine can tell what it thinks. ``margin`` is the part of the clock, in
        seconds, that is kept from the engine. After ``games`` games the player leaves; None is without end.

        Raises:
            PlayoutError: if servers accept no such name or password.
        """
        if not _NAME.fullmatch(name):
            raise PlayoutError(f"--name {name!r}: 3 to 18 letters, digits and _ . - expected, and no digit first")
        if not _PASSWORD.fullmatch(password):
            raise PlayoutError("the password: at least 3 visible ASCII characters without blanks expected")
        self.name = name
        self.match: Match | None = None
        """The game under way."""
        self.entered = False
        """Whether name and password were sent on this connection."""
        self.stopping = False
        """Whether it was asked to leave."""
        self._password, self._analyses, self._margin, self._games = password, analyses, margin, games
        self._moves: list[str] = []
        self._left: list[float | None] = [None, None]
        self._delays: deque[float] = deque([0.0], maxlen=MEASURED)
        self._paid: tuple[float, float] | None = None
        """Clock before the last move of this side, and the seconds that the move took here."""
        self._asked: Think | None = None
        """The move that the server waits for."""
        self._thinking: Think | None = None
        """The move that the engine is looking for; only one at a time."""
        self._halted = False
        """Whether the engine was told to end this search, so that its answer is worth nothing."""
        self._found: tuple[Think, str, str] | None = None
        """Answer that was found while there was no connection."""
        self._announced = self._confirmed = self._owes_ready = False
        self._finished = 0

    @property
    def uncertain(self) -> bool:
        """Whether the login was in the middle of a game, and the server has not set it up again."""
        return self.entered and self.match is not None and not self._confirmed

    def connected(self) -> None:
        """Notes a new connection."""
        self.entered = self._announced = self._confirmed = self._owes_ready = False
        self._asked = self._paid = None

    def lost(self) -> list[Action]:
        """Notes the loss of the connection. The engine thinks on: its clock runs on, too."""
        self.connected()
        return self._farewell() if self.stopping and self.match is None else []

    def settled(self) -> list[Action]:
        """Notes that the server has set up nothing since the login: the game ended while there was no connection."""
        actions = self._missed()
        return [*actions, *self._farewell()] if self._done else actions

    def stop(self) -> list[Action]:
        """Asks the player to leave: at once between games, otherwise at the end of the game."""
        self.stopping = True
        return self._farewell() if self.match is None else []

    def receive(self, line: str, now: float) -> list[Action]:
        """Returns what a line of the server, which came at the time ``now``, asks for.

        Raises:
            PlayoutError: if the server refuses this player, or another login takes its place.
        """
        words = clean(line).split()
        if not words:
            return []
        if words[0].lower() == "error:":
            raise PlayoutError(f"the server says: {one_line(line)}")
        try:
            return self._read(words[0], words[1:], now)
        except (ArithmeticError, KeyError, ValueError):
            logger.warning("a line that cannot be read: %s", one_line(line, 80))
            return []

    def answer(self, asked: Think, move: str, now: float, analysis: str = "") -> list[Action]:
        """Returns what follows from the engine's answer to ``asked``: a move, or ``RESIGN``.

        ``analysis`` is a JSON object on one line, or empty.
        """
        assert asked is self._thinking
        self._thinking = None
        wanted = self._asked
        if wanted is not None and wanted.asks_as(asked) and not self._halted:
            return self._reply(wanted, move, analysis, now)
        if wanted is not None:
            return self._begin(wanted)
        if self._owes_ready:
            self._owes_ready = False
            return [Send("ready")]
        if not self._halted:
            self._found = (asked, move, analysis)
        return []

    def _read(self, word: str, rest: Sequence[str], now: float) -> list[Action]:
        """Raises ``ArithmeticError``, ``KeyError`` or ``ValueError`` if the line does not have its form."""
        match word:
            case "protocol":
                self._announced = self._analyses and ANALYSIS in rest
                return [Send(f"e1 {NAME} {VERSION}{f' {ANALYSIS}' if self._announced else ''}")]
            case "username":
                return [Send(self.name)]
            case "password":
                self.entered = True
                return [Send(self._password, secret=True)]
            case "info":
                return self._informed(" ".join(rest))
            case "setup":
                return self._set_up(rest)
            case "play":
                return self._played(rest)
            case "genmove":
                return self._asked_for(rest, now)
            case "gameover":
                return self._ended(rest)
        logger.warning("a line of an unknown kind: %s", one_line(" ".join([word, *rest]), 80))
        return []

    def _informed(self, text: str) -> list[Action]:
        """Raises ``PlayoutError`` before the server closes the connection for another login: two programs that log in
        again and again would put each other out for ever."""
        logger.info("the server says: %s", one_line(text))
        if "another login" in text:
            raise PlayoutError(f"another program has logged in as {self.name}")
        return []

    def _set_up(self, rest: Sequence[str]) -> list[Action]:
        number, size, komi, milliseconds, white, black, *line = rest
        moves, times = line[::2], [_seconds(word) for word in line[1::2]]
        if len(moves) != len(times):
            raise ValueError
        sides = [name.partition("(")[0] for name in (black, white)]
        match = Match(
            number,
            f"go:{int(size)},komi={float(komi):g}",
            _seconds(milliseconds),
            (black, white),
            sides.index(self.name) if self.name in sides else None,
        )
        actions: list[Action] = []
        if self.match is not None and self.match.number != number:
            actions += self._missed()
        begins = self.match is None
        self.match, self._confirmed, self._asked = match, True, None
        self._moves = moves
        self._left = [next(iter(times[player::2][-1:]), None) for player in (0, 1)]
        self._owes_ready = False
        logger.info("%s%s", match, f", after {len(moves)} moves" if moves else "")
        return [*actions, Prepare(match)] if begins else actions

    def _played(self, rest: Sequence[str]) -> list[Action]:
        colour, move, milliseconds = rest
        player, left = COLOURS[colour.lower()], _seconds(milliseconds)
        if self.match is None:
            raise ValueError
        if not self._is_turn(player):
            return [Reconnect(f"play {colour} {one_line(move, 10)}: it is not {COLOUR_NAMES[player]}'s turn")]
        self._moves.append(move)
        self._left[player] = left
        return []

    def _asked_for(self, rest: Sequence[str], now: float) -> list[Action]:
        colour, milliseconds = rest
        player, left = COLOURS[colour.lower()], _seconds(milliseconds)
        if self.match is None:
            raise ValueError
        if not self._is_turn(player):
            return [Reconnect(f"genmove {colour}: it is not {COLOUR_NAMES[player]}'s turn")]
        if self._paid is not None:
            before, spent = self._paid
            self._delays.append(max(0.0, before - left - spent))
            self._paid = None
        wanted = Think(
            self.match,
            tuple(self._moves),
            player,
            left,
            planned(left, self._margin + max(self._delays)),
            self._left[1 - player],
            now,
            self._announced,
        )
        self._asked = wanted
        found, self._found = self._found, None
        if found is not None and wanted.asks_as(found[0]):
            return self._reply(wanted, *found[1:], now)
        if self._thinking is None:
            return self._begin(wanted)
        return [] if wanted.asks_as(self._thinking) and not self._halted else self._halt()

    def _missed(self) -> list[Action]:
        """Notes that the game under way has ended unseen."""
        assert self.match is not None
        over = Over(self.match, "ended while there was no connection")
        self.match = self._found = None
        self._finished += 1
        return [over, *self._halt()]

    def _ended(self, rest: Sequence[str]) -> list[Action]:
        _, result, *text = rest
        actions: list[Action] = []
        if text:
            logger.info("the server says: %s", one_line(" ".join(text)))
        if self.match is not None:
            self._finished += 1
            actions.append(Over(self.match, one_line(result, 20)))
        self.match = self._asked = self._found = self._paid = None
        actions += self._halt()
        if self._done:
            return [*actions, *self._farewell()]
        if self._thinking is not None:
            # The server may ask for the first move as soon as it has read "ready".
            self._owes_ready = True
            return actions
        return [*actions, Send("ready")]

    def _reply(self, wanted: Think, move: str, analysis: str, now: float) -> list[Action]:
        self._asked = None
        self._paid = (wanted.left, now - wanted.received)
        if move == RESIGN:
            return [Send(RESIGN)]
        self._moves.append(move)
        return [Send(f"{move} {analysis}" if self._announced and analysis else move)]

    def _is_turn(self, player: int) -> bool:
        return len(self._moves) % 2 == player

    def _begin(self, wanted: Think) -> list[Action]:
        self._thinking, self._halted = wanted, False
        return [wanted]

    def _halt(self) -> list[Action]:
        if self._thinking is None or self._halted:
            return []
        self._halted = True
        return [Halt()]

    @property
    def _done(self) -> bool:
        return self.stopping or (self._games is not None and self._finished >= self._games)

    def _farewell(self) -> list[Action]:
        return [Send("quit"), Leave()]


def planned(left: float, margin: float) -> float:
    """Returns the seconds that an engine may plan with of ``left``: less the margin, but at least a quarter."""
    return max(left - margin, left / 4, 0.0)


def _seconds(milliseconds: str) -> float:
    return int(milliseconds) / 1000
