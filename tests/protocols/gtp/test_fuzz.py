"""Whatever is sent under GTP, each command gets one response, and a failure changes nothing."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.session import Session
from playout.games.catalogue import load
from playout.games.go import Go
from playout.games.hex import Hex
from playout.protocols.gtp.protocol import Gtp

from ...patience import PATIENCE
from ..fake_session import FakeSession
from .test_gtp import Controller, split

GAMES: dict[str, Any] = {
    "go": Go(5),
    "go, other rules": Go(3, ko="situational", scoring="territory", suicide=True),
    "hex": Hex(4, swap=True),
    "tic_tac_toe": load("tic_tac_toe"),
    "connect_four": load("connect_four"),
    "chess": load("chess"),
    "backgammon": load("backgammon"),
}
WORDS = [
    "b",
    "w",
    "B",
    "white",
    "pass",
    "resign",
    "swap-pieces",
    "swap-sides",
    "swap",
    "a1",
    "C3",
    "i5",
    "b2",
    "d",
    "e2e4",
    "31",
    "8/5,6/5",
    "z99",
    "0",
    "1",
    "2",
    "9",
    "25",
    "26",
    "-1",
    "1e99",
    "nan",
    "0.5",
    "dead",
    "alive",
    "seki",
    "dame",
    "none",
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "fischer-capped",
    "chinese",
    "ko",
    "simple",
    "scoring",
    "territory",
    "suicide",
    "true",
    "claim",
    "Seed",
    "Hash",
    "MaxNodes",
    '{"ko":"SIMPLE"}',
    '{"Hash":1}',
    "{}",
    "[]",
    '{"a":{}}',
    "(;SZ[5];B[aa];W[bb])",
    "(;B[zz])",
    "B+1",
    "#",
    "-",
]
LONG = "[" * 5000
ARGUMENTS = st.one_of(st.sampled_from([*WORDS, LONG]), st.text(max_size=5))


def names(game: Any) -> list[str]:
    """The commands that answer at once or with the end of a search."""
    return sorted(name for name in Gtp(FakeSession(game))._commands if "analyze" not in name and name != "quit")


def lines(game: Any) -> st.SearchStrategy[str]:
    commands = st.tuples(st.sampled_from(names(game)), st.lists(ARGUMENTS, max_size=5))
    return st.one_of(commands.map(lambda parts: " ".join([parts[0], *parts[1]])), st.text(max_size=20))


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.data())
def test_each_command_gets_one_response(name: str, data: st.DataObject) -> None:
    game = GAMES[name]
    send = Controller(game, files=False)
    send.session.instant = True
    for line in data.draw(st.lists(lines(game), max_size=12)):
        if send.gtp.closed:
            return
        before = send.session.state
        responses = [*send(line), *send.deliver()]
        assert len(responses) <= 1
        for response in responses:
            assert response[0] in "=?"
            assert "internal error" not in response
            if response[0] == "?":
                assert "\n" not in response
                assert send.session.state == before
    if not send.gtp.closed:
        assert send("1 name") == ["=1 playout"]


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_no_word_makes_a_command_fail_badly(name: str) -> None:
    """Every command with every word alone, and with a colour before it. Two games that have a command share the words
    between them; of three or more, each takes a third.
    """
    game = GAMES[name]
    send = Controller(game, files=False)
    send.session.instant = True
    having = Counter(command for other in GAMES.values() for command in names(other))
    for number, command in enumerate(names(game), list(GAMES).index(name)):
        step = min(3, having[command])
        chosen = WORDS[number % step :: step]
        for words in ([], *([word] for word in chosen), *(["w", word] for word in chosen)):
            line = " ".join([command, *words])
            (response,) = [*send(line), *send.deliver()]
            assert response[0] in "=?"
            assert "internal error" not in response, line


@pytest.mark.parametrize("name", ["go", "hex"])
@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.data())
def test_each_command_gets_one_response_of_a_real_session(name: str, data: st.DataObject) -> None:
    game = GAMES[name]
    events: queue.Queue[Any] = queue.Queue()
    session = Session(game, post=events.put)
    gtp = Gtp(session, files=False)
    list(gtp.handle_line("playout-set_option MaxNodes 5", 0.0))
    for line in data.draw(st.lists(lines(game), max_size=8)):
        if line.startswith(("playout-set_option", "kata-set-param")):
            continue
        replies = list(gtp.handle_line(line, 0.0))
        while gtp.busy:
            replies += gtp.handle_event(events.get(timeout=PATIENCE))
        responses = split(replies)
        assert len(responses) <= 1
        assert not any("internal error" in response for response in responses), line
    session.close()
    assert not any(thread.name.startswith("playout-") for thread in threading.enumerate())
