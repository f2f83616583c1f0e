"""The protocol that a client speaks, told by its first line: for clients that can only name a program."""

from __future__ import annotations

from playout.protocols.base.lines import clean

FIRST_WORDS = {"uci": "uci", "ugi": "ugi", "ubgi": "ubgi", "xboard": "xboard", "protover": "xboard"}
"""Words with which clients begin, and the protocols."""
UCI_WORDS = frozenset(("debug", "isready", "setoption", "ucinewgame", "position", "go", "stop", "quit", "d", "bench"))
"""Words with which a person may begin in UCI."""


def protocol_of(line: str) -> str:
    """Returns the name of the protocol whose client begins with ``line``.

    A JSON object is a query of the analysis protocol, a command of GTP is GTP, and anything else is UCI.
    """
    words = clean(line).split()
    if words and words[0].isdigit():
        words = words[1:]  # the number of a GTP command
    first = words[0] if words else ""
    if first.startswith("{"):
        return "analysis"
    if first in FIRST_WORDS:
        return FIRST_WORDS[first]
    return "gtp" if first not in UCI_WORDS and _is_gtp(first) else "uci"


def _is_gtp(word: str) -> bool:
    """Whether GTP has this command in Go or in Hex. Loading both takes some tenths of a second."""
    from playout.engine.session import Session
    from playout.games import catalogue
    from playout.protocols.gtp.protocol import Gtp

    for game in ("go", "hex"):
        session = Session(catalogue.load(game), post=lambda _: None)
        try:
            if word in Gtp(session).commands():
                return True
        finally:
            session.close()
    return False
