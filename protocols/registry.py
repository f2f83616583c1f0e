"""The table of protocols. To add one, write its module in this folder and add a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from playout.games.errors import PlayoutError
from playout.games.nearest import suggestion

if TYPE_CHECKING:
    from playout.engine.session import Session
    from playout.protocols.base.protocol import Call, Protocol


@dataclass(frozen=True, slots=True)
class Argument:
    """A command-line argument of one protocol only, passed to its class by keyword."""

    name: str
    default: bool | int | str
    help: str
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> int | str:
        """Parses ``text``.

        Raises:
            ValueError: if it is not a valid value.
        """
        if isinstance(self.default, int):
            if int(text) < 0:
                raise ValueError(text)
            return int(text)
        return text.upper()


@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """A protocol. Its module is imported on first use."""

    place: str
    """Module and class, as MODULE:CLASS."""
    game: str
    """Game that is played if none is named."""
    help: str
    """Its users, for the list of commands."""
    greeting: str = ""
    """Line sent before the engine is loaded, for clients that do not wait long for the first one."""
    log_prefix: str = ""
    """Prefix that makes a log line a comment, for clients that also read standard error, as XBoard does."""

    calls: bool = False
    """Whether it searches in additional sessions, modelled on the one it is given; their reports return through
    ``call``.
    """
    arguments: tuple[Argument, ...] = ()

    def open(
        self, session: Session, call: Call | None = None, arguments: Mapping[str, bool | int | str] | None = None
    ) -> Protocol:
        """Opens the protocol on ``session``. ``call`` is that of the inbox to which the session posts; a protocol that
        needs it and has none refuses searches with an error.
        """
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
        "playout.protocols.analysis.protocol:AnalysisProtocol",
        "go",
        "The engine for programs that analyse many positions (JSON lines).",
        calls=True,
        arguments=(
            Argument("parallel", 0, "positions searched at the same time; default: one for each processor"),
            Argument(
                "winrates_as",
                "SIDETOMOVE",
                "whose values are reported, if a query does not specify it",
                ("SIDETOMOVE", "BLACK", "WHITE", "FIRST", "SECOND"),
            ),
            Argument("quit_without_waiting", False, "does not finish the queries when the input ends"),
        ),
    ),
}
"""By the name of the command ``playout NAME``, which speaks the protocol on standard input and output."""


def find(name: str) -> ProtocolInfo:
    """Returns the protocol called ``name``.

    Raises:
        PlayoutError: if there is no such protocol.
    """
    if name not in PROTOCOLS:
        raise PlayoutError(f"no protocol {name!r}{suggestion(name, PROTOCOLS)}")
    return PROTOCOLS[name]
