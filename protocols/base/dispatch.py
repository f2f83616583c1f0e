"""The dispatcher of the protocols: command table, queue of waiting lines, guards against exceptions.

A protocol derives from ``Dispatcher`` and supplies its handlers (``_commands``), the reading of a line (``parse``), the
commands that have to wait for the search (``held``, ``urgent``), and the form of its errors (``refused``, ``defect``).
"""

from __future__ import annotations

import logging
import typing
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from playout.engine.terms.info import SearchInfo, SearchResult
from playout.games.errors import RAISED_BY_GAMES, PlayoutError, ProtocolError
from playout.games.nearest import nearest
from playout.protocols.base.cause import caused_by
from playout.protocols.base.lines import clean, one_line
from playout.protocols.base.protocol import Event

if TYPE_CHECKING:
    from playout.engine.session import Session

TOO_MANY = "too many commands wait"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Command:
    """A line of input, divided at its first word."""

    name: str
    """Key in the command table. It is the first word, unless the protocol's ``parse`` chooses another one."""
    text: str
    """The rest of the line, stripped."""
    received: float
    """``time.monotonic()`` when the line arrived."""
    line: str
    """The whole line, cleaned and stripped."""

    @property
    def words(self) -> list[str]:
        """The words of ``text``."""
        return self.text.split()


def divided(line: str, received: float) -> Command | None:
    """The command on ``line``, or None if the line is blank."""
    text = clean(line).strip()
    if not text:
        return None
    word, *rest = text.split(maxsplit=1)
    return Command(word, "".join(rest), received, text)


class HasLine(typing.Protocol):
    """The attributes of a command that the dispatcher reads."""

    @property
    def name(self) -> str:
        """Key in the command table."""

    @property
    def line(self) -> str:
        """The line of input, for the log."""


C = TypeVar("C", bound=HasLine)


class Dispatcher(ABC, Generic[C]):
    """Implements ``Protocol`` on a table of commands.

    Commands are carried out in the order of their lines. A command that is ``held`` waits in a queue until a result of
    the search lets it proceed, and all later commands wait behind it, except the ``urgent`` ones.

    A PlayoutError becomes the protocol's reply ``refused``. Any other exception is a defect: its traceback goes to the
    log together with the line that led to it, and the reply is ``defect``.
    """

    most_waiting: ClassVar[int] = 10_000
    """Commands that may wait. Further ones are refused."""
    completes: ClassVar[bool] = False
    """Whether the end of the input lets the search and the waiting commands finish first."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.closed = False
        self._commands: dict[str, Callable[[C], Any]] = {}
        self._waiting: deque[C] = deque()
        self._ended = False
        """Whether the input has ended."""

    @property
    @abstractmethod
    def busy(self) -> bool:
        """See ``Protocol``."""

    @abstractmethod
    def parse(self, line: str, received: float) -> C | None:
        """The command on ``line``, or None for a line without a command. Raises PlayoutError if it cannot be read."""

    @abstractmethod
    def refused(self, error: PlayoutError, command: C | None) -> Sequence[str]:
        """The reply to ``command``, which raised ``error``. None stands for a line that ``parse`` could not read."""

    @abstractmethod
    def defect(self, error: BaseException, at: C | Event | None) -> Sequence[str]:
        """The reply after ``error``, a defect, or any exception that was raised by ``report`` or ``finish``.

        ``at`` is the command or the event that was being answered, None while a line was being read.
        """

    @abstractmethod
    def handle_refusal(self, reason: str) -> Sequence[str]:
        """See ``Protocol``."""

    def urgent(self, _command: C, /) -> bool:
        """Whether the command is carried out at once, before the commands that wait."""
        return False

    def held(self, _command: C, /) -> bool:
        """Whether a command has to wait for a result of the search. It may stop that search.

        Called when the command becomes the first of those that wait, and after each result of the search.
        """
        return self.busy

    def report(self, _info: SearchInfo, /) -> Sequence[str]:
        """The reply to a report of the search."""
        return ()

    def finish(self, _result: SearchResult, /) -> Sequence[str]:
        """The reply to the result of the search. ``busy`` becomes false here, unless another search follows."""
        return ()

    def unknown(self, command: C) -> PlayoutError:
        """The error of a command that is not in the table."""
        return ProtocolError(f"unknown command: {one_line(command.line, 60)}{nearest(command.name, self._commands)}")

    def carry_out(self, command: C) -> Sequence[str]:
        """The replies to ``command``. Any exception is turned into a reply by the caller."""
        replies: Sequence[str] = self.handler(command)(command)
        return replies

    def handler(self, command: C) -> Callable[[C], Any]:
        """The handler of ``command``. Raises what ``unknown`` returns if there is none."""
        found = self._commands.get(command.name)
        if found is None:
            raise self.unknown(command)
        return found

    def leave(self) -> Sequence[str]:
        """Ends the session at once; returns no reply. A search under way is stopped, and still reports its result."""
        self.closed = True
        self._waiting.clear()
        if self.busy:
            self.session.stop()
        return ()

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        return self._commands

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        return () if self.closed else self.guarded(lambda: self._take(self.parse(line, received)), None)

    def handle_event(self, event: Event) -> Sequence[str]:
        try:
            replies = self.report(event) if isinstance(event, SearchInfo) else self.finish(event)
        except RAISED_BY_GAMES as error:
            logger.exception("a report could not be written")
            replies = self.defect(error, event)
        return replies if isinstance(event, SearchInfo) else [*replies, *self.proceed()]

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        self._ended = True
        if at_once or not self.completes:
            self.leave()
        return self.proceed()

    def proceed(self) -> Sequence[str]:
        """Carries out the waiting commands up to the first one that is held; returns their replies."""
        replies: list[str] = []
        while self._waiting and not self.closed and not self.held(self._waiting[0]):
            command = self._waiting.popleft()
            with caused_by(command.line):
                replies += self.execute(command)
        if self._ended and not self._waiting and not self.busy:
            self.leave()
        return replies

    def execute(self, command: C) -> Sequence[str]:
        """The replies to ``command``, or its error."""
        return self.guarded(lambda: self.carry_out(command), command)

    def guarded(self, run: Callable[[], Sequence[str]], command: C | None) -> Sequence[str]:
        """The replies of ``run``, or the error of ``command`` if it raises."""
        try:
            return run()
        except PlayoutError as error:
            return self.refused(error, command)
        except RAISED_BY_GAMES as error:
            logger.exception("%s failed", "a line" if command is None else repr(one_line(command.line)))
            return self.defect(error, command)

    def _take(self, command: C | None) -> Sequence[str]:
        if command is None:
            return ()
        if self.urgent(command):
            return self.execute(command)
        if len(self._waiting) >= self.most_waiting:
            return self.handle_refusal(TOO_MANY)
        self._waiting.append(command)
        return self.proceed() if len(self._waiting) == 1 else ()


def internal_error(error: BaseException) -> str:
    """Text by which most protocols report a defect."""
    return f"internal error: {type(error).__name__}: {error}"
