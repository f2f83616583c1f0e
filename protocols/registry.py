"""Which protocols there are: a new one is a file beside this one and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.engine.session import Session
    from playout.protocols.protocol import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """A protocol that drives one session; its module is imported when it is first spoken."""

    place: str
    """Module and class."""
    game: str
    """Played if none is named."""
    help: str
    """Who speaks it, for the list of commands."""

    def open(self, session: Session) -> Protocol:
        """The protocol, about to drive ``session``."""
        module, _, name = self.place.partition(":")
        return cast("Callable[[Session], Protocol]", getattr(import_module(module), name))(session)


PROTOCOLS: dict[str, Entry] = {
    "uci": Entry("playout.protocols.uci:Uci", "chess", "The engine for chess GUIs (UCI)."),
    "ugi": Entry("playout.protocols.ugi:Ugi", "chess", "The engine for any game (UGI)."),
    "gtp": Entry("playout.protocols.gtp:Gtp", "go", "The engine for Go and Hex GUIs (GTP 2)."),
    "ubgi": Entry("playout.protocols.ubgi:Ubgi", "backgammon", "The engine for backgammon arenas (UBGI)."),
    "gnubg": Entry(
        "playout.protocols.gnubg_external:GnubgExternal",
        "backgammon",
        "The engine as GNU Backgammon's external player; --listen HOST:PORT.",
    ),
}
"""By the name of the command, ``playout NAME``, that speaks the protocol on standard input and output."""


def find(name: str) -> Entry:
    """The protocol called ``name``.

    Raises:
        PlayoutError: if there is none.
    """
    if name not in PROTOCOLS:
        raise PlayoutError(f"no protocol {name!r}: one of {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]
