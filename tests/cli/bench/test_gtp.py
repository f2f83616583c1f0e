"""Regression files of GTP: commands with the answers that they are to have."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from playout.cli.bench.regression import Step, read_steps
from playout.cli.main import main
from playout.games.errors import PlayoutError

LADDER = "(;GM[1]SZ[9]AB[ee]AW[de][fe][ed])"
"""White takes the stone at e5 with e4."""
SUITE = """# one capture, and questions
loadsgf ladder.sgf
10 reg_genmove white
#? [E4]
20 color e5  # of the stone
#? [black]
color e4
#? [white]*
30 color d4
#? [!white|black]
nonsense
40 list_stones white
#? [(D5|E6|F5| )+]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "ladder.sgf").write_text(LADDER)
    path = tmp_path / "suite.tst"
    path.write_text(SUITE)
    return path


def test_commands_have_the_answers_that_follow_them(suite: Path) -> None:
    load, first, second, third, fourth, other, _ = read_steps(suite)
    assert (load, other) == (Step(2, "loadsgf ladder.sgf"), Step(11, "nonsense"))
    assert (first.command, first.wanted, second.command) == ("10 reg_genmove white", "E4", "20 color e5")
    assert (first.passes("e4"), first.passes("E40"), first.passes("D4")) == (True, False, False)
    assert (third.pattern, third.negated) == ("white", False)
    assert (fourth.passes("empty"), fourth.passes("Black"), fourth.wanted) == (True, False, "not white|black")


def test_an_answer_may_be_empty_and_a_comment_may_have_brackets(tmp_path: Path) -> None:
    path = tmp_path / "suite.tst"
    path.write_text("10 final_status_list dead\n#? []\n20 x\n#? [!]\n30 y\n#? [A1]* # was [B2]\n40 z\n#? [[ab]1]\n")
    empty, full, commented, letters = read_steps(path)
    assert (empty.passes(""), empty.passes("A1 B2")) == (True, False)
    assert (full.passes(""), full.passes("A1")) == (False, True)
    assert (commented.pattern, letters.pattern) == ("A1", "[ab]1")


@pytest.mark.opponents
@pytest.mark.long
def test_right_answers_are_counted(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "gtp", str(suite), "--nodes", "400", "--option", "EvalFile=", "--option", "Seed=1"]
    assert main(words) == 0
    said = capsys.readouterr()
    *rows, last = said.out.splitlines()
    assert last.startswith("4 of 5 passed; ")
    assert [row.split() for row in rows[1:]] == [["suite", "line", "7", "empty", "white"]]
    assert "suite.tst, line 11: nonsense: unknown command" in said.err


@pytest.mark.opponents
def test_one_test_of_some_is_taken_and_answers_are_json(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "gtp", str(suite), "--every", "3", "--nodes", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tests"], [answer["name"] for answer in found["answers"]]) == (2, ["suite 10", "suite 30"])
    assert found["answers"][1]["answer"] == "empty" and found["answers"][1]["passed"]


@pytest.mark.opponents
def test_other_programs_answer_too(suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nfor line in sys.stdin:\n    print('? no such command\\n', flush=True)\n")
    assert main(["bench", "gtp", str(suite), "--engine", f"{sys.executable} {program}"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("0 of 5 passed; "), "an error is no answer, not even where another one is excluded"
    program.write_text("")
    assert main(["bench", "gtp", str(suite), "--engine", f"{sys.executable} {program}"]) == 2
    assert f"{sys.executable}: loadsgf ladder.sgf: it ended by itself" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#? [E4]\n", "line 1: the answer follows no command"),
        ("name\n#? [a]\n#? [b]\n", "line 3: the answer follows no command"),
        ("name\n#? [(]\n", "line 2: '(' is no regular expression"),
        ("name\n", "no command is followed by an answer"),
    ],
)
def test_what_is_no_regression_file_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "suite.tst"
    path.write_text(text)
    with pytest.raises(PlayoutError, match=r"suite\.tst") as caught:
        read_steps(path)
    assert why in str(caught.value) and "\n" not in str(caught.value)


def test_settings_are_those_of_one_program(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, why in (
        (["--seconds", "1", "--nodes", "1"], "--seconds and --nodes: only one of the two"),
        (["--engine", "x", "--nodes", "1"], "--engine: the program has its own settings"),
        (["--engine", "/none/program"], "/none/program"),
    ):
        assert main(["bench", "gtp", str(suite), *words]) == 2
        assert why in capsys.readouterr().err


@pytest.mark.opponents
@pytest.mark.long
def test_the_tactical_positions_of_go_are_solved(capsys: pytest.CaptureFixture[str]) -> None:
    """A search of 300 simulations without nets finds nearly all of them."""
    suite = Path(__file__).parents[3] / "benches" / "go" / "tactics.tst"
    words = ["bench", "gtp", str(suite), "--game", "go:9,komi=7.5", "--nodes", "300", "--json"]
    assert main([*words, "--option", "EvalFile=", "--option", "Seed=1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tests"] == 116 and found["passed"] >= 112, [one for one in found["answers"] if not one["passed"]]
