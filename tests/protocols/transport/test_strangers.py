"""Connections that say nothing: they keep nobody out."""

from __future__ import annotations

import resource
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from playout.engine.session import Session
from playout.games import catalogue
from playout.protocols.base.protocol import Protocol
from playout.protocols.registry import find
from playout.protocols.serve import Inbox
from playout.protocols.transport.address import Address
from playout.protocols.transport.sessions import Closable, Service, Sessions
from playout.protocols.transport.strangers import MOST, Stranger, Strangers
from playout.protocols.transport.tcp_server import CROWD, TcpServer

from ...patience import PATIENCE, eventually
from .network import Client, Server

SILENT = 300


def silent(server: Server, address: str, stack: ExitStack) -> socket.socket:
    """A connection from a loopback address that says nothing."""
    return stack.enter_context(
        socket.create_connection(("127.0.0.1", server.port), PATIENCE, source_address=(address, 0))
    )


def has_ended(connection: socket.socket) -> bool:
    """Whether the server has ended a connection, or said something on it."""
    connection.setblocking(False)
    try:
        connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    finally:
        connection.settimeout(PATIENCE)
    return True


def answers(server: Server) -> None:
    """Asserts that a client gets a session."""
    with Client(server) as client:
        client.send("isready")
        assert client.line() == "readyok"


def test_a_flood_does_not_keep_out_a_client_that_speaks() -> None:
    with Server("--listen", "127.0.0.1:0") as server, ExitStack() as stack:
        flood = [silent(server, f"127.0.0.{2 + number % 50}", stack) for number in range(MOST)]
        answers(server)
        assert not has_ended(flood[-1])
        flood += [silent(server, f"127.0.0.{2 + number % 50}", stack) for number in range(20)]
        answers(server)
        assert flood[0].makefile().read() == f"error: {CROWD}\n"
        assert not has_ended(flood[-1])


def test_silent_connections_have_no_threads() -> None:
    with Server("--listen", "127.0.0.1:0") as server, ExitStack() as stack:
        for _ in range(SILENT):
            silent(server, "127.0.0.2", stack)
        answers(server)
        assert eventually(server.rests)


def test_silent_connections_take_no_place_of_a_session() -> None:
    with Server("--listen", "127.0.0.1:0", "--sessions", "2") as server, ExitStack() as stack:
        for _ in range(5):
            silent(server, "127.0.0.1", stack)
        answers(server)


def test_refused_connections_do_not_fill_the_log() -> None:
    with Server("--listen", "127.0.0.1:0", "--sessions", "1") as server, Client(server) as client:
        client.send("isready")
        client.line()
        for _ in range(50):
            with Client(server) as other:
                assert other.rest() == ["error: the server is full: 1 sessions"]
        assert server.terminate() == 0
    said = [line for line in server.errors().splitlines() if line.startswith("WARNING")]
    assert 1 <= len(said) < 25
    assert said[0].endswith("no session: the server is full: 1 sessions")


def test_without_files_strangers_give_way_and_the_server_recovers() -> None:
    with Server("--listen", "127.0.0.1:0") as server, Client(server) as client, ExitStack() as stack:
        client.send("isready")
        client.line()
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (30, 30))
        flood = [silent(server, "127.0.0.2", stack) for _ in range(60)]
        assert flood[0].makefile().read() == f"error: {CROWD}\n"
        client.send("isready")
        assert client.line() == "readyok"
        stack.close()
        answers(server)
        assert server.terminate() == 0
    assert "Too many open files" in server.errors()
    assert len(server.errors().splitlines()) < 30


def test_a_server_raises_its_limit_of_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 300), hard))
    try:
        server = Server("--listen", "127.0.0.1:0")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with server:
        assert resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE) == (min(hard, 1824), hard)


def open_small_game(inbox: Inbox) -> tuple[Closable, Protocol]:
    """Opens a session of a small game."""
    session = Session(catalogue.load("tic_tac_toe"), post=inbox.post)
    return session, find("ugi").open(session, inbox.call)


@pytest.mark.parametrize("name", ["ugi-1 127.0.0.1", "sender", "reader"])
def test_without_threads_a_client_is_told_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start
    refused: list[str] = []

    def refuse(thread: threading.Thread) -> None:
        if thread.name == name and not refused:
            refused.append(name)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    sessions = Sessions(most=1, most_per_address=1)
    server = TcpServer(sessions, line=100)
    port = server.listen(Service("ugi", open_small_game), Address("127.0.0.1", 0)).port
    server.start()
    try:
        for expected in ("error: the server can start no more threads\n", "readyok\n"):
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as client, client.makefile() as lines:
                client.sendall(b"isready\n")
                assert lines.readline() == expected
            assert sessions.wait(PATIENCE)
    finally:
        server.stop()


def test_the_oldest_of_the_address_with_the_most_gives_way() -> None:
    strangers = Strangers(most=3)
    with socket.socket() as sock:
        service = Service("uci", open_small_game)
        a, b, c, d, e = (Stranger(sock, address, service, 0.0) for address in ("a", "b", "a", "c", "d"))
    assert [strangers.enter(one) for one in (a, b, c)] == [None, None, None]
    assert strangers.enter(d) is a
    assert strangers.enter(e) is b, "all have one, and a has just lost one"
    strangers.leave(b)
    strangers.leave(c)
    assert strangers.enter(a) is None
    assert [strangers.displace() for _ in range(4)] == [d, e, a, None]


def test_who_has_settled_is_not_dismissed() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        one = Stranger(theirs, "a", Service("uci", open_small_game), 0.0)
        one.settle()
        one.dismiss(b"error: crowd\n")
        theirs.sendall(b"readyok\n")
        assert ours.recv(100) == b"readyok\n"


@pytest.fixture
def heard_hangup() -> Iterator[None]:
    """Under nohup SIGHUP is ignored, also by the programs that a test starts."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heard_hangup")
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_server(number: signal.Signals) -> None:
    with Server("--listen", "127.0.0.1:0") as server:
        server.process.send_signal(number)
        assert server.process.wait(PATIENCE) == 0
