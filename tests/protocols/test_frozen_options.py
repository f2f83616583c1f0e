"""An option that is set during a search is obeyed by the next search, under every protocol."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from playout.engine.session import Session
from playout.engine.terms.info import SearchResult
from playout.games import catalogue
from playout.games.chess import Chess
from playout.games.go import Go
from playout.protocols.gtp.protocol import Gtp
from playout.protocols.registry import PROTOCOLS, find
from playout.protocols.serve import EventMessage, Inbox, Work
from playout.protocols.xboard.protocol import XBoard

from ..patience import PATIENCE
from .fake_session import FakeSession, deliver, info, move_info, send

BOUND = 40
"""Simulations that MaxNodes allows in these tests."""


class Conversation:
    """A protocol with a real session, which is handed one event at a time."""

    def __init__(self, name: str, session: Session, inbox: Inbox) -> None:
        self.session = session
        self.protocol = find(name).open(session, inbox.call)
        self.result: SearchResult | None = None
        """The last search's."""
        self._inbox = inbox

    def send(self, *lines: str) -> list[str]:
        """The replies that do not wait for a search."""
        return [reply for line in lines for reply in self.protocol.handle_line(line, time.monotonic())]

    def next(self) -> list[str]:
        """The replies to the search's next event."""
        message = self._inbox.take(PATIENCE)
        if isinstance(message, Work):
            return list(message.do())
        assert isinstance(message, EventMessage), "the search says nothing"
        if isinstance(message.event, SearchResult):
            self.result = message.event
        return list(self.protocol.handle_event(message.event))

    def rest(self) -> list[str]:
        """The replies until no search is under way."""
        replies: list[str] = []
        while self.protocol.busy:
            replies += self.next()
        return replies


@contextmanager
def conversation(name: str, game: str) -> Iterator[Conversation]:
    inbox = Inbox()
    session = Session(catalogue.load(game), post=inbox.post)
    for option, value in (("Hash", "16"), ("OwnBook", "false"), ("InfoInterval", "10")):
        session.set_option(option, value)
    try:
        yield Conversation(name, session, inbox)
    finally:
        session.close()


@dataclass(frozen=True)
class Dialect:
    """A protocol's command for a search, and the place of the variations in its reports."""

    name: str
    game: str
    opening: tuple[str, ...]
    endless: str
    stop: str
    play: str
    """A search that the option MaxNodes bounds."""
    option: Callable[[str, str], str]
    variation: str
    """A pattern of report lines, whose group is the variation."""
    lines: int = 3
    """Variations of a report with MultiPV 3."""

    def variations(self, replies: Sequence[str]) -> list[str]:
        found = [re.match(self.variation, reply) for reply in replies]
        return [match[1].strip() for match in found if match]


def _universal(name: str, value: str) -> str:
    return f"setoption name {name} value {value}"


DIALECTS = (
    Dialect(
        "uci",
        "chess",
        ("position startpos",),
        "go infinite",
        "stop",
        "go nodes 1000",
        _universal,
        r"info depth .* multipv \d+ .* pv(.*)",
    ),
    Dialect(
        "ugi",
        "chess",
        ("position startpos",),
        "go infinite",
        "stop",
        "go nodes 1000",
        _universal,
        r"info depth .* multipv \d+ .* pv(.*)",
    ),
    Dialect(
        "xboard",
        "chess",
        ("xboard", "protover 2", "new", "post"),
        "analyze",
        "exit",
        "go",
        lambda name, value: f"option {name}={value}",
        r"\d+ -?\d+ \d+ \d+ \d+ \d+ 0\t(.*)",
    ),
    Dialect(
        "ubgi",
        "backgammon",
        ("position gnubgid 4HPwATDgc/ABMA", "dice 3 1"),
        "go nodes 1000000000",
        "stop",
        "go",
        _universal,
        r"info role chequer .* pv(.*)",
        lines=1,
    ),
)
CHANGES = (
    ("MultiPV", "3"),
    ("UCI_ShowWDL", "true"),
    ("InfoInterval", "20"),
    ("Hash", "8"),
    ("Level", "19"),
    ("BookFile", ""),
    ("MaxNodes", str(BOUND)),
)


def test_every_protocol_that_sets_options_is_tried() -> None:
    """GTP and the analysis protocol have tests of their own; GNU Backgammon's has no options."""
    assert {dialect.name for dialect in DIALECTS} | {"gtp", "analysis", "gnubg"} == set(PROTOCOLS)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_options_during_a_search_are_for_the_next_one(dialect: Dialect) -> None:
    with conversation(dialect.name, dialect.game) as talk:
        talk.send(*dialect.opening)

        def first(lines: int) -> list[str]:
            """The first report that has ``lines`` variations."""
            while len(found := dialect.variations(replies := talk.next())) < lines:
                assert talk.protocol.busy, replies
            assert len(found) == lines
            return replies

        talk.send(dialect.endless)
        first(1)
        changed = talk.send(*(dialect.option(*change) for change in CHANGES))
        assert not [reply for reply in changed if "rror" in reply or "no option" in reply]
        for replies in (*(talk.next() for _ in range(4)), [*talk.send(dialect.stop), *talk.rest()]):
            variations = dialect.variations(replies)
            assert all(variations), "a report without a variation"
            assert len(variations) <= 1 or not talk.protocol.busy
            assert not [reply for reply in replies if " wdl " in reply or " multipv 2 " in reply]
        assert talk.result is not None
        assert talk.result.info.simulations > 0

        talk.send(dialect.endless)
        replies = first(dialect.lines)
        assert all(dialect.variations(replies)), "a report without a variation"
        if dialect.name in ("uci", "ugi"):
            assert all(" wdl " in reply for reply in replies if " multipv " in reply)
        talk.send(dialect.stop)
        talk.rest()
        talk.send(dialect.play)
        talk.rest()
        assert talk.result.info.simulations == BOUND


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze", "analyze"])
def test_an_option_ends_an_analysis_under_gtp_and_the_next_search_obeys(command: str) -> None:
    with conversation("gtp", "go:5") as talk:
        replies = talk.send(f"{command} b 1")
        while not any("info move" in reply for reply in replies):
            replies = talk.next()
        assert " pv  " not in replies[0] and not replies[0].endswith(" pv")
        replies = [*talk.send(f"playout-set_option MaxNodes {BOUND}", "playout-set_option MultiPV 3"), *talk.rest()]
        moves = [entry for reply in replies for entry in reply.split("info move")[1:]]
        assert all(re.search(r" pv \S+", entry) for entry in moves)
        talk.send("reg_genmove b")
        talk.rest()
        assert talk.result is not None
        assert talk.result.info.simulations == BOUND


def test_a_query_searches_by_its_own_options() -> None:
    """Under the analysis protocol options come with a query; those of a later one leave the searches before alone."""

    def query(id: str, **more: Any) -> str:
        return json.dumps({"id": id, "rules": "chinese", "moves": [], **more, **endless})

    endless = {"maxVisits": 10**9, "reportDuringSearchEvery": 0.01, "firstReportDuringSearchAfter": 0.01}
    with conversation("analysis", "go:5") as talk:
        assert not talk.send(query("first", multiPV=1), query("second", multiPV=3))
        seen: dict[str, int] = {}
        while seen.get("first", 0) < 3:
            for line in talk.next():
                found = json.loads(line)
                seen[found["id"]] = seen.get(found["id"], 0) + 1
                assert all(move["pv"] for move in found["moveInfos"])
                worked_out = sum(len(move["pv"]) > 1 for move in found["moveInfos"])
                assert worked_out <= (1 if found["id"] == "first" else 3)
        talk.send('{"id": "end", "action": "terminate_all"}')
        talk.rest()


def test_a_decision_of_several_searches_keeps_its_options() -> None:
    """Under UBGI ``go turn`` is a rollout about the cube and then a search for the play."""
    with conversation("ubgi", "backgammon") as talk:
        talk.send("position gnubgid 4HPwATDgc/ABMA", "dice 3 1", "go turn nodes 60")
        before = talk.session.task
        talk.send(f"setoption name MaxNodes value {BOUND}")
        talk.rest()
        assert talk.session.task is not before
        assert talk.result is not None
        assert talk.result.info.simulations == 60
        talk.send("go turn nodes 60")
        talk.rest()
        assert talk.result.info.simulations == BOUND


def test_a_margin_for_resigning_is_that_of_the_search_under_xboard() -> None:
    session = FakeSession(Chess())
    protocol = XBoard(session)  # type: ignore[arg-type]
    send(protocol, "xboard", "protover 2", "new", "go", "option Resign=0.5")
    session.finish("e2e4", info=info([move_info("e2e4", value=-0.9)]))
    assert deliver(protocol, session) == ["move e2e4"]
    send(protocol, "usermove e7e5")
    session.finish("d2d4", info=info([move_info("d2d4", value=-0.9)]))
    assert deliver(protocol, session) == ["resign"]


def test_a_margin_for_resigning_waits_for_the_search_under_gtp() -> None:
    session = FakeSession(Go(5))
    protocol = Gtp(session)  # type: ignore[arg-type]
    send(protocol, "genmove b", "playout-set_option Resign 0.5")
    session.finish("c3", info=info([move_info("c3", value=-0.9)]))
    assert deliver(protocol, session)[0] == "= c3"
    send(protocol, "genmove w")
    session.finish("b3", info=info([move_info("b3", value=-0.9)]))
    assert deliver(protocol, session)[0] == "= resign"
