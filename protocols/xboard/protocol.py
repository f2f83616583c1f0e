"""CECP, the protocol of XBoard and WinBoard (version 2), for chess.

A command that a search under way would disturb stops it first; that command and the lines after it wait until it has
ended, a moment later. ``pong`` comes when all that was asked before is done: a move that is owed has been sent.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playout.engine.terms.info import SearchInfo
from playout.games.chess import Chess
from playout.games.errors import PlayoutError, ProtocolError
from playout.protocols.base.cause import caused_by
from playout.protocols.base.lines import clean
from playout.protocols.base.protocol import Event
from playout.protocols.xboard.commands import Commands
from playout.protocols.xboard.play import Play, Task
from playout.protocols.xboard.settings import Settings
from playout.protocols.xboard.syntax import Command, Handler, edits, error, parse, whole

if TYPE_CHECKING:
    from playout.engine.session import Session

logger = logging.getLogger(__name__)


class XBoard:
    """See ``Protocol``."""

    def __init__(self, session: Session, *, now: Callable[[], float] = time.monotonic) -> None:
        """Raises ProtocolError if the session's game is not chess."""
        if not isinstance(session.game, Chess):
            raise ProtocolError(f"the protocol of XBoard is for chess, not for {session.game.name}")
        self.session = session
        self.closed = False
        settings = Settings(session)
        self._play = Play(session, settings, now)
        self._waiting: deque[tuple[str, float]] = deque()
        self._pongs: list[str] = []
        self._editing = False
        commands = Commands(self._play)
        self._idle_only = frozenset(commands.idle)
        self._commands: dict[str, Handler] = {
            **settings.commands(),
            **self._play.clock.commands(),
            **commands.idle,
            **commands.others,
            "ping": self._ping,
            "edit": self._edit,
            "quit": self._quit,
        }

    def commands(self) -> dict[str, Handler]:
        return self._commands

    @property
    def busy(self) -> bool:
        return self._play.search is not None

    def handle_line(self, line: str, received: float) -> Sequence[str]:
        text = clean(line).strip()
        if not text or self.closed:
            return ()
        if text == "quit":
            return self._leave()
        self._waiting.append((text, received))
        return self._work()

    def handle_refusal(self, reason: str) -> Sequence[str]:
        what, _, line = reason.partition(": ")
        return [error(what, line)]

    def handle_event(self, event: Event) -> Sequence[str]:
        play = self._play
        try:
            if isinstance(event, SearchInfo):
                return play.report(event)
            if self.closed:
                play.drop()
            replies = play.conclude(event)
        except Exception as fault:
            logger.exception("a report could not be written")
            if not isinstance(event, SearchInfo):
                play.rest()  # the same search would end in the same way
            replies = [error(f"internal error: {type(fault).__name__}: {fault}", "search")]
        if self.closed:
            return ()
        if not self._waiting:
            return [*replies, *play.follow(), *self._release_pongs()]
        return [*replies, *self._work()]

    def handle_eof(self, _at_once: bool = False, /) -> Sequence[str]:
        return self._leave()

    def _work(self) -> list[str]:
        """Carries out the lines that wait, up to one that has to wait for a search to end."""
        replies: list[str] = []
        while self._waiting and not self._stopping():
            text, received = self._waiting[0]
            command = parse(text, received)
            if command.word in self._idle_only and self._disturbs(command):
                self._play.drop()
                break
            self._waiting.popleft()
            with caused_by(text):
                replies += self._execute(text, command)
                replies += self._play.follow()
                replies += self._release_pongs()
        return replies

    def _stopping(self) -> bool:
        return self._play.search is not None and self._play.search.dropped

    def _disturbs(self, command: Command) -> bool:
        """Whether the search under way is to end before ``command`` is carried out."""
        search = self._play.search
        if search is None:
            return False
        if search.task is Task.MOVE and command.word in ("go", "usermove", "undo", "remove"):
            return False
        return command.word != "usermove" or not self._play.expects(command.text)

    def _execute(self, text: str, command: Command) -> Sequence[str]:
        if self._editing:
            self._editing = edits(text) and text != "."
            if edits(text):
                return ()
        handler = self._commands.get(command.word)
        if handler is None:
            return [error("unknown command", text)]
        try:
            return handler(command)
        except PlayoutError as refusal:
            return [error(str(refusal), text)]
        except Exception as fault:
            logger.exception("%s failed", command.word)
            return [error(f"internal error: {type(fault).__name__}: {fault}", text)]

    def _release_pongs(self) -> list[str]:
        """The answers to pings that nothing holds back any more."""
        if not self._pongs or self._play.wanted() is Task.MOVE or self._stopping():
            return []
        pongs, self._pongs = self._pongs, []
        return pongs

    def _ping(self, command: Command) -> Sequence[str]:
        """``ping N``: ``pong N``, at once while the engine ponders, analyses or rests, else after its move."""
        self._pongs.append(f"pong {whole(command.text, 'the number of a ping')}")
        return ()

    def _edit(self, command: Command) -> Sequence[str]:
        """``edit``: refused; ``setboard`` sets positions up. The lines up to the dot that ends it are passed over."""
        self._editing = True
        return [error("not supported, use setboard", command.line)]

    def _quit(self, _: Command) -> Sequence[str]:
        """``quit``: ends the session at once."""
        return self._leave()

    def _leave(self) -> Sequence[str]:
        self.closed = True
        self._waiting.clear()
        self._play.drop()
        return ()
