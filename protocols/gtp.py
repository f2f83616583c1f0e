"""GTP 2, the Go Text Protocol, for every game; Black is player 0.

Commands are answered strictly in order: what arrives during a search waits in a queue. ``list_commands`` and
``known_command`` are read off the table that dispatches.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playout.engine.info import SearchInfo
from playout.engine.options import Value
from playout.games.errors import IllegalMove, PlayoutError
from playout.protocols.gtp_board import Board
from playout.protocols.gtp_clock import Clocks, hex_time_left, time_commands
from playout.protocols.gtp_go import go_commands
from playout.protocols.gtp_play import play_commands
from playout.protocols.gtp_sgf import sgf_commands
from playout.protocols.gtp_syntax import (
    Command,
    GtpError,
    Handler,
    Thinking,
    arguments,
    failure,
    parse,
    quoted,
    success,
)
from playout.protocols.lines import clean
from playout.protocols.protocol import Event
from playout.protocols.version import NAME, VERSION

if TYPE_CHECKING:
    from playout.engine.session import Session

INTERRUPT = "# interrupt"
"""GoGui's and HexGui's comment that asks for the running command's answer now."""

KATAGO_NAMES = {"maxPlayouts": "MaxNodes", "numSearchThreads": "Threads"}
"""KataGo's names for what options here mean too."""

logger = logging.getLogger(__name__)


class Gtp:
    """See ``Protocol``. ``files`` says whether the controller may have the engine read and write files."""

    def __init__(self, session: Session, *, files: bool = True, now: Callable[[], float] = time.monotonic) -> None:
        self.session = session
        self.closed = False
        self._now = now
        self._ended = False
        self._thinking: tuple[Command, Thinking] | None = None
        self._queue: deque[Command | str] = deque()
        clocks, board = Clocks(), Board(session)
        self._commands: dict[str, Handler] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: NAME,
            "version": lambda _: VERSION,
            "known_command": self._known_command,
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": self._quit,
            "cputime": lambda _: f"{time.process_time():.3f}",
            "playout-list_options": self._list_options,
            "playout-get_option": self._get_option,
            "playout-set_option": self._set_option,
            "kata-list-params": lambda _: " ".join(self._parameters()),
            "kata-get-param": self._get_parameter,
            "kata-set-param": self._set_parameter,
            **play_commands(board, clocks, now),
            **time_commands(clocks),
        }
        if board.kernel == "go":
            self._commands.update(go_commands(board))
        if board.kernel == "hex":
            self._commands["time_left"] = hex_time_left(clocks, self._commands["time_left"])
        if board.kernel in ("go", "hex"):
            self._commands.update(sgf_commands(board, files and session.rights.files))

    @property
    def busy(self) -> bool:
        return self._thinking is not None

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        if self.busy and clean(line).strip() == INTERRUPT:
            self.session.stop()
            return ()
        command = parse(line, received)
        if command is None or self.closed:
            return ()
        self._queue.append(command)
        return self._drain()

    def handle_refusal(self, reason: str) -> Sequence[str]:
        self._queue.append(reason)
        return self._drain()

    def handle_event(self, event: Event) -> Sequence[str]:
        if isinstance(event, SearchInfo) or self._thinking is None:
            return ()
        (command, thinking), self._thinking = self._thinking, None
        self.session.wait()
        replies = self._respond(command, lambda: thinking.finish(event))
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
            self.session.stop()
        return self._drain()

    def _drain(self) -> list[str]:
        replies: list[str] = []
        while self._queue and not self.busy and not self.closed:
            entry = self._queue.popleft()
            if isinstance(entry, str):
                replies += failure("", entry)
            else:
                replies += self._execute(entry)
        if self._ended and not self.busy:
            self.closed = True
        return replies

    def _execute(self, command: Command) -> list[str]:
        handler = self._commands.get(command.name)
        if handler is None:
            return failure(command.id, "unknown command" if command.name else "empty command")
        return self._respond(command, lambda: self._start(command, handler(command)))

    def _start(self, command: Command, outcome: str | Thinking) -> str | None:
        """The response's text, None if a search has begun that will give it."""
        if isinstance(outcome, str):
            return outcome
        self.session.go(outcome.limits)
        self._thinking = (command, outcome)
        return None

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
        (name,) = arguments(command, "COMMAND", 1)
        return "true" if name in self._commands else "false"

    def _quit(self, _: Command) -> str:
        self.closed = True
        self._queue.clear()
        return ""

    def _list_options(self, _: Command) -> str:
        options = self.session.options
        return "\n".join(f"{option.name} = {_text(options.get(option.name, ''))}" for option in options.declared())

    def _get_option(self, command: Command) -> str:
        name = " ".join(arguments(command, "NAME", 1, 9))
        return _text(self.session.options.get(self.session.options.find(name).name, ""))

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
        (word,) = arguments(command, "NAME", 1)
        return _text(self.session.options.get(self._parameter(word), ""))

    def _set_parameter(self, command: Command) -> str:
        word, *values = arguments(command, "NAME VALUE", 2, 99)
        self.session.set_option(self._parameter(word), " ".join(values))
        return ""

    def _set_option(self, command: Command) -> str:
        """Names may hold spaces: the longest one that the words begin with counts."""
        words = command.arguments
        known = {option.name.lower() for option in self.session.options.declared()}
        for length in range(min(len(words), 9), 0, -1):
            if " ".join(words[:length]).lower() in known:
                self.session.set_option(" ".join(words[:length]), " ".join(words[length:]))
                return ""
        raise GtpError(f"no option {quoted(' '.join(words[:3]))}: see playout-list_options")


def _text(value: Value) -> str:
    """An option's value as ``playout-set_option`` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
