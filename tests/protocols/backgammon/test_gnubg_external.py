"""GNU Backgammon's external player on a session whose searches the test ends, and over a socket."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.cli.main import main
from playout.games.catalogue import load
from playout.games.errors import PlayoutError, ProtocolError
from playout.protocols.backgammon.gnubg_client import GnubgClient
from playout.protocols.backgammon.gnubg_external import GnubgExternal
from playout.protocols.backgammon.gnubg_socket import address, listen, serve_connections
from playout.protocols.serve import Inbox, serve

from ...patience import PATIENCE
from ..fake_session import FakeSession, deliver, send
from ..transcript import check

BOARD = (
    "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:{0}:{1}:{0}:{1}:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
DANCE = (
    "board:You:gnu:0:0:0:-1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-2:-2:-2:-2:-2:1"
    ":1:3:1:3:1:1:1:1:0:1:-1:0:25:14:2:0:0:0:0:0:0"
)


def start() -> tuple[Any, FakeSession]:
    session = FakeSession(load("backgammon"))
    protocol: Any = GnubgExternal(session)  # type: ignore[arg-type]
    return protocol, session


def test_transcript() -> None:
    protocol, session = start()
    check("gnubg_external.txt", protocol, session)
    assert protocol.closed
    assert not protocol.busy


def test_a_dance_is_a_blank_line() -> None:
    protocol, _ = start()
    assert send(protocol, DANCE) == [""]


def test_the_zero_byte_behind_a_line_is_no_command() -> None:
    protocol, session = start()
    assert send(protocol, "\0" + BOARD.format(2, 1), "\0") == []
    session.finish("13/11,6/5")
    assert deliver(protocol, session) == ["13/11 6/5"]


def test_the_end_of_the_input_waits_for_the_answer() -> None:
    protocol, session = start()
    send(protocol, BOARD.format(2, 1), "version")
    assert not protocol.handle_eof()
    assert not protocol.closed
    session.finish("13/11,6/5")
    assert len(deliver(protocol, session)) == 5
    assert protocol.closed


def test_too_many_lines_are_refused() -> None:
    protocol, _ = start()
    send(protocol, BOARD.format(2, 1))
    assert send(protocol, *["version"] * GnubgExternal.most_waiting) == []
    assert send(protocol, "version") == ["Error: too many commands wait"]


def test_a_failed_search_still_has_an_answer() -> None:
    protocol, session = start()
    send(protocol, BOARD.format(2, 1))
    session.finish("13/11,6/5", reason="fault", fault="ValueError: broken")
    assert deliver(protocol, session) == ["13/11 6/5"]
    send(protocol, BOARD.format(0, 0))
    session.finish(None, outcomes=(), reason="fault", fault="ValueError: broken")
    assert deliver(protocol, session) == ["Error: the search failed: ValueError: broken"]


WORDS = "evaluation fibsboard resignation cube on plies 9 set interface new debug version help board: noise -1 \xe9"
PARTS = st.sampled_from([BOARD.format(2, 1), BOARD.format(0, 0), DANCE, *WORDS.split()])


@settings(derandomize=True, max_examples=50, deadline=None)
@given(st.lists(st.lists(PARTS, max_size=6).map(" ".join) | st.text(max_size=20), max_size=8))
def test_any_line_gets_its_answer(lines: list[str]) -> None:
    """One line, or the four of ``version``: GNU Backgammon would take a second one for its next answer."""
    protocol, session = start()
    session.instant = True
    for line in lines:
        if line.split()[:1] in (["exit"], ["quit"]) or "\0" in line:
            continue
        replies = send(protocol, line) + deliver(protocol, session)
        assert len(replies) == (4 if line.split()[:1] == ["version"] else 1), (line, replies)
        assert all(len(reply) < 256 and "\n" not in reply for reply in replies)


def test_addresses() -> None:
    assert address("127.0.0.1:17") == ("127.0.0.1", 17)
    assert address("localhost:17") == address("17") == address(":17") == ("127.0.0.1", 17)
    for text in ("", "x", "localhost:", "localhost:70000", "0.0.0.0:17", "example.org:17"):
        with pytest.raises(PlayoutError):
            address(text)


def test_clients_over_a_socket() -> None:
    """Clients of ours ask at the same time, and after each other; a session that fails leaves the others alone."""
    game = load("backgammon")

    failing = iter((False, False, True, False))

    def serve_one(stream: Any) -> None:
        if next(failing):
            raise ZeroDivisionError
        inbox = Inbox()
        session = FakeSession(game, post=inbox.post)
        session.instant = True
        serve(GnubgExternal(session), stream, inbox)  # type: ignore[arg-type]

    server = listen(("127.0.0.1", 0))
    thread = threading.Thread(target=serve_connections, args=(server, serve_one), daemon=True)
    thread.start()
    place = server.getsockname()
    state = game.state_from_text("4HPwATDgc/ABMA 1 31")
    with GnubgClient(place) as first, GnubgClient(place) as second:
        for client in (first, second, first):
            assert client.version()["Interface"] == "2"
            assert client.choose(game, state) == game.legal_actions(state)[0]
            with pytest.raises(ProtocolError, match="Error: badly formed board"):
                client._ask("board:x")
    with GnubgClient(place) as client, pytest.raises(ProtocolError):
        client.version()
    with GnubgClient(place) as client:
        assert client.version()["RFBF"] == "0"
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    with pytest.raises(ProtocolError, match="cannot connect to GNU Backgammon"):
        GnubgClient(place, 1.0)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("gnubg", "--listen", "example.org:17"), "'example.org' is not this machine"),
        (("gnubg", "--listen", "here"), "not an address: 'here'"),
        (("gnubg", "--game", "chess"), "this protocol plays backgammon, not chess"),
        (("ubgi", "--game", "chess"), "this protocol plays backgammon, not chess"),
        (("ubgi", "--listen", "17"), "unrecognized arguments: --listen 17"),
    ],
)
def test_wrong_arguments_get_one_line(
    arguments: tuple[str, ...], complaint: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert complaint in err
