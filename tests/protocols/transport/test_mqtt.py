"""MQTT with real brokers: amqtt in the server and by itself, and mosquitto where it is installed."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.cli.main import main
from playout.protocols.transport.mqtt.client import WILL

from ...needs import needs, program, require
from ...opponents.pipe import Pipe, forked, playout
from ...patience import PATIENCE, eventually
from .brokers import BrokerProcess
from .network import Server

pytestmark = [pytest.mark.opponents, needs("aiomqtt", "amqtt")]


HASTY = "from playout.protocols.transport.mqtt import client; client.WILL = 1.0"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with a broker of its own, which waits a second only for a client that seems to be gone."""
    arguments = ["--broker", "127.0.0.1:0", "--option", "OwnBook=false", "--sessions", "3"]
    program = f"{HASTY}; import sys; from playout.cli.main import main; sys.exit(main(sys.argv[1:]))"
    with Server(*arguments, program=[sys.executable, "-c", program]) as server:
        yield server


def rests(server: Server) -> bool:
    """Whether all sessions that it has opened have ended."""
    said = server.errors()
    return said.count("session ended") == said.count("session opened")


def bridge(server: Server, *arguments: str) -> Pipe:
    return Pipe(forked("connect", server.address, *arguments))


def test_a_session_by_way_of_the_servers_own_broker(server: Server) -> None:
    with bridge(server) as client:
        client.send("isready", "position startpos moves e2e4", "go nodes 300")
        lines = client.until("bestmove")
        assert lines[0] == "readyok"
        assert lines[-2].startswith("info depth")
        client.send(b"x" * 70_000 + b"\n\xff\n", "isready")
        assert [line.split(":")[0] for line in client.until("readyok")] == [
            "info string line too long",
            "info string unknown command",
            "readyok",
        ]
        client.send("quit")
        assert client.exit_status() == 0
        assert client.errors() == ""


def test_the_end_of_the_input_ends_the_session(server: Server) -> None:
    done = subprocess.run(
        playout("connect", server.address),
        input="isready\nd",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("readyok\ninfo string ")


def test_a_client_that_dies_stops_its_search(server: Server) -> None:
    with bridge(server) as client:
        client.send("go infinite")
        client.line()
        client._process.kill()
        assert eventually(lambda: rests(server))


def test_too_many_sessions_and_unknown_ones_are_one_line(server: Server) -> None:
    assert eventually(lambda: rests(server))
    with bridge(server) as one, bridge(server) as two, bridge(server) as three:
        for client in (one, two, three):
            client.send("isready")
            assert client.line() == "readyok"
        for arguments, reason in (
            ((), "the server is full: 3 sessions"),
            (("--protocol", "xyz"), "no protocol 'xyz' here"),
        ):
            with bridge(server, *arguments) as four:
                assert four.exit_status() == 2
                four._join()
                assert reason in four.errors()
                assert "\n" not in four.errors()
        for client in (one, two, three):
            client.send("quit")
            assert client.exit_status() == 0


def test_the_servers_end_reports_the_moves_and_ends_the_bridges() -> None:
    with Server("--broker", "127.0.0.1:0", "--option", "OwnBook=false") as server, bridge(server) as client:
        client.send("go infinite")
        client.line()
        assert server.terminate() == 0
        assert [line for line in client.rest() if line.startswith("bestmove ")] != []
        assert (client.exit_status(), client.errors()) == (0, "")


RESTARTS = [(signal.SIGKILL, 0.6), (signal.SIGTERM, 0.05), (signal.SIGTERM, WILL + 0.5)]
"""Ways of a broker to go, and the seconds until it is back."""


@pytest.mark.parametrize("kind", ["amqtt", "mosquitto"])
def test_a_broker_that_restarts_loses_and_doubles_no_move(kind: str, tmp_path: Path) -> None:
    with (
        BrokerProcess(kind, tmp_path) as broker,
        Server("--mqtt", broker.url, "--option", "OwnBook=false") as server,
        bridge(server) as client,
    ):
        client.send("isready")
        assert client.line() == "readyok"
        for with_signal, pause in RESTARTS:
            client.send("go movetime 400")
            client.send("isready")
            client.until("readyok")
            broker.kill(with_signal)
            client.send("d", "isready")
            time.sleep(pause)
            broker.start()
            lines = client.until("readyok")
            if not any(line.startswith("bestmove ") for line in lines):
                lines += client.until("bestmove ")
            client.send("isready")
            lines += client.until("readyok")
            assert sum(line.startswith("bestmove ") for line in lines) == 1
            assert sum("Fen:" in line for line in lines) == 1
        client.send("quit")
        assert client.exit_status() == 0


def test_a_broker_that_hangs_for_a_while_loses_and_doubles_nothing(tmp_path: Path) -> None:
    with (
        BrokerProcess("mosquitto", tmp_path) as broker,
        Server("--mqtt", broker.url, "--option", "OwnBook=false") as server,
        bridge(server) as client,
    ):
        client.send("go movetime 100")
        client.until("info ")
        broker.tell(signal.SIGSTOP)
        client.send("d")
        time.sleep(2.2)
        client.send("isready")
        broker.tell(signal.SIGCONT)
        lines = client.until("readyok")
        if not any(line.startswith("bestmove ") for line in lines):
            lines += client.until("bestmove ")
        client.send("quit")
        lines += client.rest()
        assert sum(line.startswith("bestmove ") for line in lines) == 1
        assert sum("Fen:" in line for line in lines) == 1


def test_a_broker_with_passwords_and_tls(tmp_path: Path) -> None:
    require("mosquitto", "mosquitto_passwd", "openssl")
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=broker"
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{tmp_path}/key", "-out", f"{tmp_path}/cert"]
    subprocess.run(["openssl", *words.split(), *files], check=True, capture_output=True)
    subprocess.run(
        [str(program("mosquitto_passwd")), "-b", "-c", f"{tmp_path}/users", "me", "secret"],
        check=True,
        capture_output=True,
    )
    tmp_path.chmod(0o755)
    for name in ("key", "users"):
        (tmp_path / name).chmod(0o644)
    extra = (
        f"user root\nallow_anonymous false\npassword_file {tmp_path}/users\n"
        f"certfile {tmp_path}/cert\nkeyfile {tmp_path}/key\n"
    )
    (tmp_path / "right").write_text("secret\n")
    (tmp_path / "wrong").write_text("guess\n")
    with BrokerProcess("mosquitto", tmp_path, extra) as broker:
        url = f"mqtts://me@127.0.0.1:{broker.port}/den"
        trust = ["--ca", f"{tmp_path}/cert"]
        right = [*trust, "--password-file", f"{tmp_path}/right"]
        with Server("--mqtt", url, *right), Pipe(forked("connect", url, *right)) as client:
            client.send("isready", "quit")
            assert client.rest() == ["readyok"]
            for arguments in ([*trust, "--password-file", f"{tmp_path}/wrong"], right[2:], trust):
                with Pipe(forked("connect", url, *arguments)) as other:
                    assert other.exit_status() == 2
                    other._join()
                    assert other.errors().startswith(f"playout: mqtts://127.0.0.1:{broker.port}/den: ")
                    assert "\n" not in other.errors()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("serve --mqtt http://h", "expected mqtt://"),
        ("serve --mqtt mqtt://h.example", "needs mqtts:// and a user with a password"),
        ("serve --mqtt mqtts://me@h.example", "needs mqtts:// and a user with a password"),
        ("serve --mqtt mqtt://127.0.0.1:1", "refused"),
        ("serve --mqtt mqtt://127.0.0.1 --broker 127.0.0.1:1", "--broker is for the broker in this process"),
        ("serve --broker 0.0.0.0:1883", "is for this machine"),
        ("connect mqtt://h.example/x", "needs mqtts:// and a user with a password"),
    ],
)
def test_wrong_arguments_get_one_line(arguments: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments.split()]) == 2
    said = capsys.readouterr()
    assert reason in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert main(["serve", "--broker", f"127.0.0.1:{listener.getsockname()[1]}"]) == 2
    said = capsys.readouterr()
    assert "no broker can run there" in said.err
    assert said.err.count("\n") == 1


def test_no_broker_is_one_line() -> None:
    with Pipe(playout("connect", "mqtt://127.0.0.1:1/den")) as client:
        assert client.exit_status() == 2
        client._join()
        assert client.errors() == "playout: mqtt://127.0.0.1:1/den: connection refused"


def test_a_missing_package_is_one_line() -> None:
    program = (
        "import sys; sys.modules['aiomqtt'] = None; from playout.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    for words in (["serve", "--mqtt", "mqtt://127.0.0.1:1"], ["connect", "mqtt://127.0.0.1:1"]):
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "playout: MQTT needs the package aiomqtt: pip install 'playout[mqtt]'\n"
