"""Learning in a folder: what a run keeps, how it goes on after a kill, what is refused; the test that gates nets."""

from __future__ import annotations

import csv
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from playout.engine.learning.training.gate import described, gate_test, pair_score
from playout.engine.learning.training.run import Run, begun, learn
from playout.engine.learning.training.settings import Settings
from playout.engine.learning.training.watch import Silent
from playout.engine.statistics.elo import expected
from playout.engine.statistics.pairs import Pentanomial
from playout.engine.statistics.sprt import Verdict
from playout.games import catalogue
from playout.games.errors import GameError, PlayoutError
from tests.patience import PATIENCE

FEW: dict[str, Any] = {
    "games": 30,
    "simulations": 24,
    "hidden": (16,),
    "gate_pairs": 6,
    "rating_pairs": 4,
    "opening_plies": 1,
}
WORDS = ["--games", "30", "--simulations", "24", "--hidden", "16", "--gate-pairs", "6", "--rating-pairs", "4"]
PROGRAM = """
import sys
from playout.cli.main import main
sys.modules["matplotlib"] = None
sys.exit(main())
"""
"""The command, without the plot of a run."""
MEASURED = {"seconds", "games_a_second"}


Results = tuple[list[dict[str, str]], list[list[bytes]]]


def done(folder: Path, generations: int, **more: object) -> Run:
    settings = Settings(**{**FEW, **more})
    run = Run(catalogue.load("tic_tac_toe"), folder, settings, "a command", Silent())
    learn(run, generations=generations, minutes=None, on_row=lambda state, row: None)
    return run


def results(folder: Path) -> Results:
    """The log without times, and the numbers of the checkpoints."""
    with (folder / "log.csv").open() as file:
        rows = [{name: cell for name, cell in row.items() if name not in MEASURED} for row in csv.DictReader(file)]
    return rows, [numbers(path.read_bytes()) for path in sorted((folder / "checkpoints").iterdir())]


def numbers(checkpoint: bytes) -> list[bytes]:
    """The numbers behind the heads of the three parts of a checkpoint, whose metadata have no order."""
    found, place = [], 16
    while place < len(checkpoint):
        length, head = (int.from_bytes(checkpoint[place + at : place + at + 8], "little") for at in (0, 8))
        found.append(checkpoint[place + 16 + head : place + 8 + length])
        place += 8 + length
    assert len(found) == 3
    return found


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results of three generations without a break."""
    folder = tmp_path_factory.mktemp("run")
    done(folder, 3)
    return results(folder)


@pytest.mark.parametrize("first", ["plain", "nets"])
def test_a_run_goes_on_as_if_it_had_not_ended(first: str, tmp_path: Path) -> None:
    done(tmp_path / "one", 3, first=first)
    done(tmp_path / "parts", 1, first=first)
    done(tmp_path / "parts", 2, first=first, threads=2)
    run = done(tmp_path / "parts", 3, first=first)
    assert results(tmp_path / "one") == results(tmp_path / "parts")
    assert len(results(tmp_path / "one")[0]) == run.state.generation == 3
    assert run.state.games == 90 and (run.state.best > 0) == (tmp_path / "parts/best.safetensors").exists()


@pytest.mark.long
@pytest.mark.parametrize("awaited", ["records/00001.records", "checkpoints/00001.checkpoint", "records/00003.records"])
def test_a_run_goes_on_after_a_kill(awaited: str, at_once: Results, tmp_path: Path) -> None:
    words = [sys.executable, "-c", PROGRAM, "learn", "tic_tac_toe", *WORDS, "--opening-plies", "1", "--out"]
    killed = subprocess.Popen([*words, str(tmp_path / "killed"), "--generations", "3"], stderr=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE
    while not (tmp_path / "killed" / awaited).exists() and killed.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert (tmp_path / "killed" / awaited).exists()
    done(tmp_path / "killed", 3)
    assert results(tmp_path / "killed") == at_once


def test_a_run_that_was_killed_before_it_tidied_up_is_tidied(at_once: Results, tmp_path: Path) -> None:
    done(tmp_path, 3)
    for name in ("log.csv", "checkpoints/00003.checkpoint"):
        assert (tmp_path / name).exists()
    (tmp_path / "log.csv").unlink()
    (tmp_path / "checkpoints/00002.checkpoint").write_bytes(b"the one before")
    done(tmp_path, 3)
    assert results(tmp_path) == at_once


def test_nets_say_where_they_come_from(tmp_path: Path) -> None:
    import struct

    run = done(tmp_path, 1, gate_elo=(-400.0, -100.0), gate_pairs=20)
    assert run.state.best == 1
    data = (tmp_path / "best.safetensors").read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = data[8 : 8 + length].decode()
    for text in (
        "provenance.command",
        "a command",
        "30 games of self-play",
        "against the plain search, SPRT -400 to -100",
    ):
        assert text in header


def test_another_run_is_not_mixed_in(tmp_path: Path) -> None:
    done(tmp_path, 1)
    with pytest.raises(PlayoutError, match="this run has simulations 24, not 30"):
        done(tmp_path, 2, simulations=30)
    game = catalogue.load("connect_four")
    with pytest.raises(PlayoutError, match="a run of tic_tac_toe, not of connect_four:columns=7,rows=6"):
        Run(game, tmp_path, Settings(**FEW), "", Silent())
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(PlayoutError, match=r"state\.json: not the state of a run"):
        begun(tmp_path)


@pytest.mark.parametrize(
    ("game", "why"), [("go:9,scoring=territory", "no inputs for nets"), ("backgammon", "judge positions after a move")]
)
def test_games_without_such_nets_are_refused(game: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(GameError, match=why):
        Run(catalogue.load(game), tmp_path, Settings(), "", Silent())


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"hidden": ()}, "at least one"),
        ({"hidden": (16, 0)}, "a width from 1"),
        ({"games": 0}, "games 0: at least 1"),
        ({"gate_elo": (50.0, 0.0)}, "the first is the lower one"),
        ({"first": "me"}, "one of plain, nets"),
    ],
)
def test_settings_out_of_bounds_are_refused(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(PlayoutError, match=why):
        Settings(**settings)


def test_elo_and_score_belong_together() -> None:
    assert described(Pentanomial((5, 20, 50, 20, 5))) == "50.0 % +- 4.4 of 100 pairs, +0 Elo (-31 to +31)"
    scores = [pair_score(*results) for results in [(1.0, 1.0), (1.0, 0.0), (0.3, -1.0), (-1.0, -0.2)]]
    assert scores == [1.0, 0.75, 0.5, 0.0]


@pytest.mark.parametrize(("elo", "wanted"), [(0.0, False), (100.0, True), (-50.0, False)])
def test_the_sequential_test_errs_rarely(elo: float, wanted: bool) -> None:
    rng = random.Random(1)
    wrong = 0
    for _ in range(60):
        counts, test = Pentanomial(), gate_test((0, 100))
        while (verdict := test.verdict(counts)) is None:
            results = [1.0 if rng.random() < expected(elo) else -1.0 for _ in range(2)]
            counts += Pentanomial.of([pair_score(*results)])
        wrong += (verdict is Verdict.H1) is not wanted
    assert wrong <= 9  # 5 % of 60 on average
