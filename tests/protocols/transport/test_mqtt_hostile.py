"""Clients over MQTT that keep to no rule: the server's memory and its end do not depend on them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.cli.network import serve
from playout.games.errors import PlayoutError
from playout.protocols import serve as loop
from playout.protocols.base.protocol import Protocol
from playout.protocols.serve import Inbox
from playout.protocols.transport.mqtt.client import parse_broker
from playout.protocols.transport.mqtt.link import MESSAGE
from playout.protocols.transport.mqtt.server import MqttServer
from playout.protocols.transport.sessions import Closable, Service, Sessions

from ...needs import needs
from ...patience import PATIENCE, eventually
from .brokers import BrokerProcess, PlainClient
from .network import Server

pytestmark = [pytest.mark.opponents, needs("aiomqtt", "mosquitto")]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    with BrokerProcess("mosquitto", tmp_path) as broker:
        yield broker


def opened(plain: PlainClient, name: str) -> str:
    """Opens a session; the topic of its packets."""
    plain.send(f"uci/{name}/in", t="open")
    plain.hear(f"uci/{name}/out", "opened")
    return f"uci/{name}/in"


def test_a_client_that_sends_without_end_and_confirms_nothing_is_cut_off(broker: BrokerProcess) -> None:
    lines = ["isready"] * (MESSAGE // 8)
    with Server("--mqtt", broker.url) as server, PlainClient(broker) as plain:
        before = server.memory()
        for count, name in enumerate(("a", "b", "c"), 1):
            topic = opened(plain, name)
            number = 0
            while server.errors().count("session ended") < count and number < 1000:
                number += 1
                plain.send(topic, t="data", n=number, lines=lines)
            assert server.errors().count("session ended") == count
        assert "sends more than it may" in server.errors()
        assert server.memory() - before < 2**25


def test_a_line_that_may_be_lost_is_not_executed(broker: BrokerProcess) -> None:
    with Server("--mqtt", broker.url), PlainClient(broker) as plain:
        topic = opened(plain, "me")
        plain.send(topic, t="report", n=0, lines=["d"])
        plain.send(topic, t="data", n=1, lines=["isready"])
        assert plain.hear("uci/me/out", "data")["lines"] == ["readyok"]


def test_a_client_that_confirms_nothing_does_not_delay_the_end(broker: BrokerProcess) -> None:
    with Server("--mqtt", broker.url) as server, PlainClient(broker) as plain:
        topic = opened(plain, "me")
        for number in range(1, 25):
            plain.send(topic, t="data", n=number, lines=["isready"] * (MESSAGE // 8))
        plain.hear("uci/me/out", "data")
        server.terminate()
        assert eventually(lambda: "session ended" in server.errors() or "did not end" in server.errors())


def test_a_client_that_quits_and_does_not_end_its_lines_leaves_no_thread(broker: BrokerProcess) -> None:
    names = "abcdef"
    with Server("--mqtt", broker.url) as server, PlainClient(broker) as plain:
        before = server.threads()
        for name in names:
            plain.send(opened(plain, name), t="data", n=1, lines=["quit"])
            assert plain.hear(f"uci/{name}/out", "data")["lines"] is None
        assert eventually(lambda: server.threads() < before + len(names))


def test_without_threads_a_client_is_told_so_and_the_server_goes_on(
    broker: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_nothing(_: Inbox) -> tuple[Closable, Protocol]:
        raise PlayoutError("no game")

    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "uci mqtt a":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    sessions = Sessions(most=1, most_per_address=1)
    server = MqttServer(sessions, {"uci": Service("uci", open_nothing)}, parse_broker(broker.url), line=100)
    server.start()
    try:
        with PlainClient(broker) as plain:
            plain.send("uci/a/in", t="open")
            assert plain.hear("uci/a/out", "refused")["why"] == "the server can start no more threads"
            opened(plain, "b")
    finally:
        server.stop()
    assert sessions.wait(PATIENCE)


def test_the_times_of_an_end_fit_into_what_the_documents_say() -> None:
    assert MqttServer.LONGEST_STOP + loop.GRACE <= serve.GRACE
