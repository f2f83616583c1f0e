"""``playout uci``, ``playout ugi`` and ``playout gtp``: the engine on standard input and output."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from playout.cli.settings import read_settings
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.engine.info import SearchInfo
    from playout.engine.session import Session
    from playout.protocols.protocol import Protocol

DEFAULT_GAMES = {"uci": "chess", "ugi": "chess", "gtp": "go"}

logger = logging.getLogger(__name__)


class _Parser(argparse.ArgumentParser):
    """Reports a wrong argument in one line, like every other wrong input."""

    def error(self, message: str) -> NoReturn:
        raise PlayoutError(f"{self.prog.split()[-1]}: {message}")


def run_engine(protocol: str, arguments: Sequence[str]) -> int:
    """Serves ``protocol`` until the other side ends the session; returns the exit status.

    Raises:
        PlayoutError: if the arguments, the game or the options are wrong; nothing has been read or written then.
    """
    parser = _Parser(prog=f"playout {protocol}", description=f"Runs the engine under {protocol.upper()}.")
    parser.add_argument(
        "--game", metavar="NAME", help=f"hex:11, my.py:Mnk, ...; {DEFAULT_GAMES[protocol]} if not given"
    )
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="sets an engine option")
    parser.add_argument("--config", metavar="FILE", type=Path, help="a YAML file with a game and options")
    parser.add_argument("--verbose", action="store_true", help="logs the thoughts behind each move to standard error")
    words = parser.parse_args(arguments)
    settings = read_settings(DEFAULT_GAMES[protocol], words.game, words.option, words.config)

    from playout.cli.thinking import describe
    from playout.engine.info import SearchResult
    from playout.engine.session import Session
    from playout.games import registry
    from playout.protocols.serve import Inbox
    from playout.protocols.stdio import serve_stdio

    level = logging.INFO if words.verbose else logging.WARNING
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=level)
    inbox = Inbox()

    def post(event: SearchInfo | SearchResult) -> None:
        if words.verbose and isinstance(event, SearchResult):
            logger.info("%s thinking: %s", event.move, describe(event))
        inbox.post(event)

    session = Session(registry.load(settings.game), post=post)
    try:
        settings.apply(session)
        serve_stdio(_protocol(protocol, session), inbox)
    finally:
        session.close()
    return 0


def _protocol(name: str, session: Session) -> Protocol:
    if name == "uci":
        from playout.protocols.uci import Uci

        return Uci(session)
    if name == "ugi":
        from playout.protocols.ugi import Ugi

        return Ugi(session)
    from playout.protocols.gtp import Gtp

    return Gtp(session)
