"""The presence of servers at a broker, whatever wills and twins say."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.protocols.transport.mqtt.client import WILL

from ...needs import needs
from ...opponents.pipe import Pipe, forked, playout
from ...patience import PATIENCE
from .brokers import BrokerProcess, PlainClient
from .network import Server

pytestmark = [pytest.mark.opponents, needs("aiomqtt", "amqtt")]
AMQTT = pytest.mark.parametrize("broker", ["amqtt"], indirect=True)


@pytest.fixture(scope="module", params=["amqtt", "mosquitto"])
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker that most tests share. Those that end their servers give them other names."""
    with BrokerProcess(request.param, tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture(scope="module")
def server(broker: BrokerProcess) -> Iterator[Server]:
    """The server ``den`` at that broker."""
    with Server("--mqtt", broker.url) as server:
        yield server


def answers(url: str) -> None:
    """Asserts that a new client gets a session."""
    with Pipe(forked("connect", url)) as client:
        client.send("isready", "quit")
        assert client.rest() == ["readyok"]


@AMQTT
def test_the_presence_says_who_is_there(broker: BrokerProcess) -> None:
    url = f"{broker.url}-lost"
    with Server("--mqtt", url) as server, Pipe(forked("connect", url)) as client:
        client.send("isready")
        assert client.line() == "readyok"
        server.process.kill()
        assert client.exit_status() == 1
        client._join()
        assert "the session was broken off: the server is gone" in client.errors()
    with Pipe(forked("connect", url)) as client:
        assert client.exit_status() == 2
        client._join()
        assert client.errors() == f"playout: {url}: no server called den-lost is there"


def test_a_second_server_of_a_name_is_refused_and_the_first_one_stays(broker: BrokerProcess, server: Server) -> None:
    twin = subprocess.run(playout("serve", "--mqtt", broker.url), capture_output=True, text=True, check=False)
    assert (twin.returncode, twin.stdout) == (2, "")
    assert twin.stderr.splitlines()[-1] == f"playout: {broker.url}: another server called den is there"
    answers(broker.url)


def test_of_two_servers_that_start_together_one_stays(broker: BrokerProcess) -> None:
    url = f"{broker.url}-twins"
    command = playout("serve", "--mqtt", url)
    twins = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = []
    for twin in twins:
        assert twin.stdout is not None
        said.append(twin.stdout.readline())
    try:
        assert sorted(said) == ["", f"mqtt {url}\n"]
        answers(url)
    finally:
        for twin in twins:
            twin.terminate()
            twin.communicate(timeout=PATIENCE)


def test_a_stale_gone_hides_no_live_server(broker: BrokerProcess, server: Server) -> None:
    with PlainClient(broker) as plain, Pipe(forked("connect", broker.url)) as old:
        own = plain.hear("presence", "here")["boot"]
        old.send("isready")
        assert old.line() == "readyok"
        for fields in ({}, {"boot": "another"}, {"boot": own}):
            plain.send("presence", retain=True, t="gone", **fields)
            assert plain.hear("presence", "gone") == {"t": "gone", **fields}
            assert plain.hear("presence", "here")["boot"] == own
        answers(broker.url)
        time.sleep(WILL + 0.5)  # longer than a client waits for a server that seems to be gone
        old.send("isready", "quit")
        assert old.rest() == ["readyok"]


@AMQTT
def test_a_late_will_of_a_client_that_is_back_ends_nothing(broker: BrokerProcess, server: Server) -> None:
    with PlainClient(broker) as plain:
        plain.send("uci/me/in", t="open", c=1)
        plain.hear("uci/me/out", "opened")
        plain.send("uci/me/in", t="ping", c=2)
        plain.hear("uci/me/out", "pong")
        plain.send("uci/me/in", t="gone", c=1)
        time.sleep(WILL + 0.5)  # longer than a server waits for a client that seems to be gone
        plain.send("uci/me/in", t="data", n=1, lines=["isready"])
        assert plain.hear("uci/me/out", "data")["lines"] == ["readyok"]


def test_a_presence_left_behind_delays_a_server_and_does_not_keep_it_out(tmp_path: Path) -> None:
    with BrokerProcess("amqtt", tmp_path) as broker, PlainClient(broker) as plain:
        plain.send("presence", retain=True, t="here", boot="dead", protocols=["uci"])
        with Server("--mqtt", broker.url):
            answers(broker.url)


@AMQTT
def test_an_announcement_of_another_server_does_not_end_a_session(broker: BrokerProcess, server: Server) -> None:
    with PlainClient(broker) as plain, Pipe(forked("connect", broker.url)) as client:
        own = plain.hear("presence", "here")["boot"]
        client.send("isready")
        assert client.line() == "readyok"
        plain.send("presence", retain=True, t="here", boot="other", protocols=["uci"])
        session = plain.hear_session("ping")
        plain.send(f"{session}/out", t="unknown", boot="other")
        time.sleep(WILL + 0.5)  # as above
        client.send("isready", "quit")
        assert client.rest() == ["readyok"]
        assert "another server has announced itself" in server.errors()
        plain.send("who", t="who")
        while plain.hear("presence", "here")["boot"] != own:
            pass
        answers(broker.url)
