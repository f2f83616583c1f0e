"""UBGI on a session whose searches the test ends, and on a real one."""

from __future__ import annotations

import time
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.session import Session
from playout.games.catalogue import load
from playout.games.errors import GameError
from playout.protocols.backgammon.ubgi import Ubgi

from ...patience import PATIENCE
from ..fake_session import FakeSession, deliver, send
from ..transcript import check


def start() -> tuple[Any, FakeSession]:
    session = FakeSession(load("backgammon"))
    protocol: Any = Ubgi(session)  # type: ignore[arg-type]
    return protocol, session


@pytest.mark.parametrize("name", ["ubgi.txt", "ubgi_bgci.txt", "ubgi_old.txt"])
def test_transcript(name: str) -> None:
    protocol, session = start()
    check(name, protocol, session)
    assert protocol.closed
    assert not protocol.busy


def test_another_game_is_refused() -> None:
    with pytest.raises(GameError, match="plays backgammon"):
        Ubgi(FakeSession(load("chess")))  # type: ignore[arg-type]


def test_the_bounds_of_a_search() -> None:
    protocol, session = start()
    send(protocol, "dice 6 1", "go movetime 100 nodes 7 depth 3")
    assert (session.limits[0].movetime, session.limits[0].nodes, session.limits[0].depth) == (0.1, 7, 3)
    assert session.limits[0].received == 5.0


def test_a_turn_has_half_the_time_for_the_cube() -> None:
    protocol, session = start()
    send(protocol, "dice 6 1", "go role turn movetime 100")
    session.finish("500")
    deliver(protocol, session)
    assert [limits.movetime for limits in session.limits] == [0.05, 0.05]
    assert session.calls[-1] == "go"
    session.finish("13/7,8/7")
    deliver(protocol, session)
    send(protocol, "setcube value 2 owner p1", "go role turn movetime 100")
    assert session.limits[-1].movetime == 0.1, "there was nothing to decide about the cube"


def test_no_move_of_a_dance_is_a_blank_line_to_the_oldest_clients() -> None:
    protocol, _ = start()
    assert send(protocol, "XGID=-a-----------------bbbbbbA:0:0:1:31:0:0:0:0:10") == [""]


def test_a_failed_search_still_has_an_answer() -> None:
    protocol, session = start()
    send(protocol, "dice 6 1", "go")
    session.finish("13/7,8/7", reason="fault", fault="Traceback\nValueError: broken")
    remark = "info string the search failed: ValueError: broken"
    assert deliver(protocol, session) == [remark, "bestmove 13/7 8/7"]
    send(protocol, "go cube")
    session.finish(None, outcomes=(), reason="fault", fault="ValueError: broken")
    assert deliver(protocol, session) == ["error internal the search failed: ValueError: broken"]
    assert send(protocol, "isready") == ["readyok"]


def test_a_book_move_says_so() -> None:
    protocol, session = start()
    send(protocol, "dice 6 1", "go")
    session.finish("13/7,8/7", book="opening: 13/7,8/7 weight 1")
    assert deliver(protocol, session) == ["info string book: opening: 13/7,8/7 weight 1", "bestmove 13/7 8/7"]


def test_the_end_of_the_input_stops_the_search() -> None:
    protocol, session = start()
    send(protocol, "dice 6 1", "go")
    assert protocol.handle_eof() == []
    assert (protocol.closed, session.calls[-1]) == (True, "stop")


VOCABULARY = """
ubgi isready setoption name Seed value 1 keys get set engine.seed newgame newsession type match money length 3 jacoby on
off setscore 0 2 setcube owner center p0 p1 setturn position gnubgid 4HPwATDgc/ABMA xgid dice 6 5 go role chequer cube
XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10
turn movetime nodes trials stop board:You:them:0:0:0:0 -1 99999999999999999999 \xe9
"""
WORDS = st.sampled_from(VOCABULARY.split())


@settings(derandomize=True, max_examples=50, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=30), max_size=12))
def test_any_lines_are_answered(lines: list[str]) -> None:
    """No line raises, every ``isready`` and every question is answered, and every reply is one line that UBGI knows."""
    protocol, session = start()
    session.instant = True
    known = ("id ", "option ", "key ", "value ", "proto ", "ubgiok", "readyok", "info ", "error ", "best", "sorry")
    plays = ("double", "roll", "take", "drop")
    for line in lines:
        replies = send(protocol, line) + deliver(protocol, session)
        words = line.split()
        for reply in replies:
            assert "\n" not in reply
            assert reply.startswith(known) or reply in plays or line.strip().startswith(("XGID=", "board:"))
        if words and words[0] == "go":
            answers = [reply for reply in replies if reply.startswith(("best", "error "))]
            assert len(answers) == 1, (line, replies)
        if words and words[0] == "isready":
            assert replies == ["readyok"]
    assert not protocol.busy
    assert send(protocol, "isready") == ["readyok"]


def converse(*lines: str) -> list[str]:
    """The replies of a real session, each line sent when the decision before it has been made."""
    events: SimpleQueue[Any] = SimpleQueue()
    session = Session(load("backgammon"), post=events.put)
    try:
        session.set_option("OwnBook", "false")
        protocol = Ubgi(session)
        replies: list[str] = []
        for line in lines:
            replies += protocol.handle_line(line, time.monotonic())
            while protocol.busy:
                replies += protocol.handle_event(events.get(timeout=PATIENCE))
        return replies
    finally:
        session.close()


def test_real_decisions() -> None:
    replies = converse(
        "position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "go nodes 200",
        "go role cube trials 100",
        # Far ahead in a race: a double, and a drop.
        "setoption name MaxNodes value 200",
        "XGID=-CDDCA--------------cddca-:0:0:1:00:0:0:0:0:10",
        "XGID=-CDDCA--------------cddca-:0:0:1:D:0:0:0:0:10",
    )
    answers = [reply for reply in replies if not reply.startswith("info")]
    assert answers == ["bestmove 8/5 6/5", "bestcube nodouble", "double", "drop"], replies
