"""GNU Backgammon's external player: the engine answers board lines, as GNU Backgammon does after ``external``.

GNU Backgammon itself can be the client (``set player 1 external HOST:PORT``). It ends each line with a newline and a
zero byte, and reads an answer only up to the first newline. So exactly one line of less than 256 bytes answers each
board.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from playout.engine.judge.cube import Access, Chances, doubles, match_equity, may_double, money_equity, takes
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import GameError, PlayoutError, ProtocolError
from playout.games.support.backgammon.setup import Match, Setup
from playout.protocols.backgammon.fibs_board import PREFIX, from_fibs_board
from playout.protocols.backgammon.table import PositionTable
from playout.protocols.base.dispatch import Command, Dispatcher
from playout.protocols.base.lines import clean, last_line, one_line
from playout.protocols.base.protocol import Event
from playout.protocols.base.version import NAME, VERSION

if TYPE_CHECKING:
    from playout.engine.session import Session

logger = logging.getLogger(__name__)

INTERFACE = "2"
"""Version of the interface that is implemented, as GNU Backgammon 1.05 to 1.08 report it."""
BOARD_LINE = "board:..."
"""Name of the command that consists of a board line."""
_ON, _OFF = ("on", "yes", "true"), ("off", "no", "false")

Kind = Literal["play", "cube", "resignation", "evaluation"]


@dataclass(frozen=True, slots=True)
class _Asked:
    kind: Kind
    setup: Setup
    resigned: int = 0
    cubeful: bool = False


class GnubgError(ProtocolError):
    """A command that cannot be carried out. The message is the text after ``Error:``."""


class GnubgExternal(Dispatcher[Command]):
    """See ``Protocol``. Commands that arrive during a decision wait for its answer."""

    most_waiting = 1000
    completes = True

    def __init__(self, session: Session) -> None:
        """Raises GameError unless the session's game is backgammon."""
        super().__init__(session)
        self._table = PositionTable(session)
        self._asked: _Asked | None = None
        self._commands = {
            BOARD_LINE: self.board,
            "version": self.version,
            "help": self.help,
            "set": self.set,
            "evaluation": self.evaluation,
            "exit": self.exit,
            "quit": self.exit,
        }

    @property
    def busy(self) -> bool:
        return self._asked is not None

    def parse(self, line: str, received: float) -> Command | None:
        text = clean(line).strip()
        if not text:  # GNU Backgammon ends its last line with a zero byte
            return None if "\0" in line else Command("", "", received, text)
        if text.lower().startswith(PREFIX):
            return Command(BOARD_LINE, text, received, text)
        word, *rest = text.split(maxsplit=1)
        return Command(word.lower(), "".join(rest), received, text)

    def urgent(self, command: Command) -> bool:
        return command.name in ("exit", "quit")

    def unknown(self, command: Command) -> GnubgError:
        if not command.name:
            return GnubgError("no command given")
        return GnubgError(f"syntax error, unexpected {one_line(command.line.split()[0], 40)}")

    def refused(self, error: PlayoutError, command: Command | None) -> Sequence[str]:
        if isinstance(error, GnubgError):
            return [f"Error: {error}"]
        logger.info("%s: %s", "" if command is None else one_line(command.line), error)
        return [f"Error: badly formed board: {one_line(str(error), 180)}"]

    def defect(self, error: BaseException, at: Command | Event | None) -> Sequence[str]:
        if isinstance(at, SearchResult):
            return [f"Error: {one_line(str(error), 200)}"]
        return [f"Error: {type(error).__name__}: {one_line(str(error), 180)}"]

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [f"Error: {one_line(reason, 200)}"]

    def finish(self, result: SearchResult) -> Sequence[str]:
        asked, self._asked = self._asked, None
        if asked is None:
            return ()
        self.session.wait()
        return [self._answer(result, asked)]

    def board(self, command: Command) -> Sequence[str]:
        """``board:... [resignation N] [jacobyrule on|off] ...``: decides at this position. With dice, answers the play,
        such as ``24/18 18/13`` (25 is the bar, 0 is off), or a blank line if none is possible; before the roll,
        ``double`` or ``roll``; after a double, ``take`` or ``drop``; after an offer to resign N times the cube,
        ``accept`` or ``reject``."""
        line, *words = command.words
        options = _options(words)
        setup = from_fibs_board(line, jacoby=options.get("jacobyrule", "on") in _ON)
        setup = _crawford(setup, options)
        limits = Limits(received=command.received)
        if setup.match.doubled:
            self._table.roll_out(setup, limits)
            self._asked = _Asked("cube", setup)
        elif resigned := int(options.get("resignation", "0")):
            setup = replace(setup, match=replace(setup.match, dice=None))
            self._table.roll_out(setup, limits)
            self._asked = _Asked("resignation", setup, min(resigned, 3))
        elif setup.match.dice is not None:
            move = self._table.think(setup, limits)
            if move is not None:
                return [self._play(move)]
            self._asked = _Asked("play", setup)
        elif may_double(setup.match):
            self._table.roll_out(setup, limits)
            self._asked = _Asked("cube", setup)
        else:
            return ["roll"]
        return ()

    def version(self, _: Command) -> Sequence[str]:
        """``version``: answers four lines: the versions of the interface, the board line, the engine and playout."""
        return [f"Interface: {INTERFACE}", "RFBF: 0", f"Engine: {NAME}", f"Software: {VERSION}"]

    def help(self, _: Command) -> Sequence[str]:
        """``help``: answers one line that lists the commands."""
        return [f"\t{PREFIX}..., evaluation fibsboard {PREFIX}..., version, help, set, exit"]

    def set(self, command: Command) -> Sequence[str]:
        """``set interface new|old | debug on|off``: answers a confirmation and changes nothing."""
        match [word.lower() for word in command.words]:
            case ["interface", "new" | "old" as which]:
                return [f"New interface {'ON' if which == 'new' else 'OFF'}"]
            case ["debug", word] if word in _OFF:
                return ["Debug output OFF"]
            case ["debug", word] if word in _ON:
                raise GnubgError("debug output is not supported")
            case ["prompt", _]:
                raise GnubgError("set option 'prompt' not supported")
        raise GnubgError("syntax error, expected set interface new|old or set debug on|off")

    def evaluation(self, command: Command) -> Sequence[str]:
        """``evaluation fibsboard board:... [cubeful|cubeless|cube on|off] [jacobyrule on|off] [crawfordrule on|off]
        ...``: answers six numbers from playouts before the roll, for the player on roll: the probabilities of a win, a
        won gammon, a won backgammon, a lost gammon and a lost backgammon; then the equity in points with the cube at 1
        or, in a match, the probability of winning the match. ``plies``, ``prune``, ``noise`` and ``deterministic`` are
        ignored."""
        words = command.words
        if len(words) < 2 or words[0].lower() != "fibsboard" or not words[1].lower().startswith(PREFIX):
            raise GnubgError("syntax error, expected evaluation fibsboard board:...")
        options = _options(words[2:])
        setup = _crawford(from_fibs_board(words[1], jacoby=options.get("jacobyrule", "on") in _ON), options)
        setup = replace(setup, match=replace(setup.match, dice=None))
        self._table.roll_out(setup, Limits(received=command.received))
        cubeful = options.get("cubeful") == "" or options.get("cube", "off") in _ON
        self._asked = _Asked("evaluation", setup, cubeful=cubeful)
        return ()

    def exit(self, _: Command) -> Sequence[str]:
        """``exit``: ends the session."""
        return self.leave()

    def _answer(self, result: SearchResult, asked: _Asked) -> str:
        if result.reason == "fault" and result.move is None:
            raise GameError(f"the search failed: {last_line(result.fault)}")
        if asked.kind == "play":
            if result.move is None:
                raise GameError("the search found no move")
            return self._play(result.move)
        chances, match = self._table.chances(result), asked.setup.match
        if asked.kind == "evaluation":
            return _evaluated(chances, match, asked.cubeful)
        if asked.kind == "resignation":
            return "accept" if asked.resigned >= money_equity(chances, _access(match)) else "reject"
        if match.doubled:
            return "take" if takes(chances, match) else "drop"
        return "double" if doubles(chances, match) else "roll"

    def _play(self, move: str) -> str:
        return self._table.written_out(move, bar="25", off="0")


def _options(words: Sequence[str]) -> dict[str, str]:
    """The options after a board, by name. The value of a flag is empty."""
    found: dict[str, str] = {}
    place = 0
    while place < len(words):
        word = words[place].lower()
        value = words[place + 1].lower() if place + 1 < len(words) else ""
        place += 1
        if word in ("cubeful", "cubeless"):
            found[word] = ""
        elif word in ("prune", "deterministic"):
            place += value in (*_ON, *_OFF)
        elif _fits(word, value):
            found[word] = value
            place += 1
        else:
            raise GameError(f"unexpected {one_line(words[place - 1], 40)!r} after the board")
    if "." in found.get("resignation", ""):
        raise GameError("resignation: 1, 2 or 3")
    return found


def _fits(word: str, value: str) -> bool:
    if word in ("cube", "jacobyrule", "crawfordrule", "beavers"):
        return value in (*_ON, *_OFF)
    return (
        word in ("plies", "noise", "resignation")
        and value.isascii()
        and value.replace(".", "", 1).isdigit()
        and len(value) < 10
    )


def _crawford(setup: Setup, options: dict[str, str]) -> Setup:
    """``setup``, with the Crawford game removed if the options say that the match has none."""
    if options.get("crawfordrule", "on") in _ON:
        return setup
    return replace(setup, match=replace(setup.match, crawford=False))


def _access(match: Match) -> Access:
    if match.crawford:
        return "other"
    return "centred" if match.owner is None else "own" if match.owner == match.player else "other"


def _evaluated(chances: Chances, match: Match, cubeful: bool) -> str:
    if match.length:
        worth = match_equity(chances, match, match.cube)
    else:
        worth = money_equity(chances, _access(match), jacoby=match.jacoby) if cubeful else chances.equity
    numbers = (
        chances.win,
        chances.win_gammon,
        chances.win_backgammon,
        chances.lose_gammon,
        chances.lose_backgammon,
        worth,
    )
    return " ".join(f"{number:.6f}" for number in numbers)
