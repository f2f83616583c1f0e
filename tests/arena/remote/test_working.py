"""Workers over a real broker: one written from the document alone, and what the commands refuse."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from playout.arena.cup import Cup
from playout.arena.file.reader import parse
from playout.arena.remote import wire
from playout.arena.remote.coordinating import RemoteRun
from playout.arena.remote.spool import Spool
from playout.arena.remote.working import Worker
from playout.cli.arena.broker import SHORTEST_KEY, meeting
from playout.cli.arena.work import usual_spool
from playout.cli.main import main
from playout.games.errors import PlayoutError
from playout.protocols.transport.mqtt.client import Broker

from ...needs import needs
from ...patience import PATIENCE

CUP = """
engines: {first: {}, last: {options: {Last: true}}}
game: tic_tac_toe
nodes: 5
games: 6
openings: {random: 2}
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@needs("aiomqtt", "amqtt")
@pytest.mark.opponents
def test_a_worker_written_from_the_document_plays_a_tournament(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "key").write_text("a key that is long enough\n")
    with Cup(parse(CUP, "cup.yaml"), tmp_path, None) as cup:
        run = RemoteRun(
            cup.coordinator, Broker("127.0.0.1", port, name="cup"), own=True, key=b"a key that is long enough"
        )
        running = threading.Thread(target=run.run)
        running.start()
        worker = Path(__file__).with_name("tiny_worker.py")
        while running.is_alive():  # until the broker listens
            done = subprocess.run(
                [sys.executable, str(worker), str(port), "tiny", str(tmp_path / "key")],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            if done.returncode == 0:
                break
            assert "MqttError" in done.stderr or "Connection refused" in done.stderr, done.stderr
        running.join(PATIENCE)
        assert cup.coordinator.finished
        assert cup.store.mishaps() == []
        games = list(cup.store.games())
        assert len(games) == 6
        assert {played.end.value for played in games} == {"normal"}


@needs("aiomqtt", "amqtt")
@pytest.mark.opponents
def test_a_second_coordinator_of_a_name_is_refused(tmp_path: Path) -> None:
    port = free_port()
    with Cup(parse(CUP, "cup.yaml"), tmp_path, None) as cup, Cup(parse(CUP, "cup.yaml"), tmp_path, None) as other:
        listens = threading.Event()
        first = RemoteRun(cup.coordinator, Broker("127.0.0.1", port, name="cup"), own=True)
        running = threading.Thread(target=lambda: first.run(listens.set))
        running.start()
        assert listens.wait(PATIENCE)
        second = RemoteRun(other.coordinator, Broker("127.0.0.1", port, name="cup"))
        with pytest.raises(PlayoutError, match=r"^mqtt://[^\n]*/cup: another coordinator has this name[^\n]*$"):
            second.run()
        third = RemoteRun(other.coordinator, Broker("127.0.0.1", port, name="another"))
        third.run(third.stop)
        first.stop()
        running.join(PATIENCE)
        assert not running.is_alive()


@needs("aiomqtt")
def test_without_a_broker_there_is_one_line(tmp_path: Path) -> None:
    with Spool(tmp_path / "spool") as spool:
        worker = Worker(Broker("127.0.0.1", free_port(), name="cup"), "w", 1, spool)
        with pytest.raises(PlayoutError, match=r"mqtt://127\.0\.0\.1:\d+/cup: ") as found:
            worker.run()
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "#", "x" * 101, "a\nb"])
def test_a_name_that_topics_do_not_allow_is_refused(name: str, tmp_path: Path) -> None:
    with Spool(tmp_path) as spool, pytest.raises(PlayoutError, match="a name without blanks"):
        Worker(Broker("127.0.0.1", 1883), name, 1, spool)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("embedded:0.0.0.0:1883", "--key-file"),
        ("mqtt://example.org/cup", "--key-file"),
        ("mqtts://me@example.org/cup", "--key-file"),
        ("http://example.org", "expected mqtt://HOST"),
        ("embedded:nowhere", "nowhere"),
    ],
)
def test_a_broker_that_others_reach_needs_a_key(url: str, said: str) -> None:
    with pytest.raises(PlayoutError, match=r"^[^\n]*$") as found:
        meeting(url, None, None, None)
    assert said in str(found.value)


def test_a_key_opens_a_broker_to_others(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"x" * SHORTEST_KEY + b"\n")
    place = meeting("embedded:0.0.0.0:1883", key, None, None)
    assert (place.own, place.key, place.broker.base) == (True, b"x" * SHORTEST_KEY, "playout/1/cup")
    assert meeting("embedded", None, None, None).broker.host == "127.0.0.1"
    assert meeting("mqtt://127.0.0.1/spring", None, None, None).broker.name == "spring"
    key.write_bytes(b"x" * (SHORTEST_KEY - 1))
    with pytest.raises(PlayoutError, match="at least 16 bytes"):
        meeting("embedded", key, None, None)
    with pytest.raises(PlayoutError, match="No such file"):
        meeting("embedded", tmp_path / "none", None, None)


def test_workers_at_a_broker_share_a_folder_of_spools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spools = {usual_spool("mqtt://a/cup"), usual_spool("mqtt://b/cup")}
    assert len(spools) == 2
    assert all(spool.is_relative_to(tmp_path) for spool in spools)


@needs("aiomqtt")
def test_a_broker_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "FIRST", 0.0)
    assert main(["arena", "work", "--broker", "mqtt://127.0.0.1:1/cup", "--spool", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "playout: mqtt://127.0.0.1:1/cup: connection refused\n"
