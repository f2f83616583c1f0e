"""``--log-file`` of engines, servers and matches, and the option Debug Log File."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from ..needs import FULL_DISK, needs
from ..opponents.pipe import Pipe, forked, playout
from ..patience import PATIENCE, eventually
from ..protocols.transport.network import Client, Server

pytestmark = pytest.mark.opponents

TIME = r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} "


def logged(file: Path) -> list[str]:
    """The entries of a log file without their times."""
    text = file.read_text()
    assert len(re.findall(TIME, text)) == text.count("\n")
    return re.sub(TIME, "", text).splitlines()


@pytest.mark.parametrize(
    ("protocol", "sent"),
    [
        ("uci", ["uci", "position startpos moves e2e4", "go nodes 1", "quit"]),
        ("gtp", ["name", "", "genmove b", "quit"]),
        ("xboard", ["xboard", "protover 2", "quit"]),
        ("analysis", ['{"id": "1", "moves": [], "maxVisits": 1}']),
    ],
)
def test_an_engine_logs_what_it_reads_and_writes(protocol: str, sent: list[str], tmp_path: Path) -> None:
    file = tmp_path / "engine.log"
    command = forked(protocol, "--log-file", str(file))
    run = subprocess.run(
        command, input="\n".join(sent) + "\n", capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    lines = logged(file)
    assert [line.removeprefix(">> ") for line in lines if line.startswith(">>")] == sent
    assert [line[3:] for line in lines if line.startswith("<<")] == run.stdout.splitlines()


def test_the_option_begins_and_ends_a_log(tmp_path: Path) -> None:
    file = tmp_path / "engine.log"
    with Pipe(forked("uci")) as engine:
        engine.send("isready", f"setoption name Debug Log File value {tmp_path}", "isready")
        assert engine.until("readyok") == ["readyok"]
        assert engine.line() == f"info string option Debug Log File: {tmp_path}: Is a directory"
        engine.until("readyok")
        for value, move in ((file, "e2e4"), ("<empty>", "d2d4")):
            engine.send(f"setoption name Debug Log File value {value}", "isready")
            engine.until("readyok")
            engine.send(f"position startpos moves {move}", "isready")
            engine.until("readyok")
    lines = logged(file)
    assert ">> position startpos moves e2e4" in lines
    assert "<< readyok" in lines
    assert ">> position startpos moves d2d4" not in lines


@pytest.mark.parametrize(
    "words",
    [
        ["uci"],
        ["xboard"],
        ["serve", "--listen", "127.0.0.1:0"],
        ["web", "--port", "0"],
        ["match", "playout", "playout", "--game", "tic_tac_toe"],
        ["arena", "work", "--broker", "mqtt://127.0.0.1:1"],
    ],
)
def test_a_file_that_cannot_be_opened_is_told_before_the_start(words: list[str], tmp_path: Path) -> None:
    command = forked(*words, "--log-file", str(tmp_path))
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"playout: {tmp_path}: Is a directory\n")


@FULL_DISK
def test_a_full_disk_does_not_stop_an_engine() -> None:
    with Pipe(forked("uci", "--log-file", "/dev/full")) as engine:
        engine.send("go nodes 10")
        engine.until("bestmove")
        engine.send("quit")
        assert engine.exit_status() == 0
    assert engine.errors().count("/dev/full: No space left on device: entries of the log are lost") == 1


def test_a_server_logs_the_lines_of_each_session(tmp_path: Path) -> None:
    file = tmp_path / "server.log"
    with Server("--listen", "127.0.0.1:0", "--log-file", str(file)) as server, Client(server) as one:
        one.send("isready")
        one.until("readyok")
        with Client(server) as other:
            other.send("quit")
            other.rest()
        one.send("quit")
        one.rest()
        assert eventually(lambda: file.read_text().count("session ended") == 2)
        lines = logged(file)
    assert "uci-1 127.0.0.1 >> isready" in lines
    assert "uci-1 127.0.0.1 << readyok" in lines
    assert "uci-2 127.0.0.1 >> quit" in lines
    assert "INFO uci-2 127.0.0.1 playout.protocols.transport.tcp_server: session opened" in lines
    assert "session opened" in server.errors()


@needs("starlette", "uvicorn", "websockets")
def test_the_page_logs_who_comes_and_goes(tmp_path: Path) -> None:
    from websockets.sync.client import connect

    file = tmp_path / "web.log"
    with Pipe(playout("web", "--game", "tic_tac_toe", "--port", "0", "--log-file", str(file))) as server:
        place = server.line().split("//")[1].split("/")[0]
        with connect(f"ws://{place}/live", origin=f"http://{place}") as page:  # type: ignore[arg-type]
            page.send('{"t": "sit"}')
            page.recv(PATIENCE)
        assert eventually(lambda: "a page has gone" in file.read_text())
        server.interrupt(signal.SIGTERM)
        server.exit_status()
    assert [line.rpartition(": ")[0] for line in logged(file)] == [
        "INFO MainThread playout.web.app: a page has come",
        "INFO MainThread playout.web.app: a page has gone",
    ]


def test_a_match_logs_its_games(tmp_path: Path) -> None:
    file = tmp_path / "match.log"
    words = ["match", "playout", "playout", "--game", "tic_tac_toe", "--nodes", "20", "--games", "2"]
    subprocess.run(playout(*words, "--log-file", str(file)), capture_output=True, check=True, timeout=PATIENCE)
    games = [
        line for line in logged(file) if ": playout - playout (2): " in line or ": playout (2) - playout: " in line
    ]
    assert len(games) == 2
    assert all(re.search(r"result (-?\d|0)", game) for game in games)
