"""GTP 2, the Go Text Protocol, for every game; Black is player 0.

Commands are answered strictly in order: what arrives during a search waits in a queue, and ends the search if it is an
analysis. ``list_commands`` and ``known_command`` are read off the table that dispatches.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from playout.engine.options.option import written
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.games.board_hooks import HasGoRules, HasSgf, HasSwap
from playout.games.errors import IllegalMove, PlayoutError
from playout.protocols.base.cause import caused_by
from playout.protocols.base.lines import clean
from playout.protocols.base.protocol import Event
from playout.protocols.base.version import NAME, VERSION
from playout.protocols.gtp.analyze import analyze_commands
from playout.protocols.gtp.clock import Clocks, hex_time_left, time_commands
from playout.protocols.gtp.explain import explain_commands
from playout.protocols.gtp.go.handicap import handicap_commands
from playout.protocols.gtp.go.ruleset import ruleset_commands
from playout.protocols.gtp.go.score import score_commands
from playout.protocols.gtp.gogui.clicks import click_commands
from playout.protocols.gtp.gogui.commands import gogui_commands
from playout.protocols.gtp.gogui.game_rules import shown_by_cells
from playout.protocols.gtp.gogui.graphics import LiveGraphics
from playout.protocols.gtp.gogui.steps import board_of
from playout.protocols.gtp.hex.commands import hex_commands
from playout.protocols.gtp.inspect import inspect_commands
from playout.protocols.gtp.katago import katago_commands
from playout.protocols.gtp.last_search import Memory
from playout.protocols.gtp.play import play_commands
from playout.protocols.gtp.servers import server_commands
from playout.protocols.gtp.sgf import sgf_commands
from playout.protocols.gtp.syntax import (
    Command,
    GtpError,
    Handler,
    Thinking,
    arguments,
    closing,
    failure,
    opening,
    parse,
    quoted,
    success,
)

if TYPE_CHECKING:
    from playout.engine.session import Session

INTERRUPT = "# interrupt"
"""GoGui's and HexGui's comment that asks for the running command's answer now."""

MOST_WAITING, TOO_MANY = 10_000, "too many commands wait"
"""Commands behind one that thinks; those beyond are not kept, but each gets its response in its turn."""

KATAGO_NAMES = {"maxPlayouts": "MaxNodes", "numSearchThreads": "Threads"}
"""KataGo's names for what options here mean too."""

EXPLAINED_LINES = 10
"""Variations that a search works out where the command wants none: ``explain`` and the GUIs' drawings show them."""

logger = logging.getLogger(__name__)


class Gtp:
    """See ``Protocol``. ``files`` says whether the controller may have the engine read and write files."""

    def __init__(self, session: Session, *, files: bool = True, now: Callable[[], float] = time.monotonic) -> None:
        self.session = session
        self.closed = False
        self._now = now
        self._ended = False
        self._thinking: tuple[Command, Thinking] | None = None
        self._hurried = False
        """Whether the running command has been told to come to its end."""
        self._queue: deque[Command | str | None] = deque()
        clocks, board = Clocks(), board_of(session)
        self._memory, self._live = Memory(board), LiveGraphics(board)
        self._commands: dict[str, Handler] = {
            "protocol_version": _protocol_version,
            "name": self._name,
            "version": _version,
            "known_command": self._known_command,
            "list_commands": self._list_commands,
            "quit": self._quit,
            "cputime": _cputime,
            "playout-list_options": self._list_options,
            "playout-get_option": self._get_option,
            "playout-set_option": self._set_option,
            "kata-list-params": self._list_parameters,
            "kata-get-param": self._get_parameter,
            "kata-set-param": self._set_parameter,
            **play_commands(board, clocks, now),
            **time_commands(clocks),
            **inspect_commands(board),
        }
        self._commands.update(katago_commands(self._commands))
        self._commands.update(handicap_commands(board))
        if board.territory:
            self._commands.update(score_commands(board))
        if isinstance(board.game, HasGoRules):
            self._commands.update(ruleset_commands(board))
        if board.rhombic:
            self._commands["time_left"] = hex_time_left(clocks, self._commands["time_left"])
        if isinstance(board.game, HasSwap):
            self._commands.update(hex_commands(board, self._commands))
        self._commands.update(server_commands(board, self._commands))
        if isinstance(board.game, HasSgf):
            self._commands.update(sgf_commands(board, files and session.rights.files))
        self._commands.update(shown_by_cells(board, self._commands))
        self._commands.update(click_commands(board, self._commands))
        self._commands.update(analyze_commands(board, clocks, self._commands))
        self._commands.update(explain_commands(board, self._memory, self._commands))
        self._commands.update(gogui_commands(board, self._memory, self._commands))

    def commands(self) -> Mapping[str, Handler]:
        return self._commands

    @property
    def busy(self) -> bool:
        return self._thinking is not None

    @property
    def _interruptible(self) -> bool:
        """Whether a search is under way that the next line ends."""
        return self._thinking is not None and self._thinking[1].interruptible

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        interrupt = self.busy and clean(line).strip() == INTERRUPT
        if interrupt or self._interruptible:
            self._hurry()
        command = parse(line, received)
        if self.closed or (command is None and (interrupt or not self._queue)):
            return ()
        self._queue.append(command if len(self._queue) < MOST_WAITING else TOO_MANY)
        return self._drain()

    def handle_refusal(self, reason: str) -> Sequence[str]:
        if self._interruptible:
            self._hurry()
        self._queue.append(reason)
        return self._drain()

    def handle_event(self, event: Event) -> Sequence[str]:
        if self._thinking is None:
            return ()
        command, thinking = self._thinking
        if isinstance(event, SearchInfo):
            return self._report(thinking, event)
        self._thinking = None

        def finish() -> str | None:
            self.session.wait()
            self._memory.note(event)
            return self._go_on(command, thinking, event)

        if thinking.report is None:
            replies = [*self._live.clear(), *self._respond(command, finish)]
        else:
            replies = self._close(command, finish)
        waiting = [
            dataclasses.replace(entry, received=self._now()) if isinstance(entry, Command) else entry
            for entry in self._queue
        ]
        self._queue = deque(waiting)
        return [*replies, *self._drain()]

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        """Lets the search and the queued commands finish first, unless ``at_once``."""
        self._ended = True
        if at_once:
            self._queue.clear()
        if at_once or self._interruptible:
            self._hurry()
        return self._drain()

    def _drain(self) -> list[str]:
        replies: list[str] = []
        idle = not self.busy
        while self._queue and not self.busy and not self.closed:
            entry = self._queue.popleft()
            if isinstance(entry, str):
                replies += failure("", entry)
            elif entry is not None:
                with caused_by(entry.line):
                    replies += self._execute(entry)
        if idle and self._interruptible and (self._queue or self._ended):
            self._hurry()
        if self._ended and not self.busy:
            self.closed = True
        return replies

    def _execute(self, command: Command) -> list[str]:
        handler = self._commands.get(command.name)
        if handler is None:
            return failure(command.id, "unknown command" if command.name else "empty command")
        self._hurried = False
        replies = self._respond(command, lambda: self._start(command, handler(command)))
        return [*replies, *opening(command.id)] if self._thinking and self._thinking[1].report else replies

    def _start(self, command: Command, outcome: str | Thinking) -> str | None:
        """The response's text, None if a search has begun that will give it."""
        if isinstance(outcome, str):
            return outcome
        if outcome.limits is None:
            self.session.judge(quick=outcome.quick)
        else:
            limits = outcome.limits
            if limits.reports.lines is None:
                limits = dataclasses.replace(limits, reports=dataclasses.replace(limits.reports, lines=EXPLAINED_LINES))
            self.session.go(limits)
        self._thinking = (command, outcome)
        return None

    def _go_on(self, command: Command, thinking: Thinking, result: SearchResult) -> str | None:
        """The response's text or, if it hangs on more, None; what is begun for it ends soon where the command was to
        end."""
        outcome = thinking.finish(result)
        if not isinstance(outcome, str):
            outcome = dataclasses.replace(outcome, report=thinking.report, interruptible=thinking.interruptible)
        text = self._start(command, outcome)
        if text is None and self._hurried:
            self.session.stop()
        return text

    def _hurry(self) -> None:
        self._hurried = True
        self.session.stop()

    def _report(self, thinking: Thinking, info: SearchInfo) -> list[str]:
        """What a report of the running search gives the controller to read."""
        try:
            if thinking.report is None:
                return self._live.show(info)
            line = thinking.report(info)
        except Exception:
            logger.exception("a report failed")
            return []
        return [line] if line else []

    def _close(self, command: Command, produce: Callable[[], str | None]) -> list[str]:
        """The end of a response that has begun, and so can no longer become a failure; nothing yet if ``produce`` makes
        None."""
        try:
            text = produce()
            return [] if text is None else closing(text)
        except Exception as error:
            defect = not isinstance(error, PlayoutError)
            logger.log(logging.ERROR if defect else logging.INFO, "%s: %s", command.name, error, exc_info=defect)
            return closing("")

    def _respond(self, command: Command, produce: Callable[[], str | None]) -> list[str]:
        """The response that ``produce`` makes; nothing yet if it makes None."""
        try:
            text = produce()
        except IllegalMove as error:
            logger.info("%s: %s", command.name, error)
            return failure(command.id, "illegal move")
        except PlayoutError as error:
            return failure(command.id, str(error))
        except Exception as error:
            logger.exception("%s failed", command.name)
            return failure(command.id, f"internal error: {type(error).__name__}: {error}")
        return [] if text is None else success(command.id, text)

    def _known_command(self, command: Command) -> str:
        """``known_command COMMAND``: ``true`` if this game has the command, else ``false``."""
        (name,) = arguments(command, "COMMAND", 1)
        return "true" if name in self._commands else "false"

    def _name(self, _: Command) -> str:
        """``name``: ``playout``, or what the option GtpName says."""
        return str(self.session.options.get("GtpName", "")) or NAME

    def _list_commands(self, _: Command) -> str:
        """``list_commands``: the commands that this game has, one a line."""
        return "\n".join(self._commands)

    def _quit(self, _: Command) -> str:
        """``quit``: answers, and ends the session."""
        self.closed = True
        self._queue.clear()
        return ""

    def _list_options(self, _: Command) -> str:
        """``playout-list_options``: the options, each as ``NAME = VALUE`` on a line."""
        options = self.session.options
        return "\n".join(f"{option.name} = {written(options.get(option.name, ''))}" for option in options.declared())

    def _get_option(self, command: Command) -> str:
        """``playout-get_option NAME``: an option's value."""
        name = " ".join(arguments(command, "NAME", 1, 9))
        return written(self.session.options.get(self.session.options.find(name).name, ""))

    def _list_parameters(self, _: Command) -> str:
        """``kata-list-params``: the options as KataGo names parameters, on one line: each in one word, and
        ``maxPlayouts`` for MaxNodes, ``numSearchThreads`` for Threads."""
        return " ".join(self._parameters())

    def _parameters(self) -> dict[str, str]:
        """Options by KataGo's names for parameters, of one word each: its own where it has the same thing."""
        names = {name.replace(" ", ""): name for name in (option.name for option in self.session.options.declared())}
        return names | KATAGO_NAMES

    def _parameter(self, word: str) -> str:
        known = {name.lower(): option for name, option in self._parameters().items()}
        if word.lower() not in known:
            raise GtpError(f"no parameter {quoted(word)}: see kata-list-params")
        return known[word.lower()]

    def _get_parameter(self, command: Command) -> str:
        """``kata-get-param NAME``: a parameter's value."""
        (word,) = arguments(command, "NAME", 1)
        return written(self.session.options.get(self._parameter(word), ""))

    def _set_parameter(self, command: Command) -> str:
        """``kata-set-param NAME VALUE``: sets a parameter, which the next search obeys."""
        word, *values = arguments(command, "NAME VALUE", 2, 99)
        self.session.set_option(self._parameter(word), " ".join(values))
        return ""

    def _set_option(self, command: Command) -> str:
        """``playout-set_option NAME VALUE``: sets an option, which the next search obeys; a button takes no value.

        Names may hold spaces: the longest one that the words begin with counts.
        """
        words = command.arguments
        known = {option.name.lower() for option in self.session.options.declared()}
        for length in range(min(len(words), 9), 0, -1):
            if " ".join(words[:length]).lower() in known:
                self.session.set_option(" ".join(words[:length]), " ".join(words[length:]))
                return ""
        raise GtpError(f"no option {quoted(' '.join(words[:3]))}: see playout-list_options")


def _protocol_version(_: Command) -> str:
    """``protocol_version``: ``2``."""
    return "2"


def _version(_: Command) -> str:
    """``version``: the engine's version."""
    return VERSION


def _cputime(_: Command) -> str:
    """``cputime``: seconds of processor time that the engine has used so far."""
    return f"{time.process_time():.3f}"
