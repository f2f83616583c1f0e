"""Tokens and TLS: who is let in."""

from __future__ import annotations

import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.cli.main import main
from playout.protocols.transport.handshake import Refused, authenticate, greet

from ...needs import require
from ...opponents.pipe import forked
from ...patience import PATIENCE
from .network import Client, Server, pair

pytestmark = pytest.mark.opponents

TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a token and a certificate for 127.0.0.1."""
    require("openssl")
    path = tmp_path_factory.mktemp("tls")
    (path / "token").write_text(f"{TOKEN}\nsecond line\n")
    (path / "wrong").write_text("another-token-of-length\n")
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=playout"
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(path / "key"), "-out", str(path / "cert")]
    subprocess.run(["openssl", *words.split(), *files], check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """A server that asks for both, with 0.0.0.0 as its address: it is allowed to."""
    arguments = ["--token-file", f"{folder}/token", "--tls-cert", f"{folder}/cert", "--tls-key", f"{folder}/key"]
    with Server("--listen", "0.0.0.0:0", *arguments) as server:
        yield server


def bridge(server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = forked("connect", f"127.0.0.1:{server.port}", *arguments)
    text = "isready\ngo nodes 3\n"
    return subprocess.run(words, input=text, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_the_bridge_shows_the_token_under_tls(server: Server, folder: Path) -> None:
    done = bridge(server, "--tls", "--ca", f"{folder}/cert", "--token-file", f"{folder}/token")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("readyok\n")
    assert "\nbestmove " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("--tls --ca {}/cert", "wrong token"),
        ("--tls --ca {}/cert --token-file {}/wrong", "wrong token"),
        ("--tls --token-file {}/token", "certificate verify failed"),
        ("--token-file {}/token", ""),
    ],
)
def test_who_lacks_something_gets_one_line(server: Server, folder: Path, arguments: str, reason: str) -> None:
    done = bridge(server, *arguments.format(folder, folder).split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"playout: 127.0.0.1:{server.port}: ")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_client_without_the_bridge_may_show_the_token_itself(server: Server, folder: Path) -> None:
    trusted = ssl.create_default_context(cafile=folder / "cert")
    with Client(server, tls=trusted) as client:
        client.send("auth nonsense-nonsense", f"auth {TOKEN}", "isready")
        assert [client.line(), client.line()] == ["error: wrong token", "readyok"]


def test_tls_carries_both_ways_at_once(server: Server, folder: Path) -> None:
    """OpenSSL allows no two calls at once: the reader and the sender would break the stream."""
    with Client(server, tls=ssl.create_default_context(cafile=folder / "cert")) as client:
        client.send(f"auth {TOKEN}", "setoption name OwnBook value false", "setoption name InfoInterval value 10")
        client.send("setoption name MultiPV value 20", "go infinite")
        for _ in range(300):
            client.send("isready", "x" * 3000)
        client.send("stop")
        lines = client.until("bestmove")
        assert lines.count("readyok") == 300


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("serve", "--listen HOST:PORT or --mqtt is needed"),
        ("serve --listen 7001", "expected HOST:PORT"),
        ("serve --listen ::1:70", "expected HOST:PORT"),
        ("serve --listen xyz=127.0.0.1:1", "no protocol 'xyz'"),
        ("serve --listen 127.0.0.1:0 --threads 0", "--threads: 0 is not greater than 0"),
        ("serve --listen 127.0.0.1:0 --memory 10", "less than 1 MiB for each"),
        ("serve --listen 127.0.0.1:0 --option Hsh=1", "no option 'Hsh'"),
        ("serve --listen 127.0.0.1:0 --tls-key nowhere", "--tls-key needs --tls-cert"),
        ("serve --listen 127.0.0.1:0 --tls-cert nowhere", "nowhere: "),
        ("serve --listen 127.0.0.1:0 --token-file nowhere", "nowhere: "),
        ("serve --listen 127.0.0.1:0 --insecure yes", "--insecure: the word is "),
        ("serve --listen 0.0.0.0:0", "other machines can reach 0.0.0.0:0: it needs --token-file, and --tls-cert"),
        ("serve --listen :0", "other machines can reach :0"),
        ("serve --listen [::]:0 --token-file x", "other machines can reach [::]:0"),
        ("serve --listen 127.0.0.1:0 --listen example.org:0", "other machines can reach example.org:0"),
        ("connect", "the following arguments are required"),
        ("connect localhost", "expected HOST:PORT"),
        ("connect :70", "expected HOST:PORT"),
        ("connect localhost:1 --ca x", "--ca needs --tls"),
        ("connect localhost:1 --token-file nowhere", "nowhere: "),
        ("connect localhost:1 --tls --ca nowhere", "nowhere: "),
        ("connect example.org:1 --token-file x", "the token would be sent in the clear"),
    ],
)
def test_wrong_arguments_get_one_line(arguments: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments.split()) == 2
    said = capsys.readouterr()
    assert reason in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_a_short_token_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "token").write_text("secret\n")
    assert main(["serve", "--listen", "127.0.0.1:0", "--token-file", f"{tmp_path}/token"]) == 2
    assert "at least 16 characters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "answers", "delays"),
    [
        (f"auth {TOKEN}\n", "", 0),
        (f"{TOKEN}\r\n", "", 0),
        (f"auth x\nauth y\nauth {TOKEN}\n", "error: wrong token\n" * 2, 2),
        (f"auth x\nauth y\nauth z\nauth {TOKEN}\n", None, 3),
        (f"auth {TOKEN}x\n", None, 1),
        (f"auth {TOKEN[:-1]}\n", None, 1),
        ("\0\n\u20ac\n\n", None, 3),
        ("", None, 0),
    ],
)
def test_three_tries_with_a_delay_after_each(said: str, answers: str | None, delays: int) -> None:
    served, client = pair()
    slept: list[float] = []
    client.sendall(said.encode())
    client.shutdown(socket.SHUT_WR)
    try:
        if answers is None:
            with pytest.raises(Refused):
                authenticate(served, TOKEN, slept.append)
        else:
            authenticate(served, TOKEN, slept.append)
            served.close()
            assert client.recv(1000).decode() == answers
    finally:
        served.close()
        client.close()
        served.join(PATIENCE)
    assert len(slept) == delays


def test_a_first_line_that_is_no_greeting_is_the_protocols() -> None:
    served, client = pair()
    client.sendall(b"isready\n\x04\nuci\nun")
    first = served.next_line(PATIENCE)
    assert first is not None
    greet(served, first)
    client.close()
    lines = served.read()
    assert [next(lines).text for _ in range(3)] == ["isready", "\x04", "uci"]
    with pytest.raises(ConnectionAbortedError):
        next(lines)
    served.close()
    served.join(PATIENCE)


def test_a_bridge_is_answered_and_may_say_that_it_has_no_more() -> None:
    served, client = pair()
    client.sendall(b"playout-connect\nisready\n\x04\nuci\n")
    first = served.next_line(PATIENCE)
    assert first is not None
    greet(served, first)
    assert [line.text for line in served.read()] == ["isready"]
    served.write(["readyok"])
    served.close()
    client.settimeout(PATIENCE)
    assert client.recv(100) + client.recv(100) == b"ready\nreadyok\n"
    client.close()
    served.join(PATIENCE)
