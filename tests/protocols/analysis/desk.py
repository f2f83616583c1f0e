"""The analysis protocol with real searches, without a transport."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playout.engine.session import Session
from playout.engine.terms.rights import Rights
from playout.games import catalogue
from playout.protocols.analysis.protocol import AnalysisProtocol
from playout.protocols.serve import Inbox, Work

from ...patience import PATIENCE

MNK = f"{Path(__file__).parents[2]}/users/mnk.py:Mnk"
"""A game that a user has written."""


class Desk:
    """Sends lines and collects replies."""

    def __init__(self, protocol: AnalysisProtocol, inbox: Inbox) -> None:
        self.protocol = protocol
        self._inbox = inbox

    def send(self, query: Any) -> list[str]:
        """The lines that a query, an object or a line as it is, is answered with at once."""
        return list(self.protocol.handle_line(query if isinstance(query, str) else json.dumps(query), 0.0))

    def pump(self) -> list[str]:
        """The lines that the next report of a search makes."""
        message = self._inbox.take(PATIENCE)
        assert isinstance(message, Work), "no search reported"
        return list(message.do())

    def rest(self) -> list[str]:
        """The lines until no search is under way."""
        lines = []
        while self.protocol.busy:
            lines += self.pump()
        return lines

    def ask(self, *queries: Any) -> list[dict[str, Any]]:
        """All replies to some queries."""
        lines = [line for query in queries for line in self.send(query)]
        return [read(line) for line in [*lines, *self.rest()]]

    def ask_at_once(self, query: Any) -> list[dict[str, Any]]:
        """The replies that do not wait for a search."""
        return [read(line) for line in self.send(query)]

    def final(self, query: Any) -> dict[str, Any]:
        """The only reply to a query for one position."""
        (reply,) = self.ask(query)
        assert reply["isDuringSearch"] is False, reply
        return reply


@contextmanager
def desk(
    game: str = "go:5", options: Sequence[tuple[str, str]] = (), rights: Rights | None = None, **arguments: Any
) -> Iterator[Desk]:
    """A desk at which ``game`` is played where a query names none."""
    inbox = Inbox()
    session = Session(catalogue.load(game), post=inbox.post)
    for name, value in options:
        session.set_option(name, value)
    session.restrict(rights or Rights())
    protocol = AnalysisProtocol(session, inbox.call, **{"parallel": 1, **arguments})
    made = Desk(protocol, inbox)
    try:
        yield made
        made.send({"id": "end", "action": "terminate_all"})
        made.rest()
    finally:
        session.close()


def read(line: str) -> dict[str, Any]:
    """A reply: one line of sound JSON, without NaN."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in {line}")

    assert "\n" not in line
    found = json.loads(line, parse_constant=refuse)
    assert isinstance(found, dict)
    return found


class Recorded:
    """A desk as ``transcript.check`` wants protocol and session: its events go on until no search is under way."""

    def __init__(self, made: Desk) -> None:
        self._desk = made
        self.handle_line = made.protocol.handle_line
        self.events = self

    def __bool__(self) -> bool:
        return self._desk.protocol.busy

    def pop(self, _: int) -> list[str]:
        return self._desk.pump()

    def handle_event(self, lines: list[str]) -> list[str]:
        return lines
