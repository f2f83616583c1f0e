"""``playout tune``, with playout's own engine in the process."""

from __future__ import annotations

import csv
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.local import LocalRun
from playout.cli.arena.screen import Screen
from playout.cli.main import main

from ..patience import PATIENCE

FILE = """\
name: small
game: connect_four:5,4
nodes: 12
openings: {random: 1}
pairs: 8
options:
  Exploration: {start: 1.0, min: 0, max: 10, step: 2, rate: 0.2}
  MultiPV: {start: 3, min: 1, max: 5, kind: int, rate: 0.1}
"""
HALVING = """\
game: tic_tac_toe
nodes: 6
openings: {random: 2}
method: halving
pairs: 12
options: {Exploration: {values: [0, 1, 100]}}
"""


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Tunes by a file of a text, in this process."""

    def made(text: str, *words: str) -> Done:
        path = tmp_path / "t.yaml"
        path.write_text(text)
        status = main(["tune", str(path), *words])
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return made


def test_it_plays_and_keeps_its_record_and_plot(run: Run, tmp_path: Path) -> None:
    record, plot = tmp_path / "t.csv", tmp_path / "t.svg"
    done = run(FILE, "--csv", str(record), "--plot", str(plot))
    assert (done.status, (tmp_path / "t.tune").exists()) == (0, True)
    lines = done.out.splitlines()
    assert lines[0].startswith("small: step 8 of 8: Exploration ")
    assert [line.split()[0] for line in lines[1:4]] == ["option", "Exploration", "MultiPV"]
    with record.open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["step"], row["option"]) for row in rows[:3]] == [
        ("1", "Exploration"),
        ("1", "MultiPV"),
        ("2", "Exploration"),
    ]
    assert len(rows) == 16
    assert {float(row["result"]) for row in rows} <= {-2.0, -1.0, 0.0, 1.0, 2.0}
    assert {float(row["theta"]) for row in rows if row["option"] == "Exploration"} - {1.0}
    assert lines[2].split()[2] == f"{float(rows[-2]['theta']):.4g}"
    assert ElementTree.parse(plot).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    verify = done.out.partition("playout arena run verify.yaml\n")[2]
    [plan] = plans_of(parse(verify, "verify.yaml"), tmp_path)
    assert (plan.name, plan.players[1].options) == ("connect_four", {"Exploration": 1.0, "MultiPV": 3})
    assert plan.players[0].options.keys() == {"Exploration", "MultiPV"}


def test_ctrl_c_stops_it_and_the_same_command_goes_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "t.csv"
    words = ["--csv", str(record)]
    assert run(FILE, *words).status == 0
    wanted = record.read_text()
    (tmp_path / "t.tune").unlink()
    games, ended, asked = [0], Screen.ended, threading.Event()

    def stopped(self: Screen, played: object) -> None:
        ended(self, played)  # type: ignore[arg-type]
        games[0] += 1
        if games[0] == 3:
            os.kill(os.getpid(), signal.SIGINT)
            assert asked.wait(PATIENCE)  # until the main thread has taken the signal

    def stop(run: LocalRun) -> None:
        leave(run)
        asked.set()

    leave = LocalRun.stop
    monkeypatch.setattr(LocalRun, "stop", stop)
    monkeypatch.setattr(Screen, "ended", stopped)
    done = run(FILE, *words)
    assert done.status == 130
    assert "stopping after the games under way" in done.err
    assert "small: step 1 of 8" in done.out
    assert "verify" not in done.out
    assert games[0] == 3
    assert wanted.startswith(record.read_text().rpartition("\n1,MultiPV")[0])
    done = run(FILE, *words)
    assert (done.status, games[0]) == (0, 16)
    assert record.read_text() == wanted
    again = run(FILE, *words)
    assert (again.status, again.out, games[0]) == (0, done.out, 16)
    other = run(FILE.replace("pairs: 8", "pairs: 9"), *words)
    assert (other.status, other.out) == (2, "")
    assert "this tuning began with pairs 8, not 9; only concurrency may change" in other.err


def test_halving_prints_its_arms(run: Run, tmp_path: Path) -> None:
    record, plot = tmp_path / "t.csv", tmp_path / "t.svg"
    done = run(HALVING, "-c", "2", "--csv", str(record), "--plot", str(plot), "--state", str(tmp_path / "other"))
    assert (done.status, (tmp_path / "other").exists()) == (0, True)
    lines = done.out.splitlines()
    assert lines[0] == "tuning: round 2 of 2: 2 arms"
    assert [line.split()[1:3] for line in lines[2:5]] == [["2", "5"], ["2", "5"], ["1", "2"]]
    assert {line.split()[0] for line in lines[2:5]} == {"Exploration=0", "Exploration=1", "Exploration=100"}
    with record.open() as file:
        assert [row["pairs"] for row in csv.DictReader(file)] == ["2", "2", "2", "3", "3"]
    assert ElementTree.parse(plot).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    verify = done.out.partition("playout arena run verify.yaml\n")[2]
    [plan] = plans_of(parse(verify, "verify.yaml"), tmp_path)
    assert f"{plan.players[0].options}" == f"{{'Exploration': {lines[2].split()[0].partition('=')[2]}}}"


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (
            FILE.replace("pairs:", "piars:"),
            [],
            "t.yaml, line 5: object contains unknown field 'piars': did you mean 'pairs'?",
        ),
        (FILE.replace("Exploration", "Explorotion"), [], "no option 'Explorotion': did you mean 'Exploration'?"),
        (FILE.replace("max: 10", "max: 1000"), [], "option Exploration: '1000.0' is not between 0 and 100"),
        (FILE.replace("min: 0", "min: -1"), [], "option Exploration: '-1.0' is not between 0 and 100"),
        (FILE.replace("kind: int, ", ""), [], "option MultiPV: '5.0' is not a whole number from"),
        (FILE, ["--plot", "t.png"], "--plot t.png: the name ends in .svg"),
        (FILE, ["--csv", "/nowhere/t.csv"], "--csv /nowhere/t.csv: no such folder"),
        (FILE, ["--concurrency", "0"], "--concurrency"),
        (
            HALVING.replace("100", "101"),
            [],
            "engine Exploration=101: option Exploration: '101' is not between 0 and 100",
        ),
    ],
)
def test_a_mistake_gets_one_line(run: Run, text: str, words: list[str], said: str, tmp_path: Path) -> None:
    done = run(text, *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "t.tune").exists()


def test_a_file_that_is_not_there_gets_one_line(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", str(tmp_path / "none.yaml")]) == 2
    assert capsys.readouterr().err == f"playout: {tmp_path / 'none.yaml'}: No such file or directory\n"
