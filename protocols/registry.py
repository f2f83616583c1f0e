"""Which protocols there are: a new one is a file beside this one and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.engine.session import Session
    from playout.protocols.base.protocol import Call, Protocol


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the command that only one protocol has, and its class takes by keyword."""

    name: str
    default: bool | int | str
    help: str
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> int | str:
        """The value that ``text`` stands for.

        Raises:
            ValueError: if it is none.
        """
        if isinstance(self.default, int):
            if int(text) < 0:
                raise ValueError(text)
            return int(text)
        return text.upper()


@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """A protocol; its module is imported when it is first spoken."""

    place: str
    """Module and class."""
    game: str
    """Played if none is named."""
    help: str
    """Who speaks it, for the list of commands."""
    greeting: str = ""
    """A line that is sent before the engine is loaded, where the other side does not wait long for the first one."""
    log_prefix: str = ""
    """What makes a line of the log a comment, where the other side reads standard error too, as XBoard does."""

    calls: bool = False
    """Whether it searches in more sessions than the one it is given, which is their pattern: what they find comes back
    by ``call``."""
    arguments: tuple[Argument, ...] = ()

    def open(
        self, session: Session, call: Call | None = None, arguments: Mapping[str, bool | int | str] | None = None
    ) -> Protocol:
        """The protocol, about to drive ``session``. ``call`` is that of the inbox to which the session posts; without
        it, a protocol that needs it says so to whoever asks for a search."""
        module, _, name = self.place.partition(":")
        make = cast("Callable[..., Protocol]", getattr(import_module(module), name))
        given: dict[str, Any] = dict(arguments or {})
        return make(session, call, **given) if self.calls else make(session, **given)


PROTOCOLS: dict[str, ProtocolInfo] = {
    "uci": ProtocolInfo("playout.protocols.uci.uci:Uci", "chess", "The engine for chess GUIs (UCI)."),
    "ugi": ProtocolInfo("playout.protocols.uci.ugi:Ugi", "chess", "The engine for any game (UGI)."),
    "gtp": ProtocolInfo("playout.protocols.gtp.protocol:Gtp", "go", "The engine for Go and Hex GUIs (GTP 2)."),
    "ubgi": ProtocolInfo(
        "playout.protocols.backgammon.ubgi:Ubgi", "backgammon", "The engine for backgammon arenas (UBGI)."
    ),
    "gnubg": ProtocolInfo(
        "playout.protocols.backgammon.gnubg_external:GnubgExternal",
        "backgammon",
        "The engine as GNU Backgammon's external player; --listen HOST:PORT.",
    ),
    "xboard": ProtocolInfo(
        "playout.protocols.xboard.protocol:XBoard",
        "chess",
        "The engine for XBoard and WinBoard (CECP).",
        greeting="feature done=0",
        log_prefix="# ",
    ),
    "analysis": ProtocolInfo(
        "playout.protocols.analysis.protocol:Analysis",
        "go",
        "The engine for programs that analyse many positions (JSON lines).",
        calls=True,
        arguments=(
            Argument("parallel", 0, "positions searched at a time; as many as there are processors for if not given"),
            Argument(
                "winrates_as",
                "SIDETOMOVE",
                "whose values are reported, where a query does not say",
                ("SIDETOMOVE", "BLACK", "WHITE", "FIRST", "SECOND"),
            ),
            Argument("quit_without_waiting", False, "does not finish the queries when the input ends"),
        ),
    ),
}
"""By the name of the command, ``playout NAME``, that speaks the protocol on standard input and output."""


def find(name: str) -> ProtocolInfo:
    """The protocol called ``name``.

    Raises:
        PlayoutError: if there is none.
    """
    if name not in PROTOCOLS:
        raise PlayoutError(f"no protocol {name!r}: one of {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]
