"""The command ``playout enter``: its arguments, and the program as a user starts and stops it."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.cli.arena.enter import address_of, engine_player
from playout.cli.main import main
from playout.games.errors import PlayoutError
from playout.protocols.transport.address import Address

from ...opponents.pipe import playout
from ...patience import PATIENCE
from .server import Server

SECRET = "open-sesame"
CLOSED = "cgos://127.0.0.1:1"


@pytest.fixture
def password(tmp_path: Path) -> Path:
    """A file with a password."""
    path = tmp_path / "password"
    path.write_text(f"{SECRET}\nand a remark\n")
    return path


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("cgos://go.example.org:6867", Address("go.example.org", 6867)),
        ("CGOS://127.0.0.1:6867/", Address("127.0.0.1", 6867)),
        ("cgos://[::1]:6867", Address("::1", 6867)),
    ],
)
def test_an_address_has_host_and_port(url: str, address: Address) -> None:
    assert address_of(url) == address


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("go.example.org:6867", "cgos://HOST:PORT or mqtt"),
        ("kgs://go.example.org:6867", "cgos://HOST:PORT or mqtt"),
        ("cgos://go.example.org", "expected HOST:PORT"),
        ("cgos://:6867", "a host and a port expected"),
        ("cgos://go.example.org:0", "a host and a port expected"),
        ("", "cgos://HOST:PORT or mqtt"),
    ],
)
def test_an_address_that_is_none_is_told(url: str, said: str) -> None:
    with pytest.raises(PlayoutError, match=said):
        address_of(url)


def test_an_engine_is_playout_itself_or_a_gtp_engine() -> None:
    own = engine_player("playout Threads=2", ["Hash=64", "Threads=4"])
    assert (own.protocol, own.command, own.options) == ("inside", (), {"Threads": "4", "Hash": "64"})
    other = engine_player("pachi -t 10", [])
    assert (other.protocol, other.command) == ("gtp", ("pachi", "-t", "10"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--name NAME expected"),
        (["--name", "bot"], "--password-file FILE expected"),
        (["--name", "9bot", "--password-file", "{}"], "3 to 18 letters"),
        (["--name", "bot", "--password-file", "/nowhere"], "/nowhere: No such file"),
        (["--name", "bot", "--password-file", "/dev/null"], "the first line is not a password"),
        (["--name", "bot", "--password-file", "{}"], "127.0.0.1:1: connection refused"),
        (["--name", "bot", "--password-file", "{}", "--option", "Threads"], "expected NAME=VALUE"),
        (["--name", "bot", "--password-file", "{}", "--option", "Sped=1"], "no option 'Sped'"),
        (["--name", "bot", "--password-file", "{}", "--engine", "no-such-program"], "no-such-program: no such program"),
        (["--name", "bot", "--password-file", "{}", "--games", "0"], "--games"),
        (["--name", "bot", "--password-file", "{}", "--lag", "-1"], "--lag"),
        (["--password", "secret"], "--password"),
    ],
)
def test_a_wrong_argument_gets_one_line(
    words: list[str], said: str, password: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["enter", CLOSED, *(word.format(password) for word in words)])
    done = capsys.readouterr()
    assert (status, done.out) == (2, "")
    [line] = [line for line in done.err.splitlines() if line.startswith("playout: ")]
    assert said in line


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with one user."""
    with Server({"bot": SECRET}) as made:
        yield made


class Program:
    """``playout enter`` as a program of its own. A context manager: leaving it ends the program."""

    def __init__(self, server: Server, password: Path, *words: str) -> None:
        given = ["--name", "bot", "--password-file", str(password), *words]
        self.process = subprocess.Popen(
            playout("enter", f"cgos://127.0.0.1:{server.port}", *given),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def ended(self) -> tuple[int, str, str]:
        """Waits for the end: status, standard output and standard error."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@pytest.mark.opponents
def test_a_stay_of_one_game(server: Server, password: Path) -> None:
    with Program(server, password, "--games", "1", "--option", "MaxNodes=20") as program:
        login = server.admit()
        assert login is not None
        table = server.start("bot", "house")
        assert server.hear(table) is not None
        server.play(table, "resign")
        assert login.line() == "quit"
        assert login.line() is None
        status, out, err = program.ended()
    assert (status, out) == (
        0,
        "game 1: go:5,komi=7, bot(1723) (Black) against house(1500?) (White): B+Resign, won\n",
    )
    assert "connecting to 127.0.0.1" in err
    assert SECRET not in err


@pytest.mark.opponents
def test_the_first_signal_waits_for_the_end_of_the_game(server: Server, password: Path) -> None:
    with Program(server, password, "--option", "MaxNodes=20") as program:
        login = server.admit()
        assert login is not None
        table = server.start("bot", "house")
        assert server.hear(table) is not None
        program.process.send_signal(signal.SIGTERM)
        assert program.process.stderr is not None
        while "leaving at the end of the game" not in program.process.stderr.readline():
            pass
        server.play(table, "A1")
        assert server.hear(table) is not None
        server.play(table, "resign")
        assert login.line() == "quit"
        assert login.line() is None
        status, out, _ = program.ended()
    assert status == 130
    assert out.endswith("B+Resign, won\n")


@pytest.mark.opponents
def test_the_second_signal_leaves_at_once(server: Server, password: Path) -> None:
    with Program(server, password, "--option", "AdaptiveTime=false") as program:
        login = server.admit()
        assert login is not None
        server.start("bot", "house", size=7, milliseconds=10**12)
        process = program.process
        assert process.stderr is not None
        while "game 1: " not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        while "leaving at the end of the game" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        assert login.line() is None
        status, out, err = program.ended()
    assert (status, out) == (130, "")
    assert "Traceback" not in err
