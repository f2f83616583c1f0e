"""What the Universal Chess Interface and the Universal Game Interface share: all but the words."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from playout.engine.info import SearchInfo, SearchResult
from playout.engine.options import Option, Value
from playout.games.errors import GameError, PlayoutError, ProtocolError
from playout.games.game import CHANCE, HasClaimedDraws, HasRender, HasStateText
from playout.protocols.go_command import GoWords, parse_go
from playout.protocols.info_format import Format, info_lines, result_lines
from playout.protocols.lines import clean, last_line, one_line
from playout.protocols.protocol import Event
from playout.protocols.version import AUTHOR, NAME, VERSION

if TYPE_CHECKING:
    from playout.engine.session import Session

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Request:
    """A command: the text after its name, and when it arrived (``time.monotonic()``)."""

    text: str
    received: float


Handler = Callable[[Request], Sequence[str]]
"""Carries out a command and returns the replies."""


class Universal:
    """A protocol of the UCI family.

    A second ``go`` stops the search under way; it and the lines after it wait until that search has reported its move.
    """

    verb: ClassVar[str]
    """What opens the session: ``uci``."""
    words: ClassVar[GoWords]
    mate_in_plies: ClassVar[bool]

    def __init__(self, session: Session) -> None:
        self.session = session
        self.closed = False
        self.busy = False
        self._defaults: dict[str, Value] = dict(session.options)
        self._waiting: deque[tuple[str, float]] = deque()
        self._root_returns: Sequence[float] | None = None
        self._pondering = self._analysing = False
        self._commands: dict[str, Handler] = {
            self.verb: self._introduce,
            "isready": lambda _: ["readyok"],
            "debug": lambda _: [],
            "register": lambda _: [],
            "setoption": self._set_option,
            f"{self.verb}newgame": self._new_game,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponder_hit,
            "quit": self._quit,
            "d": self._display,
        }
        self._idle_only = {"go", f"{self.verb}newgame"}
        self._prompt = {self.verb, "isready", "quit"}

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        text = clean(line).strip()
        if not text or self.closed:
            return ()
        word = text.split(maxsplit=1)[0]
        if self._waiting and word not in self._prompt:
            self._waiting.append((text, received))
            return ()
        if self.busy and word in self._idle_only:
            self._waiting.append((text, received))
            self.session.stop()
            return ()
        return self._execute(text, received)

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [remark(reason)]

    def handle_event(self, event: Event) -> Sequence[str]:
        try:
            if isinstance(event, SearchInfo):
                return info_lines(event, self._format())
            return [*self._end(event), *self._release()]
        except Exception as error:
            logger.exception("a report could not be written")
            return [_defect(error)]

    def handle_eof(self, _at_once: bool = False, /) -> Sequence[str]:
        return self._leave()

    def _execute(self, text: str, received: float) -> Sequence[str]:
        word, _, rest = text.partition(" ")
        command = self._commands.get(word)
        if command is None:
            return [remark(f"unknown command: {one_line(text, 60)}")]
        try:
            return command(Request(rest.strip(), received))
        except PlayoutError as error:
            return [remark(str(error))]
        except Exception as error:
            logger.exception("%s failed", word)
            return [_defect(error)]

    def _introduce(self, _: Request) -> Sequence[str]:
        options = [
            declaration(option, self._defaults.get(option.name, "")) for option in self.session.options.declared()
        ]
        return [f"id name {NAME} {VERSION}", f"id author {AUTHOR}", *options, f"{self.verb}ok"]

    def _set_option(self, request: Request) -> Sequence[str]:
        words = request.text.split()
        if len(words) < 2 or words[0].lower() != "name":
            raise ProtocolError("setoption: expected name NAME [value VALUE]")
        lowered = [word.lower() for word in words]
        end = lowered.index("value") if "value" in lowered else len(words)
        name, value = " ".join(words[1:end]), " ".join(words[end + 1 :])
        self.session.set_option(name, "" if value == "<empty>" else value)
        return [*map(remark, self.session.remarks()), *self._option_set(name)]

    def _option_set(self, _name: str) -> Sequence[str]:
        """What follows from an option's new value."""
        return ()

    def _new_game(self, _: Request) -> Sequence[str]:
        self.session.new_game()
        return ()

    def _position(self, request: Request) -> Sequence[str]:
        words = request.text.split()
        end = words.index("moves") if "moves" in words else len(words)
        head, moves = words[:end], words[end + 1 :]
        if head[:1] == ["fen"] and len(head) > 1:
            self._set_position(" ".join(head[1:]), moves)
        elif head == ["startpos"]:
            self._set_position(None, moves)
        else:
            raise ProtocolError("position: expected startpos or fen TEXT, then perhaps moves and a list")
        return ()

    def _set_position(self, text: str | None, moves: Sequence[str]) -> None:
        self.session.set_position(text, moves)

    def _go(self, request: Request) -> Sequence[str]:
        """Starts a search. Whatever happens, one ``bestmove`` follows."""
        try:
            return self._begin(request)
        except Exception as error:
            if not isinstance(error, PlayoutError):
                logger.exception("go failed")
            return [remark(f"go: {error}"), "bestmove (none)"]

    def _begin(self, request: Request) -> Sequence[str]:
        game, state = self.session.game, self.session.state
        self._root_returns = game.returns(state)
        moving = self._root_returns is None or isinstance(game, HasClaimedDraws)
        player = game.current_player(state) if moving else 0
        if player == CHANCE:
            return [remark("the dice come first: give the roll as a move"), "bestmove (none)"]
        if player not in (0, 1):
            raise GameError(f"current_player gives {player!r}; it is 0, 1 or CHANCE (-1)")
        limits, complaint = parse_go(request.text.split(), self.words, player, request.received)
        self.session.go(limits)
        self.busy, self._pondering, self._analysing = True, limits.ponder, limits.infinite
        return [remark(complaint)] if complaint is not None else []

    def _stop(self, _: Request) -> Sequence[str]:
        if self.busy:
            self.session.stop()
        return ()

    def _ponder_hit(self, _: Request) -> Sequence[str]:
        if self.busy and self._pondering:
            self._pondering = False
            self.session.ponder_hit()
        return ()

    def _quit(self, _: Request) -> Sequence[str]:
        return self._leave()

    def _leave(self) -> Sequence[str]:
        self.closed = True
        self._waiting.clear()
        if self.busy:
            self.session.stop()
        return ()

    def _display(self, _: Request) -> Sequence[str]:
        """Draws the position; for people, as in Stockfish."""
        game, state = self.session.game, self.session.state
        lines = game.render(state).splitlines() if isinstance(game, HasRender) else [str(state)]
        if isinstance(game, HasStateText):
            lines.append(f"Fen: {game.state_to_text(state)}")
        return [f"info string {line}" for line in lines]

    def _format(self) -> Format:
        options = self.session.options
        return Format(options.integer("MultiPV"), options.flag("UCI_ShowWDL"), self.mate_in_plies)

    def _end(self, result: SearchResult) -> Sequence[str]:
        """The last lines of a search. Whatever happens, exactly one of them is ``bestmove``."""
        self.busy = False
        self.session.wait()
        remarks = [remark(text) for text in result.remarks]
        if result.reason == "fault":
            remarks.append(remark(f"the search failed: {last_line(result.fault)}"))
        try:
            remarks += result_lines(result, self._format())
        except Exception as error:
            logger.exception("a result could not be written")
            remarks.append(_defect(error))
        if result.move is None:
            if self._root_returns is not None:
                score = "mate 0" if any(self._root_returns) else "cp 0"
                remarks.append(f"info depth 0 score {score}")
            return [*remarks, "bestmove (none)"]
        if not self._analysing:
            self.session.settle(result.move)
        return [*remarks, self._best(result.move, result.ponder)]

    def _best(self, move: str, _ponder: str | None) -> str:
        return f"bestmove {move}"

    def _release(self) -> Sequence[str]:
        """Executes the lines that waited for the search to end, up to the next one that has to wait."""
        replies: list[str] = []
        while self._waiting and not self.closed:
            text, received = self._waiting[0]
            if self.busy and text.split(maxsplit=1)[0] in self._idle_only:
                self.session.stop()
                break
            self._waiting.popleft()
            replies += self._execute(text, received)
        return replies


def remark(text: str) -> str:
    """A line for people."""
    return f"info string {one_line(text)}"


def _defect(error: Exception) -> str:
    return remark(f"internal error: {type(error).__name__}: {error}")


def declaration(option: Option, default: Value) -> str:
    """The line by which an interface learns of an option."""
    head = f"option name {option.name} type"
    if option.kind == "check":
        return f"{head} check default {'true' if default else 'false'}"
    if option.kind == "spin":
        return f"{head} spin default {default} min {int(option.low or 0)} max {int(option.high or 0)}"
    if option.kind == "combo":
        return f"{head} combo default {default} " + " ".join(f"var {choice}" for choice in option.choices)
    if option.kind == "button":
        return f"{head} button"
    return f"{head} string default {default if default != '' else '<empty>'}"
