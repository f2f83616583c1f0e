"""A server of a user's game: each session's engine is a process of its own, whose misbehaviour is its own client's."""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest

from playout.cli.main import main
from playout.cli.network.own_process import Relay

from ...patience import PATIENCE, eventually
from .network import Client, Server

pytestmark = pytest.mark.opponents

GAMES = """
import os

class Nim:
    '''Takes 1 or 2 of 9; who takes the last one wins.'''

    def initial_state(self):
        return (9, 0)

    def current_player(self, state):
        return state[1]

    def legal_actions(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def next_state(self, state, action):
        return (state[0] - action, 1 - state[1])

    def returns(self, state):
        if state[0]:
            return None
        return (1.0, -1.0) if state[1] else (-1.0, 1.0)

class Trap(Nim):
    '''A game with moves that must not be played.'''

    def next_state(self, state, action):
        if state[0] == 9 and action == 2:
            while True:
                pass
        if state[0] == 8 and action == 2:
            os._exit(7)
        return super().next_state(state, action)
"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.py"
    path.write_text(GAMES)
    return path


def serving(game: str, *arguments: str) -> Server:
    return Server("--listen", "127.0.0.1:0", "--game", game, "--option", "Hash=16", *arguments)


def children(server: Server) -> int:
    """Number of processes that the server has."""
    found = 0
    for path in Path(f"/proc/{server.process.pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended meanwhile
            found += len(path.read_text().split())
    return found


def test_a_session_is_an_engine_of_its_own(games: Path) -> None:
    with serving(f"{games}:Nim") as server:
        with Client(server) as one, Client(server) as two:
            one.send("position startpos moves 2 2", "go nodes 100")
            two.send("position startpos moves 1", "go nodes 100")
            assert one.until("bestmove")[-1].startswith("bestmove 2")
            assert two.until("bestmove")[-1].startswith("bestmove 2")
            assert children(server) == 2
            one.send("go infinite", "quit")
            assert one.rest()[-1].startswith("bestmove")
        assert eventually(lambda: children(server) == 0)
        assert server.terminate() == 0


def test_a_client_has_the_rights_of_a_stranger(games: Path) -> None:
    with serving(f"{games}:Nim", "--line", "100") as server, Client(server) as client:
        client.send("uci")
        options = client.until("uciok")
        assert not any("name BookFile " in line for line in options)
        client.send("position startpos moves" + " 1" * 100, "isready")
        assert client.until("readyok")[0].startswith("error: line too long")


def test_what_a_game_does_concerns_its_own_client(games: Path) -> None:
    with serving(f"{games}:Trap") as server, Client(server) as bystander:
        bystander.send("isready")
        bystander.until("readyok")
        with Client(server) as looping, Client(server) as crashing:
            looping.send("position startpos moves 2", "isready")
            crashing.send("position startpos moves 1 2", "isready")
            assert crashing.rest() == ["error: the engine ended with status 7"]
            bystander.send("position startpos moves 1 1", "go nodes 200")
            assert bystander.until("bestmove")[-1].startswith("bestmove 1")
            looping.send("stop")
            assert looping.until("readyok")
        assert eventually(lambda: children(server) == 1)
        assert server.terminate() == 0
        assert bystander.rest() == []


def test_a_server_ends_although_a_game_loops(games: Path) -> None:
    with serving(f"{games}:Trap") as server, Client(server) as client:
        client.send("position startpos moves 2")
        assert eventually(lambda: children(server) == 1)
        assert server.terminate() == 0
        assert client.rest() == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--game", "nowhere.py:Nim"], "playout: no file 'nowhere.py'"),
        (["--game", "GAMES:Nim", "--option", "Hash=much"], "playout: option Hash: 'much' is not a whole number from 1"),
        (["--game", "GAMES:Nam"], "no class 'Nam'; it has Nim, Trap"),
        (["--game", "nowhere"], "playout: no game 'nowhere'"),
    ],
)
def test_what_is_wrong_is_said_before_a_client_comes(
    arguments: list[str], complaint: str, games: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = [word.replace("GAMES", str(games)) for word in arguments]
    assert main(["serve", "--listen", "127.0.0.1:0", *words]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert complaint in said.err and len(said.err.splitlines()) == 1


def test_what_is_queued_is_done_after_the_end_of_the_input() -> None:
    engine = "import sys; [print(line.strip().upper(), flush=True) for line in sys.stdin]"
    said: queue.SimpleQueue[Callable[[], Sequence[str]]] = queue.SimpleQueue()
    with closing(Relay([sys.executable, "-c", engine], said.put)) as relay:
        for line in ("one", "two"):
            relay.handle_line(line, 0.0)
        relay.handle_eof()
        lines: list[str] = []
        while not relay.closed:
            lines += said.get(timeout=PATIENCE)()
        assert lines == ["ONE", "TWO"] and not relay.busy
