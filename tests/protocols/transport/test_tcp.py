"""TCP, with a server that is a process of its own: what clients do to it, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from chess import Board, engine

from ...opponents.pipe import forked, playout
from ...patience import PATIENCE, eventually
from .network import Client, Server, pair

pytestmark = pytest.mark.opponents


@pytest.fixture(scope="module")
def chess() -> Iterator[Server]:
    """A server for chess that most tests share."""
    with Server("--listen", "127.0.0.1:0", "--option", "OwnBook=false", "--memory", "1600") as server:
        yield server


@pytest.fixture(scope="module")
def go() -> Iterator[Server]:
    """A server for Go that most tests share."""
    with Server(
        "--listen", "gtp=127.0.0.1:0", "--game", "go:5", "--memory", "1600", "--option", "MoveTime=50"
    ) as server:
        yield server


def connect(server: Server, *arguments: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(forked("connect", server.address, *arguments), stdin=pipe, stdout=pipe, stderr=pipe)


def ends(process: subprocess.Popen[bytes], data: bytes = b"") -> tuple[int, str, str]:
    """The exit status of a process whose input is ``data``, what it writes, and what it complains of."""
    output, errors = process.communicate(data, timeout=PATIENCE)
    return process.returncode, output.decode(), errors.decode()


def test_each_connection_is_a_session(chess: Server) -> None:
    with Client(chess) as one, Client(chess) as two:
        one.send("position startpos moves e2e4 e7e5", "d", "isready")
        two.send("d", "isready")
        assert any("4p3/4P3" in line for line in one.until("readyok"))
        assert not any("4p3" in line for line in two.until("readyok"))
        one.send("quit")
        assert one.rest() == []
        two.send("go nodes 20")
        assert two.until("bestmove")[-2].startswith("info depth")


def test_a_bridge_passes_on_what_it_is_given(go: Server) -> None:
    status, output, errors = ends(connect(go), b"1 name\r\n2 nonsense\n3 genmove b\n4 genmove w\n5 protocol_version")
    assert (status, errors) == (0, "")
    lines = [line for line in output.splitlines() if line]
    assert [line.split()[0] for line in lines] == ["=1", "?2", "=3", "=4", "=5"]


def test_a_real_client_plays_by_way_of_the_bridge(chess: Server) -> None:
    with engine.SimpleEngine.popen_uci(playout("connect", chess.address), timeout=PATIENCE) as client:
        client.configure({"Hash": 8})
        board = Board()
        for _ in range(2):
            move = client.play(board, engine.Limit(nodes=50)).move
            assert move is not None
            board.push(move)
        assert client.analyse(board, engine.Limit(time=0.1))["pv"][0] in board.legal_moves


def test_a_bridge_ends_with_the_session(chess: Server) -> None:
    process = connect(chess)
    assert process.stdin is not None
    process.stdin.write(b"isready\nquit\n")
    process.stdin.flush()
    assert process.wait(PATIENCE) == 0
    assert ends(process) == (0, "readyok\n", "")


def test_no_server_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        playout("connect", "127.0.0.1:1"), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "playout: 127.0.0.1:1: connection refused\n"


@pytest.mark.parametrize("broken", ["closed", "reset", "bridge"])
@pytest.mark.parametrize("words", ["go infinite", "go ponder", "go movetime 900000"])
def test_a_lost_client_stops_its_search(chess: Server, broken: str, words: str) -> None:
    assert eventually(chess.rests)
    if broken == "bridge":
        process = connect(chess)
        assert process.stdin is not None
        process.stdin.write(f"{words}\n".encode())
        process.stdin.flush()
        assert eventually(chess.searches)
        process.kill()
        ends(process)
    else:
        client = Client(chess)
        client.send(words)
        assert eventually(chess.searches)
        if broken == "reset":
            client.reset()
        else:
            client.socket.close()
    assert eventually(chess.rests)


def test_a_lost_client_of_gtp_stops_its_search_and_what_waits(go: Server) -> None:
    assert eventually(go.rests)
    with Client(go) as client:
        client.send("time_settings 100000 0 0", *["genmove b"] * 50, "1 name")
        assert eventually(go.searches)
    assert eventually(go.rests)


def test_an_interface_that_dies_stops_the_search_behind_the_bridge(go: Server) -> None:
    """Its pipes are closed, and nothing else tells."""
    assert eventually(go.rests)
    process = connect(go)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"time_settings 100000 0 0\ngenmove b\ngenmove w\n")
    process.stdin.flush()
    assert eventually(go.searches)
    process.stdout.close()
    process.stdin.close()
    assert eventually(go.rests)
    process.wait(PATIENCE)
    process.stderr.close()


def test_a_slow_reader_loses_reports_but_no_move(chess: Server) -> None:
    with Client(chess, receive_buffer=4096) as client:
        client.send("setoption name InfoInterval value 10", "setoption name MultiPV value 200", "go movetime 300")
        time.sleep(0.4)  # so that reports pile up; that none does is no failure
        lines = client.until("bestmove ")
        client.send("isready")
        assert client.until("readyok") == ["readyok"]
    assert {line.split()[1] for line in lines[:-1]} <= {"depth", "currmove"}, "no line was cut"


def test_what_a_slow_reader_loses_is_reports() -> None:
    """As above, with more reports than a system keeps."""
    served, client = pair()
    for number in range(1500):
        served.write([f"info {number} {'x' * 900}"] * 3, droppable=True)
        if number % 100 == 0:
            served.write([f"readyok {number}"])
    served.write(["bestmove e2e4"])
    served.close()
    with client.makefile() as file:
        lines = file.read().splitlines()
    client.close()
    served.join(PATIENCE)
    assert [line for line in lines if not line.startswith("info ")] == [
        *(f"readyok {number}" for number in range(0, 1500, 100)),
        "bestmove e2e4",
    ]
    assert len(lines) < 1500
    assert lines[-2].startswith("info 1499 "), "the latest of them comes"


def test_a_reader_that_does_not_read_replies_holds_up_only_itself(chess: Server) -> None:
    with Client(chess, receive_buffer=4096) as greedy, Client(chess) as other:
        greedy.socket.settimeout(0.15)
        with pytest.raises(TimeoutError):
            greedy.send(b"uci\n" * 10_000_000)
        other.send("isready")
        assert other.line() == "readyok"
    assert eventually(chess.rests)


def test_long_lines_and_garbage_are_refused_and_the_session_lives(chess: Server) -> None:
    noise = bytes(range(256)) * 40
    with Client(chess) as client:
        client.send(b"x" * 70_000 + b"\n", noise + b"\n", b"\xff\xfe\n", "isready")
        lines = client.until("readyok")
    assert lines[0].startswith("info string line too long: xxx")
    assert all(line.startswith("info string unknown command: ") for line in lines[1:-1])
    game = " ".join(["g1f3", "g8f6", "f3g1", "f6g8"] * 50)
    with Client(chess) as client:
        client.send(f"position startpos moves {game}", "isready")
        assert client.until("readyok") == ["readyok"]


def test_clients_may_not_touch_files_or_take_more_than_their_share(chess: Server, go: Server, tmp_path: Path) -> None:
    with Client(chess) as client:
        client.send("uci")
        said = client.until("uciok")
        assert not any(name in line for line in said for name in ("File", "Path", "BookLearn"))
        assert "option name Hash type spin default 16 min 1 max 16" in said
        assert "option name Threads type spin default 1 min 1 max 1" in said
        for name in ("SyzygyPath", "BookFile", "EvalFile", "GraphFile", "MacroFile", "booklearn"):
            client.send(f"setoption name {name} value {tmp_path}/x")
            assert client.line().endswith(" is not for users on the network")
        client.send("setoption name Hash value 60000", "setoption name Threads value 200", "go nodes 20", "isready")
        assert client.until("bestmove")
    with Client(go) as client:
        client.send(f"printsgf {tmp_path}/x", "loadsgf /etc/hostname", "playout-set_option Hash 999")
        client.send("playout-get_option Hash")
        assert [client.line() for _ in range(8)][::2] == ["? cannot write file", "? cannot load file", "= ", "= 16"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("look_ahead", [0, 70])
def test_a_search_ends_at_the_servers_bound(look_ahead: int) -> None:
    words = f"--listen 127.0.0.1:0 --move-time 0.2 --option OwnBook=false --option LookAhead={look_ahead}"
    with Server(*words.split()) as server, Client(server) as client:
        client.send("go movetime 900000")
        assert client.until("bestmove")
        client.send("go infinite")
        client.line()

        def pauses() -> bool:
            before = server.used()
            time.sleep(0.1)
            return server.used() == before

        assert eventually(pauses)
        client.send("isready", "stop")
        assert [line.split()[0] for line in client.until("bestmove") if "info" not in line] == [
            "readyok",
            "bestmove",
        ]


def test_too_many_sessions_are_told_so() -> None:
    words = "--listen 127.0.0.1:0 --sessions 3 --sessions-per-address 2"
    with Server(*words.split()) as server, Client(server) as one, Client(server) as two:
        one.send("isready")
        two.send("isready")
        assert one.line() == two.line() == "readyok"
        with Client(server) as three:
            assert three.rest() == ["error: too many sessions from one address: 2"]
        said = "playout: " + server.address + ": too many sessions from one address: 2\n"
        assert ends(connect(server), b"isready\n") == (2, "", said)
        two.send("quit")
        two.rest()

        def has_room() -> bool:
            with Client(server) as four:
                four.send("isready")
                return four.line() == "readyok"

        assert eventually(has_room)


def test_who_says_nothing_is_sent_away() -> None:
    with Server("--listen", "127.0.0.1:0", "--idle", "0.3") as server:
        with Client(server) as client:
            assert client.rest() == []
        with Client(server) as client:
            client.send("isready")
            *answered, last = client.rest()
            # On a loaded machine the server may have waited long enough before the line was sent.
            assert (answered, last) in (
                (["readyok"], "info string idle for 0.3 s: the session ends"),
                ([], "info string idle for 0.3 s: the session ends"),
            )


def test_connections_that_come_and_go_leave_nothing_behind(chess: Server) -> None:
    for number in range(12):
        with Client(chess) as client:
            if number % 3:
                client.send("isready")
                assert client.line() == "readyok"
            if number % 5 == 0:
                client.send("go infinite")
    assert eventually(chess.rests)


def test_searches_under_way_report_their_move_when_the_server_ends() -> None:
    with Server("--listen", "uci=127.0.0.1:0", "--listen", "gtp=127.0.0.1:0", places=2) as server:
        with (
            Client(server) as searching,
            Client(server) as pondering,
            Client(server) as idle,
            Client(server) as silent,
        ):
            searching.send("setoption name OwnBook value false", "go movetime 900000")
            pondering.send("setoption name OwnBook value false", "go ponder")
            idle.send("isready")
            idle.line()
            searching.line()
            pondering.line()
            server.process.send_signal(signal.SIGTERM)
            assert searching.rest()[-1].startswith("bestmove ")
            assert pondering.rest()[-1].startswith("bestmove ")
            assert idle.rest() == silent.rest() == []
        assert server.process.wait(PATIENCE) == 0
        with pytest.raises(ConnectionRefusedError):
            Client(server)


def test_a_bridge_says_that_the_server_died(chess: Server) -> None:
    with Server("--listen", "127.0.0.1:0") as server:
        process = connect(server)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"readyok\n"
        server.process.kill()
        process.wait(PATIENCE)
        status, output, errors = ends(process)
    assert (status, output) == (1, "")
    assert errors.startswith(f"playout: {server.address}: the session was broken off: ")
    assert errors.count("\n") == 1
