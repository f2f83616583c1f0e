"""``playout experiment``: the list, the tables, the files, and what is refused."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from playout.cli.main import main
from playout.engine.experiments import hex_size, table


@pytest.mark.parametrize("words", [[], ["--list"]])
def test_the_list_has_every_experiment_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = [line.split()[0] for line in lines[1 : lines.index("")]]
    assert listed == list(table.MODULES)


def test_an_unknown_name_is_refused_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "perpetuum"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"playout: no experiment 'perpetuum': one of {', '.join(table.MODULES)}"


def test_a_parameter_of_another_experiment_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "ucb1", "--games", "4"]) == 2
    assert (
        capsys.readouterr().err
        == "playout: experiment ucb1 has no parameter 'games'; its parameters: seed, simulations\n"
    )


@pytest.mark.parametrize("name", ["ucb1", "sampled"])
def test_a_seed_repeats_the_table(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for _ in range(2):
        assert main(["experiment", name, "--quick", "--simulations", "100", "--seed", "3"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert ("11.38" if name == "ucb1" else "95.67%") in outputs[0]


def test_tables_go_into_a_csv_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ucb1.csv"
    assert main(["experiment", "ucb1", "--quick", "--csv", str(file)]) == 0
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.reader(opened))
    example = rows[1:5]
    assert rows[0][0].startswith("# UCB1")
    assert [row[0] for row in example] == ["child", "two visits", "one visit", "not seen"]
    assert float(example[2][-2]) == pytest.approx(11.38, abs=0.005)


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_plots_are_drawn_the_same_each_time(suffix: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.{suffix}" for number in range(2)]
    for file in files:
        assert main(["experiment", "ucb1", "--quick", "--simulations", "100", "--plot", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert 1000 < files[0].stat().st_size < 60_000


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sampled", ["--simulations", "100"]),
        ("convergence", ["--game", "tic_tac_toe", "--simulations", "100"]),
        ("merging", ["--simulations", "100", "--runs", "1"]),
        ("heuristics", ["--technique", "rave", "--games", "2", "--nodes", "10"]),
        ("order", ["--games", "5", "--runs", "1"]),
        ("hex-size", ["--simulations", "100", "--runs", "1"]),
        ("commitment", ["--simulations", "20", "--runs", "20"]),
        ("random-search", ["--games", "2", "--nodes", "10"]),
        ("cuts", ["--games", "2"]),
        ("branching", ["--game", "tic_tac_toe", "--game", "backgammon", "--games", "2", "--nodes", "5"]),
    ],
)
def test_every_experiment_prints_and_plots(
    name: str,
    words: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hex_size, "SIZES", (3, 11))  # counting 4x4 takes a second
    table, plot = tmp_path / "table.csv", tmp_path / "plot.svg"
    assert main(["experiment", name, "--quick", *words, "--csv", str(table), "--plot", str(plot)]) == 0
    assert capsys.readouterr().out.rstrip().endswith(f"plot: {plot}")
    assert "</svg>" in plot.read_text(encoding="utf-8")
    assert len(table.read_text(encoding="utf-8").splitlines()) >= 2


def test_without_matplotlib_a_plot_is_refused_before_the_experiment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plot = tmp_path / "plot.svg"
    assert main(["experiment", "ucb1", "--quick", "--plot", str(plot)]) == 2
    out, error = capsys.readouterr()
    said = "matplotlib is not installed; pip install 'playout[plots]' brings it"
    assert (out, error) == ("", f"playout: --plot {plot}: {said}\n")
    assert not plot.exists()


@pytest.mark.parametrize("option", ["--csv", "--plot"])
def test_a_folder_that_does_not_exist_is_refused_before_anything_is_run(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nowhere" / "file.svg"
    assert main(["experiment", "convergence", option, str(path)]) == 2
    assert capsys.readouterr().err == f"playout: {option} {path}: no such folder\n"


@pytest.mark.parametrize("option", ["--csv", "--plot"])
def test_a_file_that_cannot_be_written_is_one_line(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "folder.svg"
    path.mkdir()
    assert main(["experiment", "ucb1", "--quick", option, str(path)]) == 2
    assert capsys.readouterr().err == f"playout: {option} {path}: a folder, not a file\n"


def test_a_plot_of_another_kind_is_refused_before_anything_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "convergence", "--plot", str(tmp_path / "plot.txt")]) == 2
    assert "the name ends in .png or .svg" in capsys.readouterr().err
