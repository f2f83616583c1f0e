"""``playout learn balance``: playouts by strengths that come to the values of searches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from playout import Engine
from playout.cli.main import main

from .test_patterns import numbers

GAME = "hex:4"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("balance") / "r"
    assert main(["learn", "generate", GAME, str(made), "--games", "40", "--simulations", "60"]) == 0
    return made


@pytest.fixture(scope="module")
def likely(records: Path) -> Path:
    """Strengths of the greatest likelihood."""
    made = records.with_name("likely.safetensors")
    assert main(["learn", "patterns", GAME, str(records), "--out", str(made), "--least", "10", "--sweeps", "8"]) == 0
    return made


def balanced(records: Path, likely: Path, out: Path, *more: str) -> list[str]:
    words = ["learn", "balance", GAME, str(records), "--start", str(likely), "--out", str(out)]
    return [*words, "--positions", "100", "--sweeps", "1", *more]


def test_balanced_playouts_are_nearer_to_the_searches(
    records: Path, likely: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = []
    for name, threads in (("one", "1"), ("two", "2")):
        out = tmp_path / name
        capsys.readouterr()
        assert main(balanced(records, likely, out, "--rate", "2", "--playouts", "16", "--threads", threads)) == 0
        said = capsys.readouterr().out
        before, after = (float(found) for found in re.findall(r"bias of playouts ([0-9.]+)", said))
        assert after < before, said
        made.append(numbers(out.read_bytes()))
    assert made[0] == made[1] != numbers(likely.read_bytes()), "the number of threads does not matter"


def test_a_policy_gradient_changes_the_playouts(records: Path, likely: Path, tmp_path: Path) -> None:
    out = tmp_path / "gradient.safetensors"
    assert main(balanced(records, likely, out, "--method", "gradient", "--playouts", "8", "--rate", "0.1")) == 0
    values = []
    for file in (likely, out):
        settings = {"eval_file": "", "tree_policy": "ucb1", "leaf_evaluation": "playout", "playout_policy": "boltzmann"}
        with Engine(GAME, hash=16, seed=1, own_book=False, pattern_file=str(file), **settings) as engine:
            values.append(engine.think(nodes=50).value)
    assert values[0] != values[1]


def test_what_cannot_be_balanced_is_said(
    records: Path, likely: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games.sgf").write_text("(;GM[11]SZ[4]RE[B];B[b1];W[a1];B[b2];W[c1];B[b3];W[a2];B[b4])\n")
    given = tmp_path / "given"
    assert main(["learn", "import", GAME, str(tmp_path / "games.sgf"), "--out", str(given)]) == 0
    for changed, why in (
        (["--method", "luck"], "--method luck: one of balance, gradient"),
        (["--start", str(records)], "r: not a file of weights"),
        (["--start", str(tmp_path / "none")], "none: No such file or directory"),
    ):
        capsys.readouterr()
        assert main([*balanced(records, likely, tmp_path / "w"), *changed]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert why in line
    capsys.readouterr()
    assert main(balanced(given, likely, tmp_path / "w")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "there is no position with the value of a search to learn from" in line
    assert not (tmp_path / "w").exists()
