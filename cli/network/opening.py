"""Sessions as a server opens them: with its game and options, and with a client's rights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playout.cli.settings import Settings
from playout.engine.session import Session
from playout.engine.terms.rights import Rights
from playout.games.game import Game
from playout.protocols.registry import ProtocolInfo
from playout.protocols.serve import Inbox

if TYPE_CHECKING:
    from playout.protocols.base.protocol import Protocol


def opener(
    entry: ProtocolInfo, game: Game[Any, Any], settings: Settings, rights: Rights
) -> Callable[[Inbox], tuple[Session, Protocol]]:
    """Returns a function that opens a session of ``game`` under the protocol ``entry``.

    The options of ``settings`` are set before the ``rights`` confine it. The function raises PlayoutError for an option
    that cannot be set.
    """

    def open_session(inbox: Inbox) -> tuple[Session, Protocol]:
        session = Session(game, post=inbox.post)
        try:
            settings.apply(session)
            session.restrict(rights)
            return session, entry.open(session, inbox.call)
        except BaseException:
            session.close()
            raise

    return open_session
