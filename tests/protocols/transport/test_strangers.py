"""Connections that say nothing: they keep nobody out."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from playout.protocols.transport.strangers import REMEMBERED, Strangers

from ...patience import PATIENCE
from .network import Client, Server

SILENT = 300


def silent(server: Server, address: str, stack: ExitStack) -> socket.socket:
    """A connection from a loopback address that says nothing."""
    return stack.enter_context(
        socket.create_connection(("127.0.0.1", server.port), PATIENCE, source_address=(address, 0))
    )


def answers(server: Server) -> None:
    """Asserts that a client gets a session."""
    with Client(server) as client:
        client.send("isready")
        assert client.line() == "readyok"


def test_a_flood_from_one_address_does_not_keep_another_out() -> None:
    with Server("--listen", "127.0.0.1:0") as server, ExitStack() as stack:
        for _ in range(SILENT):
            silent(server, "127.0.0.2", stack)
        answers(server)


def test_silent_connections_take_no_place_of_a_session() -> None:
    with Server("--listen", "127.0.0.1:0", "--sessions", "2") as server, ExitStack() as stack:
        for _ in range(5):
            silent(server, "127.0.0.1", stack)
        answers(server)


def test_places_are_by_address() -> None:
    strangers = Strangers(most=5, most_per_address=3, kept=1)
    assert [strangers.enter("a") for _ in range(4)] == [True, True, True, False]
    assert [strangers.enter("b") for _ in range(3)] == [True, True, False]
    strangers.leave("b", got_in=True)
    assert [strangers.enter("b") for _ in range(3)] == [True, True, False], "one place more: it had a session before"
    strangers.leave("a", got_in=False)
    assert not strangers.enter("c")
    strangers.leave("b", got_in=True)
    assert strangers.enter("c")


def test_addresses_are_forgotten_in_the_end() -> None:
    strangers = Strangers(most=1, kept=1)
    for number in range(REMEMBERED + 1):
        assert strangers.enter(f"{number}")
        strangers.leave(f"{number}", got_in=True)
    assert strangers.enter("other")
    assert not strangers.enter("0")
    assert strangers.enter("1")


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
