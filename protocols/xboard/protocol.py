"""CECP, the protocol of XBoard and WinBoard (version 2), for chess.

A command that would disturb the search under way stops it first. That command and the lines after it wait until the
search has ended, a moment later. ``pong`` is sent once all earlier commands are done and the engine owes no move.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playout.engine.terms.info import SearchInfo, SearchResult
from playout.games.chess import Chess
from playout.games.errors import PlayoutError, ProtocolError
from playout.protocols.base.dispatch import Command, Dispatcher, internal_error
from playout.protocols.base.protocol import Event
from playout.protocols.xboard.commands import Commands
from playout.protocols.xboard.play import Play, Purpose
from playout.protocols.xboard.settings import XBoardSettings
from playout.protocols.xboard.syntax import edits, error, parse, whole

if TYPE_CHECKING:
    from playout.engine.session import Session


class XBoard(Dispatcher[Command]):
    """CECP on the dispatcher. See ``Protocol``."""

    def __init__(self, session: Session, *, now: Callable[[], float] = time.monotonic) -> None:
        """Raises ProtocolError if the session's game is not chess."""
        if not isinstance(session.game, Chess):
            raise ProtocolError(f"the protocol of XBoard is for chess, not for {session.game.name}")
        super().__init__(session)
        session.prefer_no_book()
        settings = XBoardSettings(session)
        self._play = Play(session, settings, now)
        self._pongs: list[str] = []
        self._editing = False
        commands = Commands(self._play)
        self._idle_only = frozenset(commands.idle)
        self._commands = {
            **settings.commands(),
            **self._play.clock.commands(),
            **commands.idle,
            **commands.others,
            "ping": self._ping,
            "edit": self._edit,
            "quit": self._quit,
        }

    @property
    def busy(self) -> bool:
        return self._play.search is not None

    def parse(self, line: str, received: float) -> Command | None:
        return parse(line, received)

    def urgent(self, command: Command) -> bool:
        return command.name == "quit"

    def held(self, command: Command) -> bool:
        if command.name in self._idle_only and self._disturbs(command):
            self._play.drop()
        return self._stopping()

    def unknown(self, _command: Command) -> ProtocolError:
        return ProtocolError("unknown command")

    def refused(self, reason: PlayoutError, command: Command | None) -> Sequence[str]:
        return [error(str(reason), "" if command is None else command.line)]

    def defect(self, fault: BaseException, at: Command | Event | None) -> Sequence[str]:
        if isinstance(at, SearchResult):
            self._play.rest()  # the same search would end in the same way
        return [error(internal_error(fault), at.line if isinstance(at, Command) else "search")]

    def handle_refusal(self, reason: str) -> Sequence[str]:
        what, _, line = reason.partition(": ")
        return [error(what, line)]

    def report(self, info: SearchInfo) -> Sequence[str]:
        return self._play.report(info)

    def finish(self, result: SearchResult) -> Sequence[str]:
        return self._play.conclude(result)

    def proceed(self) -> Sequence[str]:
        return super().proceed() if self._waiting else self._follow()

    def execute(self, command: Command) -> Sequence[str]:
        return [*super().execute(command), *self._follow()]

    def carry_out(self, command: Command) -> Sequence[str]:
        if self._editing:
            self._editing = edits(command.line) and command.line != "."
            if edits(command.line):
                return ()
        return super().carry_out(command)

    def leave(self) -> Sequence[str]:
        self.closed = True
        self._waiting.clear()
        self._play.drop()
        return ()

    def _follow(self) -> Sequence[str]:
        """Starts or stops the search as the commands so far require. Returns the ``pong`` lines that waited for it."""
        return () if self.closed else [*self._play.follow(), *self._release_pongs()]

    def _stopping(self) -> bool:
        return self._play.search is not None and self._play.search.dropped

    def _disturbs(self, command: Command) -> bool:
        """Whether the search under way is to end before ``command`` is carried out."""
        search = self._play.search
        if search is None:
            return False
        if search.task is Purpose.MOVE and command.name in ("go", "usermove", "undo", "remove"):
            return False
        return command.name != "usermove" or not self._play.expects(command.text)

    def _release_pongs(self) -> list[str]:
        if not self._pongs or self._play.wanted() is Purpose.MOVE or self._stopping():
            return []
        pongs, self._pongs = self._pongs, []
        return pongs

    def _ping(self, command: Command) -> Sequence[str]:
        """``ping N``: answers ``pong N``: after the engine's move if it owes one, else at once."""
        self._pongs.append(f"pong {whole(command.text, 'the number of a ping')}")
        return ()

    def _edit(self, command: Command) -> Sequence[str]:
        """``edit``: is refused; use ``setboard``. The lines up to the dot that ends the command are skipped."""
        self._editing = True
        return [error("not supported, use setboard", command.line)]

    def _quit(self, _: Command) -> Sequence[str]:
        """``quit``: ends the session at once."""
        return self.leave()
