"""A defect, wherever it strikes, is answered as the protocol answers errors, told in the log with its traceback and the
line that led to it, and survived by the session. The loop, the protocol and the log are the real ones."""

from __future__ import annotations

import io
import logging
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from playout.engine.analyst import Analyst
from playout.engine.session import Session
from playout.games.catalogue import load
from playout.games.tic_tac_toe import TicTacToe
from playout.protocols.analysis import protocol as analysis
from playout.protocols.base.cause import Formatter, caused_by
from playout.protocols.base.lines import InputLine
from playout.protocols.registry import PROTOCOLS
from playout.protocols.serve import Inbox, serve

from ..patience import PATIENCE, eventually
from .fake_session import FakeSession, info
from .transport.network import Client, Server

BOARD = (
    "board:a:b:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:"
    "1:2:1:2:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
INJECTED = "RuntimeError: injected"


@dataclass(frozen=True)
class Case:
    """A protocol's lines, and what is answered where something raises."""

    game: str
    command: str
    """One whose handler is to raise."""
    refused: str
    """The answer, as a pattern."""
    search: Sequence[str]
    """Lines, the last of which starts a search."""
    no_search: str
    """The answer if it cannot start."""
    no_answer: str
    """The answer if its result cannot be dealt with."""
    no_report: str
    """The answer if a report cannot be written."""
    probe: str
    alive: str


UNIVERSAL = {
    "command": "debug on",
    "refused": "info string internal error: RuntimeError: injected",
    "search": ["go nodes 5"],
    "no_search": r"info string go: injected\nbestmove \(none\)",
    "no_answer": r"info string internal error: RuntimeError: injected\nbestmove \S+",
    "no_report": r"info string internal error: RuntimeError: injected\n(info .*\n)*bestmove \S+",
    "probe": "isready",
    "alive": "readyok",
}
CASES = {
    "uci": Case("chess", **UNIVERSAL),  # type: ignore[arg-type]
    "ugi": Case("tic_tac_toe", **UNIVERSAL),  # type: ignore[arg-type]
    "gtp": Case(
        "go:5",
        "5 version",
        r"\?5 internal error: RuntimeError: injected",
        ["6 genmove b"],
        r"\?6 internal error: RuntimeError: injected",
        r"\?6 internal error: RuntimeError: injected",
        r"=6 \S+",
        "7 name",
        "=7 playout",
    ),
    "ubgi": Case(
        "backgammon",
        "keys",
        "error internal RuntimeError: injected",
        ["position gnubgid 4HPwATDgc/ABMA", "dice 6 1", "go chequer"],
        "error internal RuntimeError: injected",
        "error internal injected",
        r"info role chequer .*\nbestmove .*",
        "isready",
        "readyok",
    ),
    "gnubg": Case(
        "backgammon",
        "help",
        "Error: RuntimeError: injected",
        [BOARD],
        "Error: RuntimeError: injected",
        "Error: injected",
        r"[\d/ ]+",
        "set interface new",
        "New interface ON",
    ),
    "xboard": Case(
        "chess",
        "post",
        r"Error \(internal error: RuntimeError: injected\): post",
        ["new", "post", "e2e4"],
        "tellusererror the search failed: injected",
        r"Error \(internal error: RuntimeError: injected\): search",
        r"Error \(internal error: RuntimeError: injected\): search\n.*\nmove \S+",
        "ping 3",
        "pong 3",
    ),
    "analysis": Case(
        "go:3",
        '{"id":"a","action":"query_models"}',
        r'\{"error":"internal error: RuntimeError: injected","id":"a"\}',
        ['{"id":"b","moves":[],"maxVisits":2}'],
        r'\{"id":"b",.*"isDuringSearch":false,.*internal error: injected.*\}',
        r'\{"id":"b",.*"isDuringSearch":false,.*internal error: RuntimeError: injected.*\}',
        r'\{"id":"b",.*"isDuringSearch":false,.*internal error: RuntimeError: injected.*\}',
        '{"id":"c","action":"clear_cache"}',
        r'\{"id":"c","action":"clear_cache"\}',
    ),
}


def fail(*_: Any, **__: Any) -> Any:
    raise RuntimeError("injected")


class Faulty:
    """An object of which every attribute raises."""

    def __getattr__(self, _: str) -> Any:
        raise RuntimeError("injected")


class Stream:
    """A transport whose input ends when the probe has been answered."""

    def __init__(self, lines: Sequence[str], alive: str) -> None:
        self.said: list[str] = []
        self._lines = lines
        self._alive = re.compile(alive)
        self._over = threading.Event()

    def read(self) -> Iterator[InputLine]:
        for text in self._lines:
            yield InputLine(text, 0.0)
        self._over.wait(PATIENCE)

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        self.said += lines
        if any(map(self._alive.fullmatch, lines)):
            self._over.set()

    def close(self) -> None:
        """Nothing to let go of."""


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log, as the engine's commands write it to standard error."""
    said = io.StringIO()
    handler, logger = logging.StreamHandler(said), logging.getLogger("playout")
    handler.setFormatter(Formatter("%(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
    yield said
    logger.propagate = True
    logger.removeHandler(handler)


class Talk:
    """A protocol in its loop, before a session that finds the first move at once."""

    def __init__(self, name: str) -> None:
        self.case, self.inbox = CASES[name], Inbox()
        game = load(self.case.game)
        self.session: Any = FakeSession(game, self.inbox.post)
        self.session.instant = True
        if name == "analysis":
            self.session = Session(game, post=self.inbox.post)
        self.protocol: Any = PROTOCOLS[name].open(self.session, self.inbox.call)

    def __call__(self, *lines: str) -> str:
        """The replies to ``lines``, all but that to the probe, which comes last and has to be right."""
        stream = Stream((*lines, self.case.probe), self.case.alive)
        serve(self.protocol, stream, self.inbox)
        self.session.close()
        said = "\n".join(stream.said)
        place = re.search(rf"^{self.case.alive}$", said, re.MULTILINE)
        assert place is not None, said
        return (said[: place.start()] + said[place.end() + 1 :]).strip("\n")


def check(log: io.StringIO, line: str) -> None:
    """One entry at least, and each with a traceback and the line that led to it."""
    entries = ("\n" + log.getvalue()).split("\nERROR ")[1:]
    assert entries
    for entry in entries:
        assert "Traceback (most recent call last)" in entry
        assert entry.rstrip().endswith(f"{INJECTED}\nThe line that led to it: {line!r}"), entry


@pytest.fixture(params=PROTOCOLS)
def talk(request: pytest.FixtureRequest) -> Talk:
    return Talk(request.param)


def test_a_command_that_fails(talk: Talk, log: io.StringIO) -> None:
    table = talk.protocol._commands
    (name,) = (name for name in table if re.search(rf"\b{re.escape(name)}\b", talk.case.command))
    table[name] = fail
    assert re.fullmatch(talk.case.refused, talk(talk.case.command))
    check(log, talk.case.command)


def test_a_search_that_does_not_start(talk: Talk, log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeSession, "go", fail)
    monkeypatch.setattr(Analyst, "start", fail)
    assert re.fullmatch(talk.case.no_search, talk(*talk.case.search))
    check(log, talk.case.search[-1])


def test_a_result_that_cannot_be_dealt_with(talk: Talk, log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeSession, "wait", fail)
    monkeypatch.setattr(analysis, "reply", fail)
    assert re.fullmatch(talk.case.no_answer, talk(*talk.case.search))
    check(log, talk.case.search[-1])


def test_a_report_that_cannot_be_written(talk: Talk, log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = FakeSession.go

    def go(session: FakeSession, limits: Any, options: Any = None) -> None:
        session.post(info([Faulty()]))  # type: ignore[list-item]
        usual(session, limits, options)

    monkeypatch.setattr(FakeSession, "go", go)
    monkeypatch.setattr(analysis, "reply", fail)
    said = talk(*talk.case.search)
    assert re.fullmatch(talk.case.no_report, said), said
    if log.getvalue():  # GTP writes no reports here, and gnubg none at all
        check(log, talk.case.search[-1])


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("uci", "go nodes 5", "go nodes 6"),
        ("gtp", "6 genmove b", "7 genmove w"),
        ("gnubg", BOARD, f"{BOARD} jacobyrule on"),
        ("xboard", "go", "new"),
    ],
)
def test_a_line_that_waited_is_the_one_that_is_told(name: str, first: str, second: str, log: io.StringIO) -> None:
    session: Any = FakeSession(load(CASES[name].game))
    protocol = PROTOCOLS[name].open(session)
    with caused_by(first):
        protocol.handle_line(first, 0.0)
    protocol.handle_line(second, 0.0)
    assert session.searching and not log.getvalue()
    session.finish()
    session.go = session.new_game = session.set_game = fail
    with caused_by(first):
        protocol.handle_event(session.events.pop())
    check(log, second)


class Broken(TicTacToe):
    """Fails in its search."""

    kernel = None  # type: ignore[assignment]

    def returns(self, state: Any) -> Any:
        return fail() if threading.current_thread().name.startswith("playout-") else super().returns(state)


def test_a_game_that_fails_on_the_thread_of_the_search(log: io.StringIO) -> None:
    talk = Talk("ugi")
    talk.session = Session(Broken(), post=talk.inbox.post)
    talk.protocol = PROTOCOLS["ugi"].open(talk.session)
    said = talk("go nodes 7")
    assert said.startswith("info string the search failed: RuntimeError: injected")
    check(log, "go nodes 7")


def test_a_protocol_that_raises_against_its_contract(talk: Talk, log: io.StringIO) -> None:
    usual = talk.protocol.handle_line

    def handle_line(line: str, received: float) -> Any:
        return fail() if line == talk.case.command else usual(line, received)

    talk.protocol.handle_line = handle_line
    assert "internal error" in talk(talk.case.command)
    check(log, talk.case.command)


@pytest.mark.opponents
def test_a_server_logs_the_line_and_its_client_plays_on() -> None:
    game = f"{Path(__file__).parents[1]}/users/faulty.py:RaisingBoard:method=returns,plies=2"
    with Server("--listen", "ugi=127.0.0.1:0", "--game", game) as server, Client(server) as client:
        client.send("position startpos moves a1", "go nodes 300")
        assert "RuntimeError: a mistake in returns" in "\n".join(client.until("bestmove"))
        client.send("isready", "quit")
        assert client.rest() == ["readyok"]
        assert eventually(lambda: "The line that led to it: 'go nodes 300'" in server.errors())
        assert "Traceback (most recent call last):" in server.errors()
        assert server.terminate() == 0
