"""GTP 2, the Go Text Protocol, for every game; Black is player 0.

Commands are answered strictly in order. A command that arrives during a search waits in the queue; it ends the search
if that is an analysis. ``list_commands`` and ``known_command`` read the table that dispatches.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playout.engine.options.option import Option, written
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.games.board_hooks import HasGoRules, HasSgf, HasSwap
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.nearest import nearest
from playout.protocols.base.dispatch import Dispatcher, internal_error
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
from playout.protocols.gtp.last_search import LastSearch
from playout.protocols.gtp.play import play_commands
from playout.protocols.gtp.servers import server_commands
from playout.protocols.gtp.sgf import sgf_commands
from playout.protocols.gtp.syntax import (
    GtpCommand,
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
from playout.protocols.gtp.table import Wraps, extend

if TYPE_CHECKING:
    from playout.engine.session import Session

RESIGN = 0.1
"""Default of the option Resign in Go and Hex, where programs resign: at a chance of 5 % to win."""
INTERRUPT = "# interrupt"
"""Comment by which GoGui and HexGui ask the running command to answer at once."""

KATAGO_NAMES = {"maxPlayouts": "MaxNodes", "numSearchThreads": "Threads"}
"""Options by KataGo's names, where these differ."""

EXPLAINED_LINES = 10
"""Number of variations of a search whose command asks for none. ``explain`` and the drawings of GUIs use them."""

logger = logging.getLogger(__name__)


class Gtp(Dispatcher[GtpCommand]):
    """See ``Protocol``. A command waits until the one before it has been answered."""

    completes = True

    def __init__(self, session: Session, *, files: bool = True, now: Callable[[], float] = time.monotonic) -> None:
        """``files`` says whether commands may read and write files of this machine."""
        super().__init__(session)
        self._now = now
        self._thinking: tuple[GtpCommand, Thinking] | None = None
        self._hurried = False
        """Whether the running command has been told to end."""
        clocks, board = Clocks(), board_of(session)
        if board.territory or board.rhombic:
            session.options.prefer("Resign", RESIGN)
        self._memory, self._live = LastSearch(board), LiveGraphics(board)
        table: dict[str, Handler] = {
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
        }
        extend(table, play_commands(board, clocks, now))
        extend(table, time_commands(clocks))
        extend(table, inspect_commands(board))
        extend(table, katago_commands(table))
        extend(table, handicap_commands(board))
        if board.territory:
            extend(table, score_commands(board))
        if isinstance(board.game, HasGoRules):
            extend(table, ruleset_commands(board))
        if board.rhombic:
            extend(table, {"time_left": Wraps(hex_time_left(clocks, table["time_left"]))})
        if isinstance(board.game, HasSwap):
            extend(table, hex_commands(board, table))
        extend(table, server_commands(board, table))
        if isinstance(board.game, HasSgf):
            extend(table, sgf_commands(board, files and session.rights.files))
        extend(table, shown_by_cells(board, table))
        extend(table, click_commands(board, table))
        extend(table, analyze_commands(board, clocks, table))
        extend(table, explain_commands(board, self._memory, table))
        extend(table, gogui_commands(board, self._memory, table))
        self._commands = table

    @property
    def busy(self) -> bool:
        return self._thinking is not None

    @property
    def _interruptible(self) -> bool:
        """Whether the next line of input ends the search under way."""
        return self._thinking is not None and self._thinking[1].interruptible

    def parse(self, line: str, received: float) -> GtpCommand | None:
        if self.busy and clean(line).strip() == INTERRUPT:
            return None
        blank = _refusal("") if self._waiting else None  # any line, even a blank one, ends a waiting analysis
        return parse(line, received) or blank

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        if self._interruptible or (self.busy and clean(line).strip() == INTERRUPT):
            self._hurry()
        return super().handle_line(line, received)

    def handle_refusal(self, reason: str) -> Sequence[str]:
        if self._interruptible:
            self._hurry()
        self._waiting.append(_refusal(reason))
        return self.proceed()

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        if self._interruptible:
            self._hurry()
        return super().handle_eof(at_once)

    def unknown(self, command: GtpCommand) -> GtpError:
        return GtpError("unknown command" if command.name else "empty command")

    def refused(self, error: PlayoutError, command: GtpCommand | None) -> Sequence[str]:
        opened, illegal = command is not None and command.opened, isinstance(error, IllegalMove)
        if command is not None and (opened or illegal):
            logger.info("%s: %s", command.name, error)
        return _failed(command, "illegal move" if illegal else str(error))

    def defect(self, error: BaseException, at: GtpCommand | Event | None) -> Sequence[str]:
        return () if isinstance(at, SearchInfo) else _failed(at, internal_error(error))

    def leave(self) -> Sequence[str]:
        self._hurried = True
        return super().leave()

    def proceed(self) -> Sequence[str]:
        idle = not self.busy
        replies = super().proceed()
        if idle and self._interruptible and (self._waiting or self._ended):
            self._hurry()
        return replies

    def carry_out(self, command: GtpCommand) -> Sequence[str]:
        if command.refusal is not None:
            return failure("", command.refusal) if command.refusal else ()
        self._hurried = False
        outcome = self.handler(command)(command)
        if isinstance(outcome, str):
            return success(command.id, outcome)
        opened = outcome.report is not None
        self._begin(dataclasses.replace(command, opened=opened), outcome)
        return opening(command.id) if opened else ()

    def report(self, info: SearchInfo) -> Sequence[str]:
        if self._thinking is None:
            return ()
        _, thinking = self._thinking
        if thinking.report is None:
            return self._live.show(info)
        line = thinking.report(info)
        return [line] if line else ()

    def finish(self, result: SearchResult) -> Sequence[str]:
        if self._thinking is None:
            return ()
        command, thinking = self._thinking
        self._thinking = None
        cleared = () if command.opened else self._live.clear()
        replies = self.guarded(lambda: self._conclude(command, thinking, result), command)
        now = self._now()
        self._waiting = deque(dataclasses.replace(entry, received=now) for entry in self._waiting)
        return [*cleared, *replies]

    def _begin(self, command: GtpCommand, thinking: Thinking) -> None:
        """Starts the search that is to give the response of ``command``."""
        if thinking.limits is None:
            self.session.judge(quick=thinking.quick)
        else:
            limits = thinking.limits
            if limits.reports.lines is None:
                limits = dataclasses.replace(limits, reports=dataclasses.replace(limits.reports, lines=EXPLAINED_LINES))
            self.session.go(limits)
        self._thinking = (command, thinking)

    def _conclude(self, command: GtpCommand, thinking: Thinking, result: SearchResult) -> Sequence[str]:
        """The rest of the response, or no lines if another search has to follow. If the command has been told to end,
        that search is stopped at once.
        """
        self.session.wait()
        self._memory.note(result)
        outcome = thinking.finish(result)
        if isinstance(outcome, str):
            return closing(outcome) if command.opened else success(command.id, outcome)
        self._begin(
            command,
            dataclasses.replace(outcome, report=thinking.report, interruptible=thinking.interruptible),
        )
        if self._hurried:
            self.session.stop()
        return ()

    def _hurry(self) -> None:
        self._hurried = True
        self.session.stop()

    def _known_command(self, command: GtpCommand) -> str:
        """``known_command COMMAND``: answers ``true`` if this game has the command, else ``false``."""
        (name,) = arguments(command, "COMMAND", 1)
        return "true" if name in self._commands else "false"

    def _name(self, _: GtpCommand) -> str:
        """``name``: answers ``playout``, or the value of the option GtpName."""
        return str(self.session.options.get("GtpName", "")) or NAME

    def _list_commands(self, _: GtpCommand) -> str:
        """``list_commands``: answers the commands that this game has, one on each line."""
        return "\n".join(self._commands)

    def _quit(self, _: GtpCommand) -> str:
        """``quit``: answers, and ends the session."""
        self.leave()
        return ""

    def _list_options(self, _: GtpCommand) -> str:
        """``playout-list_options``: answers the options, one on each line as ``NAME = VALUE``: those that people set,
        or with ShowAllOptions all of them."""
        options = self.session.options
        return "\n".join(f"{option.name} = {written(options.get(option.name, ''))}" for option in options.told())

    def _get_option(self, command: GtpCommand) -> str:
        """``playout-get_option NAME``: answers an option's value."""
        name = " ".join(arguments(command, "NAME", 1, 9))
        return written(self.session.options.get(self.session.options.find(name).name, ""))

    def _list_parameters(self, _: GtpCommand) -> str:
        """``kata-list-params``: answers the names of the options as KataGo's parameters, on one line: each in one word,
        with ``maxPlayouts`` for MaxNodes and ``numSearchThreads`` for Threads; of the others with ShowAllOptions
        only."""
        return " ".join(_parameters(self.session.options.told()))

    def _parameter(self, word: str) -> str:
        parameters = _parameters(self.session.options.declared())
        known = {name.lower(): option for name, option in parameters.items()}
        if word.lower() not in known:
            raise GtpError(f"no parameter {quoted(word)}{nearest(word, parameters) or ': see kata-list-params'}")
        return known[word.lower()]

    def _get_parameter(self, command: GtpCommand) -> str:
        """``kata-get-param NAME``: answers a parameter's value."""
        (word,) = arguments(command, "NAME", 1)
        return written(self.session.options.get(self._parameter(word), ""))

    def _set_parameter(self, command: GtpCommand) -> str:
        """``kata-set-param NAME VALUE``: sets a parameter; the next search obeys it."""
        word, *values = arguments(command, "NAME VALUE", 2, 99)
        self.session.set_option(self._parameter(word), " ".join(values))
        return ""

    def _set_option(self, command: GtpCommand) -> str:
        """``playout-set_option NAME VALUE``: sets an option; the next search obeys it. A button takes no value.

        Names may contain spaces: the longest name with which the words begin is taken.
        """
        words = command.arguments
        names = [option.name for option in self.session.options.declared()]
        known = {name.lower() for name in names}
        for length in range(min(len(words), 9), 0, -1):
            if " ".join(words[:length]).lower() in known:
                self.session.set_option(" ".join(words[:length]), " ".join(words[length:]))
                return ""
        near = nearest(" ".join(words[:1]), names)
        raise GtpError(f"no option {quoted(' '.join(words[:3]))}{near or ': see playout-list_options'}")


def _parameters(options: Sequence[Option]) -> dict[str, str]:
    """Names of options by the names of parameters: KataGo's own if it has one, else the option's in one word."""
    return {option.name.replace(" ", ""): option.name for option in options} | KATAGO_NAMES


def _refusal(text: str) -> GtpCommand:
    """An entry of the queue for a line that is no command: it is refused with ``text`` in its turn."""
    return GtpCommand("", "", (), 0.0, refusal=text)


def _failed(at: object, text: str) -> Sequence[str]:
    """The failure response, or the end of the response if its first line has been written."""
    if isinstance(at, GtpCommand):
        return closing("") if at.opened else failure(at.id, text)
    return failure("", text)


def _protocol_version(_: GtpCommand) -> str:
    """``protocol_version``: answers ``2``."""
    return "2"


def _version(_: GtpCommand) -> str:
    """``version``: answers the engine's version."""
    return VERSION


def _cputime(_: GtpCommand) -> str:
    """``cputime``: answers the seconds of processor time that the engine has used."""
    return f"{time.process_time():.3f}"
