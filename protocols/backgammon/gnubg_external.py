"""GNU Backgammon's external player: the engine answers board lines, as GNU Backgammon does after ``external``.

GNU Backgammon itself is a client of it (``set player 1 external HOST:PORT``), and ends each line with a newline and a
zero byte. It reads its answer up to the first newline and no further: one line, shorter than 256 bytes, answers each
board, and nothing else may be written.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from playout.engine.judge.cube import Access, Chances, doubles, match_equity, may_double, money_equity, takes
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import GameError, PlayoutError
from playout.games.support.backgammon.setup import Match, Setup
from playout.protocols.backgammon.fibs_board import PREFIX, from_fibs_board
from playout.protocols.backgammon.table import Table
from playout.protocols.base.cause import caused_by
from playout.protocols.base.lines import clean, last_line, one_line
from playout.protocols.base.protocol import Event
from playout.protocols.base.version import NAME, VERSION

if TYPE_CHECKING:
    from playout.engine.session import Session

logger = logging.getLogger(__name__)

INTERFACE = "2"
"""The version of the interface whose commands are known, as GNU Backgammon 1.05 to 1.08 give it."""
MOST_WAITING = 1000
"""Lines that may wait for the decision under way; more are refused."""
_ON, _OFF = ("on", "yes", "true"), ("off", "no", "false")

Kind = Literal["play", "cube", "resignation", "evaluation"]


@dataclass(frozen=True, slots=True)
class _Asked:
    kind: Kind
    setup: Setup
    resigned: int = 0
    cubeful: bool = False


class GnubgExternal:
    """See ``Protocol``. Lines that arrive during a decision wait for its answer."""

    def __init__(self, session: Session) -> None:
        """Raises GameError unless the session's game is backgammon."""
        self.session = session
        self.closed = False
        self._table = Table(session)
        self._asked: _Asked | None = None
        self._waiting: deque[tuple[str, float]] = deque()
        self._ending = False
        self._commands: dict[str, Callable[[Sequence[str], float], Sequence[str]]] = {
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

    def commands(self) -> Mapping[str, Callable[..., Sequence[str]]]:
        return {"board:...": self.board, **self._commands}

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        text = clean(line).strip()
        if self.closed or (not text and "\0" in line):
            return ()  # the zero byte behind the last line of GNU Backgammon's
        if not self.busy:
            return self._execute(text, received)
        if text in ("exit", "quit"):
            return self.exit((), received)
        if len(self._waiting) >= MOST_WAITING:
            return ["Error: too many commands wait"]
        self._waiting.append((text, received))
        return ()

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [f"Error: {one_line(reason, 200)}"]

    def handle_event(self, event: Event) -> Sequence[str]:
        asked = self._asked
        if asked is None or isinstance(event, SearchInfo):
            return ()
        self._asked = None
        try:
            self.session.wait()
            answer = self._answer(event, asked)
        except Exception as error:
            logger.exception("a result could not be written")
            answer = f"Error: {one_line(str(error), 200)}"
        return [answer, *self._release()]

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        if self.busy and not at_once:
            self._ending = True
            return ()
        return self.exit((), 0.0)

    def board(self, text: str, received: float) -> Sequence[str]:
        """``board:... [resignation N] [jacobyrule on|off] ...``: decides. With dice the play, ``24/18 18/13`` (25 is
        the bar, 0 off), blank if there is none; before the roll ``double`` or ``roll``; to a double ``take`` or
        ``drop``; to an offer to resign N times the cube ``accept`` or ``reject``."""
        line, *words = text.split()
        options = _options(words)
        setup = from_fibs_board(line, jacoby=options.get("jacobyrule", "on") in _ON)
        setup = _crawford(setup, options)
        limits = Limits(received=received)
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

    def version(self, _words: Sequence[str], _received: float) -> Sequence[str]:
        """``version``: four lines, the versions of the interface, of the board line, of the engine and of playout."""
        return [f"Interface: {INTERFACE}", "RFBF: 0", f"Engine: {NAME}", f"Software: {VERSION}"]

    def help(self, _words: Sequence[str], _received: float) -> Sequence[str]:
        """``help``: one line that names the commands."""
        return [f"\t{PREFIX}..., evaluation fibsboard {PREFIX}..., version, help, set, exit"]

    def set(self, words: Sequence[str], _received: float) -> Sequence[str]:
        """``set interface new|old | debug on|off``: taken and confirmed; nothing changes."""
        match [word.lower() for word in words]:
            case ["interface", "new" | "old" as which]:
                return [f"New interface {'ON' if which == 'new' else 'OFF'}"]
            case ["debug", word] if word in _OFF:
                return ["Debug output OFF"]
            case ["debug", word] if word in _ON:
                return ["Error: debug output is not supported"]
            case ["prompt", _]:
                return ["Error: set option 'prompt' not supported"]
        return ["Error: syntax error, expected set interface new|old or set debug on|off"]

    def evaluation(self, words: Sequence[str], received: float) -> Sequence[str]:
        """``evaluation fibsboard board:... [cubeful|cubeless|cube on|off] [jacobyrule on|off] [crawfordrule on|off]
        ...``: six numbers for the player on roll, from playouts before the roll: how likely he wins, wins a gammon,
        wins a backgammon, loses a gammon, loses a backgammon; then points on a cube of 1 or, in a match, how likely he
        wins it. ``plies``, ``prune``, ``noise`` and ``deterministic`` are taken and change nothing."""
        if len(words) < 2 or words[0].lower() != "fibsboard" or not words[1].lower().startswith(PREFIX):
            return ["Error: syntax error, expected evaluation fibsboard board:..."]
        options = _options(words[2:])
        setup = _crawford(from_fibs_board(words[1], jacoby=options.get("jacobyrule", "on") in _ON), options)
        setup = replace(setup, match=replace(setup.match, dice=None))
        self._table.roll_out(setup, Limits(received=received))
        cubeful = options.get("cubeful") == "" or options.get("cube", "off") in _ON
        self._asked = _Asked("evaluation", setup, cubeful=cubeful)
        return ()

    def exit(self, _words: Sequence[str], _received: float) -> Sequence[str]:
        """``exit``: ends the session."""
        self.closed = True
        self._waiting.clear()
        if self.busy:
            self.session.stop()
        return ()

    def _execute(self, text: str, received: float) -> Sequence[str]:
        if not text:
            return ["Error: no command given"]
        try:
            if text.lower().startswith(PREFIX):
                return self.board(text, received)
            word, *words = text.split()
            command = self._commands.get(word.lower())
            if command is None:
                return [f"Error: syntax error, unexpected {one_line(word, 40)}"]
            return command(words, received)
        except PlayoutError as error:
            logger.info("%s: %s", one_line(text), error)
            return [f"Error: badly formed board: {one_line(str(error), 180)}"]
        except Exception as error:
            logger.exception("%s failed", one_line(text))
            return [f"Error: {type(error).__name__}: {one_line(str(error), 180)}"]

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

    def _release(self) -> Sequence[str]:
        """Executes what waited, up to the next decision that takes time."""
        replies: list[str] = []
        while self._waiting and not self.busy and not self.closed:
            text, received = self._waiting.popleft()
            with caused_by(text):
                replies += self._execute(text, received)
        if self._ending and not self.busy:
            self.exit((), 0.0)
        return replies


def _options(words: Sequence[str]) -> dict[str, str]:
    """The options behind a board: flags with an empty value, the others with theirs."""
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
            raise GameError(f"unexpected {one_line(words[place - 1], 40)!r} behind the board")
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
    """``setup`` without a Crawford game where the match has none."""
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
