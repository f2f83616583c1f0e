"""Logins that are refused, connections that are lost, and servers that go away."""

from __future__ import annotations

import logging
import socket
import threading
from queue import SimpleQueue

import pytest

from playout.arena.drivers.driver import Scene
from playout.arena.enter.session import Waits
from playout.games.errors import PlayoutError

from ...patience import PATIENCE
from ..players import Reply, ScriptedDriver
from .client import USERS, Client, Enter, Log, admitted, scripted
from .server import Server


def test_a_lost_connection_in_mid_game(server: Server, enter: Enter) -> None:
    """The next setup has the moves, and the clock has run on."""
    engine = ScriptedDriver(["C3", "B2"])
    enter(start=lambda _player, _game: engine)
    admitted(server)
    table = server.start("bot", "house", milliseconds=60_000)
    assert server.hear(table) == "C3"
    server.forget("bot")
    server.now += 1000
    server.play(table, "D4")
    server.now += 20_000
    admitted(server)
    assert server.hear(table) == "B2"
    left = engine.faces[1].left
    assert left is not None
    assert left <= 39.5
    assert table.left[0] == 60_000 - (20_000 - 250)
    assert [move for move, _ in table.moves] == ["C3", "D4", "B2"]


def test_a_connection_that_is_lost_in_mid_thought(server: Server, enter: Enter) -> None:
    begun, go_on, count = threading.Event(), threading.Event(), SimpleQueue[int]()

    def slow(scene: Scene) -> Reply:
        count.put(1)
        begun.set()
        assert go_on.wait(PATIENCE)
        return "C3"

    enter(start=lambda _player, _game: ScriptedDriver(slow))
    admitted(server)
    table = server.start("bot", "house")
    assert begun.wait(PATIENCE)
    server.forget("bot")
    admitted(server)
    go_on.set()
    assert server.hear(table) == "C3"
    assert count.qsize() == 1


def test_a_second_login_ends_the_first(server: Server, enter: Enter) -> None:
    first = enter()
    admitted(server)
    second = enter()
    login = admitted(server)
    assert str(first.wait()) == "another program has logged in as bot"
    second.session.stop()
    assert login.line() == "quit"


def test_a_wrong_password_is_told_in_a_line(server: Server, enter: Enter) -> None:
    client = enter(password="wrong")
    assert server.admit() is None
    error = client.wait()
    assert isinstance(error, PlayoutError)
    assert str(error) == "the server says: Error: Sorry, password doesn't match"


def test_a_server_that_refuses_players_is_told_in_a_line(server: Server, enter: Enter) -> None:
    client = enter()
    login = server.accept()
    login.send("protocol")
    assert (login.line() or "").startswith("e1 playout ")
    login.send("Error: only viewers today")
    assert str(client.wait()) == "the server says: Error: only viewers today"


def test_the_server_of_the_tests_admits_no_viewer(server: Server) -> None:
    """So a client that greets it as a viewer cannot pass."""
    with Server({}) as other, socket.create_connection(("127.0.0.1", other.port), PATIENCE) as sock:
        sock.sendall(b"v1 viewer\n")
        assert other.admit() is None
        assert sock.makefile().read() == "protocol genmove_analyze\nError: no viewers here\n"


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with Server({}) as gone:
        pass
    assert str(Client(gone.port).wait()) == f"127.0.0.1:{gone.port}: connection refused"


def test_a_server_that_hangs_up_before_the_login_is_told(server: Server, enter: Enter) -> None:
    client = enter()
    server.accept().close()
    assert "127.0.0.1" in str(client.wait())
    assert isinstance(client.error, PlayoutError)


def test_a_server_that_does_not_ask_is_told(server: Server, enter: Enter) -> None:
    client = enter(waits=Waits(login=0.0))
    server.accept()
    assert str(client.wait()) == f"127.0.0.1:{server.port}: the server does not ask for name and password"


def test_a_server_that_comes_back(server: Server, enter: Enter, log: Log) -> None:
    # Attempts at a server that is away must not fill the log.
    enter(start=scripted("C3"), waits=Waits(retry=(0.05, 0.1)))
    admitted(server)
    server.disappear()
    log.wait("connection refused")
    with Server(USERS, server.port) as again:
        admitted(again)
        assert again.hear(again.start("bot", "house")) == "C3"


def test_attempts_are_apart(server: Server, enter: Enter, log: Log) -> None:
    """A connection that is lost at once is not tried again at once."""
    client = enter(waits=Waits(retry=(100_000.0, 100_000.0)))
    admitted(server)
    server.forget("bot")
    said = log.wait("the next attempt")
    assert 90_000 < float(said.split()[-2]) <= 100_000
    client.session.stop()
    assert client.wait() is None
    assert not server.knocks()


def test_the_password_is_in_no_log(server: Server, enter: Enter, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "playout.arena.enter"):
        client = enter()
        login = admitted(server)
        client.session.stop()
        assert login.line() == "quit"
        assert login.line() is None
        assert client.wait() is None
    assert "> (the password)" in caplog.messages
    assert USERS["bot"] not in caplog.text


def test_a_line_out_of_turn_makes_the_client_log_in_again(server: Server, enter: Enter) -> None:
    enter(start=scripted("C3", "B2"))
    login = admitted(server)
    table = server.start("bot", "house")
    assert server.hear(table) == "C3"
    login.send("play b E5 1000")
    server.play(table, "D4")
    admitted(server)
    assert server.hear(table) == "B2"


def test_a_stop_in_a_game_whose_server_is_gone(server: Server, enter: Enter) -> None:
    client = enter(start=scripted("C3"))
    admitted(server)
    assert server.hear(server.start("bot", "house")) == "C3"
    client.session.stop()
    server.disappear()
    assert client.wait() is None


def test_a_stop_after_a_game_that_ended_unseen(server: Server, enter: Enter) -> None:
    client = enter(start=scripted("C3"), waits=Waits(retry=(0.0, 0.0), settling=0.05))
    admitted(server)
    table = server.start("bot", "house")
    assert server.hear(table) == "C3"
    client.session.stop()
    server.forget("bot")
    server.end(table, "B+Time")
    login = admitted(server)
    assert client.over().result == "ended while there was no connection"
    assert login.line() == "quit"
    assert login.line() is None
    assert client.wait() is None
