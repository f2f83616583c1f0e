"""The table of protocols: how an engine of each is started."""

from __future__ import annotations

from typing import Any

from playout.arena.drivers.driver import Driver
from playout.arena.terms.job import Player
from playout.games.errors import PlayoutError
from playout.games.game import Game


def start(player: Player, game: Game[Any, Any]) -> Driver:
    """Starts an engine, and opens its book. Blocks until it is ready.

    Raises:
        PlayoutError: if there is no such program or book, or it does not have what ``player`` asks for.
        Fault: if it fails while it starts.
    """
    if player.book is None:
        return _engine(player, game)
    from playout.arena.drivers.booked import BookedDriver, book_of

    book = book_of(player.book, game)
    try:
        return BookedDriver(_engine(player, game), book, player.book.plies)
    except BaseException:
        book.close()
        raise


def _engine(player: Player, game: Game[Any, Any]) -> Driver:
    if player.enters and not player.command:
        raise PlayoutError("it enters at a broker: playout arena run --broker URL, and a worker that plays its games")
    match player.protocol:
        case "uci" | "ugi":
            from playout.arena.drivers.universal import UniversalDriver

            return UniversalDriver(player, game)
        case "gtp":
            from playout.arena.drivers.gtp import GtpDriver

            return GtpDriver(player, game)
        case "xboard":
            from playout.arena.drivers.xboard import XBoardDriver

            return XBoardDriver(player, game)
        case "ubgi":
            from playout.arena.drivers.ubgi import UbgiDriver

            return UbgiDriver(player, game)
        case "gnubg":
            from playout.arena.drivers.gnubg import GnubgDriver

            return GnubgDriver(player, game)
        case "inside":
            from playout.arena.drivers.inside import InsideDriver

            return InsideDriver(player, game)
    raise AssertionError(player.protocol)
