"""UBGI, the Universal Backgammon Interface: version 0.1 (github.com/bungogood/bgci), and the commands of 0.01
(github.com/oysteijo/Universal-Backgammon-Interface) and of 0.2."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from playout.engine.judge.cube import Chances, doubles, may_double, takes
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.option_values import FrozenOptions
from playout.games.errors import GameError, PlayoutError
from playout.games.nearest import nearest
from playout.games.support.backgammon.setup import Setup
from playout.games.support.backgammon.xgid import from_xgid
from playout.protocols.backgammon.fibs_board import PREFIX, from_fibs_board
from playout.protocols.backgammon.table import PositionTable
from playout.protocols.backgammon.ubgi_context import Context, UbgiError
from playout.protocols.backgammon.ubgi_keys import BACKGAMMON, Keys
from playout.protocols.base.declaration import declaration
from playout.protocols.base.dispatch import Command, Dispatcher, divided
from playout.protocols.base.lines import last_line, one_line
from playout.protocols.base.protocol import Event
from playout.protocols.base.version import AUTHOR, NAME, VERSION

if TYPE_CHECKING:
    from playout.engine.session import Session

logger = logging.getLogger(__name__)

Role = Literal["chequer", "cube", "turn"]
ROLES: tuple[Role, ...] = ("chequer", "cube", "turn")
BOUNDS = ("movetime", "depth", "nodes", "trials")
LARGEST = 2**31 - 1
BOARD_LINE, XGID_LINE = "board:...", "XGID=..."
"""Names of the commands that consist of a position."""
_XGID = re.compile(r"XGID=|[-A-Oa-o]{26}:")


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that the controller has asked for."""

    role: Role
    setup: Setup
    """The position; for ``turn`` with the dice, although the decision to double precedes them."""
    limits: Limits
    """Limits of the searches that are still to come."""
    bare: bool = False
    """Whether the command consisted of a position (0.01). One line in the form of that version answers it."""
    cube: str = ""
    """For ``turn``: the decision about the cube, once it has been made."""
    options: FrozenOptions | None = None
    """For ``turn``: the options of the decision about the cube. They also apply to the play."""


class Ubgi(Dispatcher[Command]):
    """See ``Protocol``. One decision at a time: a command that would start or disturb another one is refused."""

    def __init__(self, session: Session) -> None:
        """Raises GameError unless the session's game is backgammon."""
        super().__init__(session)
        self._table = PositionTable(session)
        self._context = Context()
        self._keys = Keys(session)
        self._defaults = dict(session.options)
        self._question: Question | None = None
        """The decision under way; between decisions, the last one."""
        self._deciding = False
        self._commands = {
            "ubgi": self.ubgi,
            "isready": self.isready,
            "setoption": self.setoption,
            "keys": self.keys,
            "get": self.get,
            "set": self.set,
            "newgame": self.newgame,
            "newsession": self.newsession,
            "setscore": self.setscore,
            "setcube": self.setcube,
            "setturn": self.setturn,
            "position": self.position,
            "dice": self.dice,
            "go": self.go,
            "stop": self.stop,
            "quit": self.quit,
            BOARD_LINE: self.decide,
            XGID_LINE: self.decide,
        }
        self._always = {"ubgi", "isready", "setoption", "keys", "get", "set", "stop", "quit"}

    @property
    def busy(self) -> bool:
        return self._deciding

    def parse(self, line: str, received: float) -> Command | None:
        command = divided(line, received)
        if command is None:
            return None
        text = command.line
        if text.startswith(PREFIX) or _XGID.match(text):
            return Command(BOARD_LINE if text.startswith(PREFIX) else XGID_LINE, text, received, text)
        return command

    def held(self, _command: Command) -> bool:
        return False

    def unknown(self, command: Command) -> UbgiError:
        return UbgiError("unknown_command", f"{one_line(command.line, 60)}{nearest(command.name, self._commands)}")

    def carry_out(self, command: Command) -> Sequence[str]:
        if self.busy and command.name in self._commands and command.name not in self._always:
            raise UbgiError("search_in_progress", command.name)
        return super().carry_out(command)

    def refused(self, error: PlayoutError, command: Command | None) -> Sequence[str]:
        if command is not None and _is_bare(command):
            logger.info("%s", error)
            return ["sorry"]
        if isinstance(error, UbgiError):
            return [f"error {error}"]
        return [f"error bad_argument {one_line(str(error))}"]

    def defect(self, error: BaseException, at: Command | Event | None) -> Sequence[str]:
        if isinstance(at, SearchInfo):
            return ()  # an ``error`` would end the decision
        if isinstance(at, SearchResult):
            bare = self._question is not None and self._question.bare
            return [*self._remarks(at), "sorry" if bare else f"error internal {one_line(str(error))}"]
        if at is not None and _is_bare(at):
            return ["sorry"]
        return [f"error internal {type(error).__name__}: {one_line(str(error))}"]

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [f"error unknown_command {one_line(reason)}"]

    def report(self, info: SearchInfo) -> Sequence[str]:
        question = self._question
        return () if not self.busy or question is None or question.bare else self._thoughts(info, question)

    def finish(self, result: SearchResult) -> Sequence[str]:
        if not self.busy or self._question is None:
            return ()
        self._deciding = False
        self.session.wait()
        return [*self._remarks(result), *self._answer(result, self._question)]

    def ubgi(self, _: Command) -> Sequence[str]:
        """``ubgi``: answers the engine's name and author, its options (0.1) and its keys (0.2), then ``ubgiok``."""
        options = [
            declaration(option, self._defaults.get(option.name, option.default))
            for option in self.session.options.told()
        ]
        identity = [f"id name {NAME}", f"id author {AUTHOR}", f"id version {VERSION}"]
        variant = f"option name Variant type combo default {BACKGAMMON} var {BACKGAMMON}"
        return [*identity, variant, *options, "proto 0.2", *self._keys.listed(), "ubgiok"]

    def isready(self, _: Command) -> Sequence[str]:
        """``isready``: answers ``readyok``, also during a decision."""
        return ["readyok"]

    def setoption(self, command: Command) -> Sequence[str]:
        """``setoption name NAME value VALUE``: sets an option; the next decision obeys it."""
        words = command.words
        if len(words) < 2 or words[0] != "name":
            raise UbgiError("bad_argument", "setoption: expected name NAME value VALUE")
        end = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:end]), " ".join(words[end + 1 :])
        if name.lower() == "variant":
            if value.lower() != BACKGAMMON:
                raise UbgiError("bad_argument", f"Variant: only {BACKGAMMON} is played")
            return []
        self.session.set_option(name, "" if value == "<empty>" else value)
        return [f"info string {one_line(text)}" for text in self.session.remarks()]

    def keys(self, _: Command) -> Sequence[str]:
        """``keys``: answers a ``key`` line for each option, with its type, range and default (0.2)."""
        return self._keys.listed()

    def get(self, command: Command) -> Sequence[str]:
        """``get KEY``: answers ``value KEY VALUE`` (0.2)."""
        words = command.words
        if len(words) != 1:
            raise UbgiError("bad_command", "expected: get <key>")
        return [self._keys.get(words[0])]

    def set(self, command: Command) -> Sequence[str]:
        """``set KEY VALUE``: sets an option by its key (0.2)."""
        words = command.words
        if len(words) < 2:
            raise UbgiError("bad_command", "expected: set <key> <value>")
        self._keys.set(words[0], " ".join(words[1:]))
        return []

    def newgame(self, _: Command) -> Sequence[str]:
        """``newgame``: sets the start position, with the cube in the middle and no dice; keeps the score and the
        rules."""
        self.session.new_game()
        self._context.new_game()
        return []

    def newsession(self, command: Command) -> Sequence[str]:
        """``newsession [type money|match] [length N] [jacoby on|off] [crawford on|off]``: sets the rules, and the score
        to 0-0."""
        self._context.new_session(command.words)
        return []

    def setscore(self, command: Command) -> Sequence[str]:
        """``setscore P0 P1``: sets the points of both players."""
        self._context.set_score(command.words)
        return []

    def setcube(self, command: Command) -> Sequence[str]:
        """``setcube value N owner center|p0|p1``: sets the cube's value and its owner."""
        self._context.set_cube(command.words)
        return []

    def setturn(self, command: Command) -> Sequence[str]:
        """``setturn p0|p1``: sets the player on roll, whose checkers a Position ID lists first."""
        self._context.set_turn(command.words)
        return []

    def position(self, command: Command) -> Sequence[str]:
        """``position gnubgid ID|xgid XGID``: sets the position. An XGID, or a Match ID after the Position ID and a
        colon, also sets dice, cube and score."""
        self._context.set_position(command.words)
        return []

    def dice(self, command: Command) -> Sequence[str]:
        """``dice D1 D2``: sets the roll, until another one or a new game."""
        self._context.set_dice(command.words)
        return []

    def go(self, command: Command) -> Sequence[str]:
        """``go [[role] chequer|cube|turn] [movetime MS] [depth N] [nodes N] [trials N]``: decides; exactly one
        ``bestmove``, ``bestcube``, ``bestturn`` or ``error`` follows. ``nodes`` and ``trials`` are simulations, or
        playouts for a decision about the cube. Without limits the option MaxNodes or MoveTime applies."""
        role, limits = _parse_go(command.words, command.received)
        setup = self._context.setup(rolled=role != "cube")
        return self._begin(Question(role, setup, limits))

    def decide(self, command: Command) -> Sequence[str]:
        """``board:...``: a board line, or an XGID with or without ``XGID=``, alone on its line: decides (0.01). Answers
        the play, a blank line if none is possible, or ``double``, ``roll``, ``take``, ``drop``; ``sorry`` if the
        decision fails."""
        if self.busy:
            return ["sorry"]
        setup = (from_fibs_board if command.name == BOARD_LINE else from_xgid)(command.text)
        role: Role = "cube" if setup.match.dice is None else "chequer"
        return self._begin(Question(role, setup, Limits(received=command.received), bare=True))

    def stop(self, _: Command) -> Sequence[str]:
        """``stop``: ends the decision under way, which answers at once."""
        if self.busy:
            self.session.stop()
        return []

    def quit(self, _: Command) -> Sequence[str]:
        """``quit``: ends the session."""
        return self.leave()

    def _begin(self, question: Question) -> Sequence[str]:
        """Starts a decision, or answers at once if only one answer is possible."""
        if question.role == "chequer":
            move = self._table.think(question.setup, question.limits)
            if move is not None:
                return self._played(move, question)
        else:
            setup = question.setup
            before = replace(setup, match=replace(setup.match, dice=None))
            if not before.match.doubled and not may_double(before.match):
                return self._cube_decided("nodouble", question)
            limits = question.limits
            if question.role == "turn" and limits.movetime is not None:
                limits = replace(limits, movetime=limits.movetime / 2)
            self._table.roll_out(before, limits)
            options = self.session.options.frozen()
            question = replace(question, limits=replace(limits, received=None), options=options)
        return self._decide(question)

    def _decide(self, question: Question) -> Sequence[str]:
        """Makes ``question`` the decision under way. The result of the search that has just begun will answer it."""
        self._question, self._deciding = question, True
        return ()

    def _answer(self, result: SearchResult, question: Question) -> Sequence[str]:
        """The lines that follow the result: the answer. For ``turn``, starts the search for the play instead."""
        failed = f"the search failed: {last_line(result.fault)}" if result.reason == "fault" else ""
        if question.role == "chequer" or question.cube:
            if result.move is None:
                raise GameError(failed or "the search found no move")
            info = [] if question.bare else self._last_report(result, question, failed)
            return [*info, *self._played(result.move, question)]
        if failed:
            raise GameError(failed)
        chances = self._table.chances(result)
        match = replace(question.setup.match, dice=None)
        if match.doubled:
            word = "take" if takes(chances, match) else "drop"
        else:
            word = "double" if doubles(chances, match) else "nodouble"
        info = [] if question.bare else [_cube_report(result.info, chances)]
        return [*info, *self._cube_decided(word, question)]

    def _cube_decided(self, word: str, question: Question) -> Sequence[str]:
        if question.bare:
            return ["roll" if word == "nodouble" else word]
        if question.role == "cube":
            return [f"bestcube {word}"]
        question = replace(question, cube=word)
        move = self._table.think(question.setup, question.limits, question.options)
        if move is not None:
            return self._played(move, question)
        return self._decide(question)

    def _played(self, move: str, question: Question) -> Sequence[str]:
        text = self._table.written_out(move)
        if question.bare:
            return [text]
        if question.role == "turn":
            return [f"bestturn cube={question.cube} move={text or 'pass'}"]
        return [f"bestmove {text or 'pass'}"]

    def _last_report(self, result: SearchResult, question: Question, failed: str) -> list[str]:
        if failed:
            return [f"info string {one_line(failed)}"]
        if result.book is not None:
            return [f"info string book: {one_line(result.book)}"]
        return self._thoughts(result.info, question, result.move)

    def _remarks(self, result: SearchResult) -> list[str]:
        bare = self._question is not None and self._question.bare
        return [] if bare else [f"info string {one_line(text)}" for text in result.remarks]

    def _thoughts(self, info: SearchInfo, question: Question, best: str | None = None) -> list[str]:
        """The lines for a report of the search for a play. ``eq`` is in points, for the player on roll."""
        if question.role != "chequer" and not question.cube:
            return []
        first = next((move for move in info.moves if best in (None, move.move)), None)
        value, move = (first.value, first.move) if first is not None else (info.value, best)
        pv = f" pv {self._table.written_out(move) or 'pass'}" if move is not None else ""
        return [
            f"info role chequer time_ms {int(info.time * 1000)} nodes {info.simulations} nps {info.nps}"
            f" depth {max(1, int(info.depth))} eq {self._table.points(value):.3f}{pv}"
        ]


def _is_bare(command: Command) -> bool:
    """Whether ``command`` consists of a position, which is answered in the form of 0.01."""
    return command.name in (BOARD_LINE, XGID_LINE)


def _cube_report(info: SearchInfo, chances: Chances) -> str:
    return (
        f"info role cube time_ms {int(info.time * 1000)} nodes {info.simulations} nps {info.nps}"
        f" eq {chances.equity:.3f} pwin {chances.win:.3f} pgammon {chances.win_gammon:.3f}"
        f" pbg {chances.win_backgammon:.3f}"
    )


def _parse_go(words: Sequence[str], received: float) -> tuple[Role, Limits]:
    rest = deque(words)
    role: Role = "chequer"
    if rest and rest[0] == "role":
        rest.popleft()
        if not rest or rest[0] not in ROLES:
            raise UbgiError("bad_argument", "go role: chequer, cube or turn")
    if rest and rest[0] in ROLES:
        role = ROLES[ROLES.index(rest.popleft())]
    numbers: dict[str, int] = {}
    while rest:
        word = rest.popleft()
        if word not in BOUNDS:
            raise UbgiError("bad_argument", f"go: {one_line(word, 40)!r} is none of role, {', '.join(BOUNDS)}")
        if not rest or not (rest[0].isascii() and rest[0].isdigit()):
            raise UbgiError("bad_argument", f"go {word}: expected a number")
        numbers[word] = max(1, min(LARGEST, int(rest.popleft()[:12])))
    nodes = numbers.get("nodes", numbers.get("trials"))
    movetime = numbers["movetime"] / 1000 if "movetime" in numbers else None
    return role, Limits(movetime=movetime, nodes=nodes, depth=numbers.get("depth"), received=received)
