"""Graphs on disk: from session to session, through kills and damage."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import playout
from playout.engine.options.config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.games import catalogue
from playout.games.errors import BadOption, GameError
from playout.games.tic_tac_toe import TicTacToe

from ...patience import PATIENCE


class PlainTicTacToe(TicTacToe):
    """Tic-tac-toe as a user writes it: no kernel."""

    kernel = None  # type: ignore[assignment]


def keeper(game: Any, path: Path, **options: Any) -> playout.Engine:
    """An engine that keeps its graph in a file."""
    return playout.Engine(game, hash=16, own_book=False, graph_file=path, **options)


@pytest.mark.parametrize("name", ["connect_four", "go:size=7", "hex:size=7", "chess", "backgammon"])
def test_what_was_learned_is_known_in_the_next_session(name: str, tmp_path: Path) -> None:
    path = tmp_path / "my graph"
    game = catalogue.load(name)
    moves = ("31",) if name == "backgammon" else ()
    visits = 0
    for _ in range(3):
        desk = keeper(game, path)
        desk.set_position(None, moves)
        result = desk.think(nodes=800)
        assert (result.simulations, result.visits) == (800, visits + 800)
        visits = result.visits
        desk.close()
    assert [file.name for file in tmp_path.iterdir()] == ["my graph"]


@pytest.mark.parametrize("option", ["Transpositions", "Symmetries"])
def test_graphs_without_merging_are_kept_too(option: str, tmp_path: Path) -> None:
    game = catalogue.load("go:size=5")
    for visits in (2000, 4000):
        desk = keeper(game, tmp_path / "graph", **{option.lower(): False})
        desk.play("c3")
        assert desk.think(nodes=2000).visits >= visits
        desk.close()
    desk = keeper(game, tmp_path / "graph")
    (remark,) = desk.think(nodes=2000).remarks
    assert f"{option.lower()}=false, this search has {option.lower()}=true" in remark


def test_a_plain_tree_belongs_to_its_start(tmp_path: Path) -> None:
    game = catalogue.load("chess")
    start = "7k/8/8/8/8/8/8/KQ6 w - - 0 1"
    for visits in (500, 1000):
        desk = keeper(game, tmp_path / "graph", transpositions=False, macros=False)
        desk.set_position(start, [])
        assert desk.think(nodes=500).visits == visits
        desk.close()
    desk = keeper(game, tmp_path / "graph", transpositions=False)
    assert desk.think(nodes=500).visits == 500


def test_a_new_game_keeps_the_graph(tmp_path: Path) -> None:
    desk = keeper(catalogue.load("connect_four"), tmp_path / "graph")
    desk.think(nodes=2000)
    desk.new_game()
    assert (tmp_path / "graph").exists()
    assert desk.think(nodes=2000).visits == 4000


@pytest.mark.parametrize("game", ["connect_four", "hex:5", PlainTicTacToe()])
def test_a_graph_in_memory_is_kept_if_the_option_says_so(game: Any) -> None:
    for keep, known in [(True, 600), (False, 0)]:
        with playout.Engine(game, hash=16, own_book=False, keep_graph=keep, solver=False) as engine:
            for _ in range(2):
                engine.new_game()
                visits = engine.think(nodes=600).visits
        assert visits == known + 600


def test_many_games_stay_within_the_bound_of_memory() -> None:
    with playout.Engine("hex:5", hash=1, own_book=False, keep_graph=True, seed=1) as engine:
        fullest = 0
        for _ in range(40):
            engine.new_game()
            while not engine.over:
                result = engine.think(nodes=60)
                fullest = max(fullest, result.hashfull)
                engine.play(result.move)
        assert 500 < fullest <= 1000


def test_nothing_is_written_where_nothing_was_learned(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    desk = keeper(catalogue.load("connect_four"), path)
    desk.new_game()
    desk.close()
    assert not path.exists()
    desk = keeper(catalogue.load("connect_four"), path)
    desk.think(nodes=2000)
    desk.close()
    before = path.stat().st_mtime_ns
    desk.close()
    keeper(catalogue.load("connect_four"), path).close()
    assert path.stat().st_mtime_ns == before


def test_a_file_that_does_not_fit_is_reported_once_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    desk = keeper(catalogue.load("connect_four"), path)
    desk.think(nodes=2000)
    desk.close()
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    for game, content, options, reason in [
        ("connect_four:columns=6", whole, {}, "a graph of connect_four:columns=7"),
        ("go", whole, {}, "a graph of connect_four"),
        ("connect_four", whole, {"seed": 5}, "made with seed=0, this search has seed=5"),
        ("connect_four", bytes(damaged), {}, "damaged: the checksum"),
        ("connect_four", whole[:-9], {}, "the file ends in the middle"),
    ]:
        path.write_bytes(content)
        desk = keeper(catalogue.load(game), path, **options)
        result = desk.think(nodes=2000)
        (remark,) = result.remarks
        assert result.move is not None and str(path) in remark and reason in remark
        assert desk.think(nodes=2000).remarks == ()
        desk.close()
        assert path.read_bytes() == content
        assert [file.name for file in tmp_path.iterdir()] == ["graph"]


def test_what_can_be_seen_at_once_is_refused_at_once(tmp_path: Path) -> None:
    session = Session(TicTacToe(), post=lambda _: None)
    (tmp_path / "text").write_text("a text, which is longer than the head of a graph")
    for path, reason in [(tmp_path / "text", "not a graph of playout"), (tmp_path / "none" / "graph", "no folder")]:
        with pytest.raises(BadOption, match=reason):
            session.set_option("GraphFile", str(path))
    assert session.options.text("GraphFile") == ""


GAMES = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Heaps:
    # Nim: takes from one heap; whoever takes the last man wins.
    heaps: tuple[int, ...] = (1, 3, 5)

    def initial_state(self):
        return self.heaps, 0

    def current_player(self, state):
        return state[1]

    def legal_actions(self, state):
        return [(heap, number) for heap, size in enumerate(state[0]) for number in range(1, size + 1)]

    def next_state(self, state, action):
        heap, number = action
        left = list(state[0])
        left[heap] -= number
        return tuple(left), 1 - state[1]

    def returns(self, state):
        if any(state[0]):
            return None
        return (-1.0, 1.0) if state[1] == 0 else (1.0, -1.0)

class Keyed(Heaps):
    name = "keyed"

    def key(self, state):
        return (*state, "a text, whose hash is another in each process")

@dataclass(frozen=True)
class Take:
    heap: int
    number: int

class Objects(Keyed):
    def legal_actions(self, state):
        return [Take(*action) for action in super().legal_actions(state)]

    def next_state(self, state, action):
        return super().next_state(state, (action.heap, action.number))

class Mark:
    pass

class Marked(Heaps):
    def key(self, state):
        return (*state, Mark())
"""
"""A user's module."""

LEARNING = """
import sys
import own, playout
name, path, nodes, *line = sys.argv[1:]
with playout.Engine(getattr(own, name)(), hash=16, own_book=False, graph_file=path, solver=False, seed=3) as engine:
    engine.set_position(None, line)
    result = engine.think(nodes=int(nodes))
    print(result.visits, *sorted((move.visits, move.move) for move in result.moves), *result.remarks, sep=";")
"""
"""Searches in a process of its own; prints the visits of the root and of its moves, and the remarks."""


def learn(folder: Path, name: str, nodes: int, *line: str) -> list[str]:
    (folder / "own.py").write_text(GAMES)
    command = [sys.executable, "-c", LEARNING, name, str(folder / "graph"), str(nodes), *line]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return done.stdout.strip().split(";")


def remarks(text: str, name: str, path: Path) -> tuple[str, ...]:
    """The remarks of a search in this process, by a user's module with this text."""
    with pytest.MonkeyPatch.context() as patch:
        own = ModuleType("own")
        patch.setitem(sys.modules, "own", own)
        exec(text, own.__dict__)
        with keeper(getattr(own, name)(), path, solver=False, seed=3) as engine:
            return engine.think(nodes=50).remarks


@pytest.mark.parametrize("name", ["Heaps", "Keyed"])
def test_the_graph_of_a_game_in_python_is_known_in_the_next_process(name: str, tmp_path: Path) -> None:
    visits, *before = learn(tmp_path, name, 500)
    assert visits == "500" and len(before) == 9
    visits, *after = learn(tmp_path, name, 1)
    assert visits == "501" and len(set(after) - set(before)) == 1


def test_actions_in_python_are_known_by_what_they_are(tmp_path: Path) -> None:
    """A process that begins elsewhere numbers the actions in another order."""
    visits, *before = learn(tmp_path, "Keyed", 500)
    learn(tmp_path, "Keyed", 1, "(2, 2)", "(1, 1)")
    after = learn(tmp_path, "Keyed", 1)
    assert (visits, after[0]) == ("500", "501") and len(set(after[1:]) - set(before)) == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [("Objects", "its action Take(heap=0, number=1) is not a number"), ("Marked", "is not made of numbers, texts")],
)
def test_a_game_in_python_whose_graph_means_nothing_elsewhere_says_so(name: str, reason: str, tmp_path: Path) -> None:
    (remark,) = remarks(GAMES, name, tmp_path / "graph")
    assert remark.startswith("GraphFile is not used: graphs of this game stay in memory: ") and reason in remark
    assert not (tmp_path / "graph").exists()


def test_a_graph_of_another_game_in_python_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    assert remarks(GAMES, "Keyed", path) == () and path.exists()
    (remark,) = remarks(GAMES, "Heaps", path)
    assert "a graph of python:keyed, not of python:heaps" in remark
    (remark,) = remarks(GAMES.replace("(1, 3, 5)", "(1, 3, 4, 5)"), "Keyed", path)
    assert "another version" in remark


def test_clearing_the_name_ends_the_keeping(tmp_path: Path) -> None:
    desk = keeper(catalogue.load("connect_four"), tmp_path / "graph")
    desk.set_option("GraphFile", "")
    desk.think(nodes=2000)
    desk.close()
    assert list(tmp_path.iterdir()) == []


SAVING = """
import resource, signal, sys
from playout.engine.options.config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
path, most = sys.argv[1], int(sys.argv[2])
searcher = Searcher(catalogue.load("connect_four"), SearchConfig(hash_mib=16))
searcher.set_position(None, [])
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
while True:
    searcher.prepare()
    searcher.run(nodes=8000)
    searcher.save(path)
    print("saved", flush=True)
    if most >= 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
"""
"""Saves a growing graph again and again. If the second argument is not negative, the system kills the process when it
writes more than that number of bytes to a file, from its second save on. Python ignores SIGXFSZ, so the program
restores the signal's default action."""


def saving(path: Path, most: int = -1) -> subprocess.Popen[str]:
    """A process that runs ``SAVING`` and has saved once."""
    process = subprocess.Popen([sys.executable, "-c", SAVING, str(path), str(most)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "saved\n"
    return process


def check_is_whole(path: Path) -> None:
    """Asserts that ``path`` holds a graph."""
    searcher = Searcher(catalogue.load("connect_four"), SearchConfig(hash_mib=16))
    searcher.load(path)
    searcher.set_position(None, [])
    searcher.prepare()
    assert searcher.run(nodes=1).info.visits > 8_000


@pytest.mark.opponents
@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_kill_while_saving_leaves_a_whole_file(share: float, tmp_path: Path) -> None:
    """The process dies at a byte of its second save, which is more than this share of the first one long."""
    path = tmp_path / "graph"
    searcher = Searcher(catalogue.load("connect_four"), SearchConfig(hash_mib=16))
    searcher.set_position(None, [])
    searcher.prepare()
    searcher.run(nodes=8000)
    searcher.save(path)
    most = int(share * path.stat().st_size)
    with saving(path, most) as process:
        assert process.wait(PATIENCE) == -signal.SIGXFSZ
    check_is_whole(path)
    (left,) = tmp_path.glob("*.saving")
    assert left.stat().st_size == most
    with pytest.raises(GameError):
        searcher.load(left)


@pytest.mark.opponents
def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    for more in range(3):
        with saving(path) as process:
            assert process.stdout is not None
            for _ in range(more):
                process.stdout.readline()
            process.kill()
        check_is_whole(path)
        for left in tmp_path.glob("*.saving"):
            with suppress(GameError):  # All of it has been written if the process died before it renamed the file.
                check_is_whole(left)
            left.unlink()
