"""Self-play on a Ray cluster of two workers on this machine: the games are those of one process, whoever is killed."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playout.engine.learning.cluster import generate
from playout.engine.learning.cluster.connection import library
from playout.engine.learning.cluster.generate import Workers
from playout.engine.learning.data.joined import JoinedFile, folder_of_chunks
from playout.engine.learning.training import stages
from playout.engine.learning.training.log import Row
from playout.engine.learning.training.run import Generate, Run, begun, learn
from playout.engine.learning.training.settings import Settings
from playout.engine.learning.training.watch import Silent
from playout.engine.learning.training.workshop import open_workshop
from playout.games import catalogue
from playout.games.errors import PlayoutError
from tests.needs import needs
from tests.patience import PATIENCE, eventually

from .test_chunks import contents

pytestmark = [needs("ray"), pytest.mark.opponents, pytest.mark.long]

FEW = Settings(games=24, simulations=20, random_plies=1, hidden=(8,), gate_pairs=4, rating_pairs=2, opening_plies=1)
WORDS = ["--games", "24", "--simulations", "20", "--hidden", "8", "--gate-pairs", "4", "--opening-plies", "1"]
ROW = Path(__file__).parent.parent.parent / "users" / "learnable.py"
MORE = '''

import itertools, os, pathlib, signal, time

HERE = pathlib.Path(__file__).parent


def number():
    """The number of this loading of the file. The driver loads it, and each chunk once."""
    for number in itertools.count():
        try:
            with (HERE / f"loaded-{number}").open("x") as file:
                file.write(str(os.getpid()))
            return number
        except FileExistsError:
            pass


NUMBER, CALLS = number(), itertools.count()


class Killed(Row):
    """The second chunk is killed in the midst of its games."""

    killers = (2,)

    def next_state(self, state, action):
        if NUMBER in self.killers and next(CALLS) == 100:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().next_state(state, action)


class Deadly(Killed):
    """Every chunk is killed."""

    killers = range(1, 100)


class Held(Row):
    """Chunks from the third on wait for a file."""

    def initial_state(self):
        while NUMBER > 2 and not (HERE / "go").exists():
            time.sleep(0.01)
        return super().initial_state()
'''


class Noted(Silent):
    """Keeps the lines that are said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two workers, with which this process is connected."""
    ray = library()
    ray.init(
        "local",
        num_cpus=2,
        object_store_memory=80 << 20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
    )
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


@pytest.fixture
def game(tmp_path: Path) -> str:
    """The path of a file with games that get into trouble."""
    path = tmp_path / "trouble.py"
    path.write_text(ROW.read_text() + MORE)
    return str(path)


def loadings(game: str) -> list[Path]:
    return list(Path(game).parent.glob("loaded-*"))


def finished(game: str, folder: Path, players: Generate) -> list[Row]:
    """Two generations, without what was measured."""
    run = Run(catalogue.load(game), folder, FEW, "a command", Silent(), players)
    learn(run, generations=2, minutes=None, on_row=lambda state, row: None)
    return [replace(row, seconds=0.0, games_a_second=0.0) for row in run.state.rows]


def played(game: str, path: Path, chunk: int, watch: Silent) -> list[tuple[Any, ...]]:
    made = catalogue.load(game)
    assert Workers(game, chunk).generate(open_workshop(made), made, FEW, path, None, 5, watch) == FEW.games
    assert not folder_of_chunks(path).exists()
    return contents(path)


def played_here(folder: Path) -> list[tuple[Any, ...]]:
    """The games of ``Row`` without a cluster."""
    made, path = catalogue.load(f"{ROW}:Row"), folder / "here"
    stages.generate(open_workshop(made), made, FEW, path, None, 5, Silent())
    return contents(path)


@contextmanager
def driver(game: str, folder: Path, address: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own, which does not outlive a test that fails."""
    words = ["learn", game, "--out", str(folder), "--generations", "1", "--ray", address, *WORDS]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
    try:
        process = subprocess.Popen([sys.executable, "-m", "playout", *words], stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def has_games(folder: Path) -> bool:
    """Whether a chunk has been delivered, be it one that waits for its turn."""
    path = folder / "records" / "00001.records"
    try:
        return any(folder_of_chunks(path).glob("*.records")) or JoinedFile(path).games > 0
    except PlayoutError:
        return False  # the file is not there, or not whole at the moment


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_run_is_that_of_one_process(cluster: str, tmp_path: Path) -> None:
    alone = finished("tic_tac_toe", tmp_path / "alone", stages.generate)
    assert finished("tic_tac_toe", tmp_path / "shared", Workers("tic_tac_toe", 5).generate) == alone
    for name in "00001.records", "00002.records":
        one, other = (contents(tmp_path / folder / "records" / name) for folder in ("alone", "shared"))
        assert one == other and len(one) == FEW.games


def test_a_lost_worker_is_replaced_and_no_game_counts_twice(cluster: str, game: str, tmp_path: Path) -> None:
    watch = Noted()
    assert played(f"{game}:Killed", tmp_path / "r", 8, watch) == played_here(tmp_path)
    (line,) = watch.lines
    assert line.endswith(": the worker was lost; another one plays them")
    assert len(loadings(game)) == 5  # the driver's, three chunks, and the one that was played again


@pytest.mark.slow
def test_a_chunk_that_kills_every_worker_ends_the_run(cluster: str, game: str, tmp_path: Path) -> None:
    watch = Noted()
    with pytest.raises(PlayoutError, match=r"^games 1 to 24: 3 workers were lost: "):
        played(f"{game}:Deadly", tmp_path / "r", 24, watch)
    assert len(watch.lines) == 2


@pytest.mark.slow
def test_a_driver_that_was_killed_goes_on(cluster: str, game: str, tmp_path: Path) -> None:
    folder, path = tmp_path / "run", tmp_path / "run/records/00001.records"
    with driver(f"{game}:Held", folder, cluster) as killed:
        assert eventually(lambda: (len(loadings(game)) == 5 and has_games(folder)) or killed.poll() is not None)
        killed.kill()
    before = path.read_bytes()
    assert has_games(folder) and not (folder / "log.csv").exists()
    (tmp_path / "go").touch()
    with driver(f"{game}:Held", folder, cluster) as again:
        assert "1: 24 games, " in again.communicate(timeout=PATIENCE)[1]
    assert again.returncode == 0 and path.read_bytes().startswith(before)
    assert len(loadings(game)) < 5 + 1 + 8  # fewer than the driver's and all chunks
    state = begun(folder)
    assert state is not None and state.generation == 1
    alone = Run(catalogue.load(f"{game}:Held"), tmp_path / "alone", state.settings, "", Silent())
    alone.next()
    assert contents(path) == contents(tmp_path / "alone/records/00001.records")


@pytest.mark.slow
def test_an_interrupted_driver_ends_its_workers(cluster: str, game: str, tmp_path: Path) -> None:
    with driver(f"{game}:Held", tmp_path / "run", cluster) as interrupted:
        assert eventually(lambda: len(loadings(game)) == 5 or interrupted.poll() is not None)
        interrupted.send_signal(signal.SIGINT)
        assert interrupted.communicate(timeout=PATIENCE)[1] == ""
    assert interrupted.returncode == 130
    pids = [int(path.read_text()) for path in loadings(game)]
    assert len(pids) == 5 and eventually(lambda: not any(map(alive, pids)))


@pytest.mark.slow
def test_a_worker_with_another_playout_is_named(cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "__version__", "0.0.7")
    with pytest.raises(PlayoutError, match=r"^worker at [^ ]+: ImportError: playout .* there, and 0\.0\.7 at the dr"):
        played("tic_tac_toe", tmp_path / "r", 24, Silent())


def test_more_threads_than_any_machine_has_are_refused(cluster: str, tmp_path: Path) -> None:
    made = catalogue.load("tic_tac_toe")
    many = replace(FEW, threads=3)
    with pytest.raises(PlayoutError, match="--threads 3: no machine of the cluster has that many processors"):
        Workers("tic_tac_toe").generate(open_workshop(made), made, many, tmp_path / "r", None, 5, Silent())


@pytest.mark.slow
def test_a_cluster_of_its_own_is_quiet(tmp_path: Path) -> None:
    words = ["learn", "generate", "tic_tac_toe", str(tmp_path / "r"), "--games", "9", "--ray", "local"]
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    done = subprocess.run(
        [sys.executable, "-m", "playout", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=os.environ | token,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{tmp_path / 'r'}: 9 games\n", "")
