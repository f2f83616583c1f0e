"""Test suites of chess: positions in EPD, played and scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playout.cli.bench.suite import read_suite
from playout.cli.main import main
from playout.games.errors import PlayoutError

MATE = "6k1/5ppp/8/8/8/8/8/R3K3 w - -"
SUITE = f"""# mates and points
{MATE} bm Ra8#; id "one";
{MATE} am Ra8#; id "two";

{MATE} dm 1;
{MATE} c0 "Ra7=3, Ra8=10"; id "points"; pv damaged;
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.epd"
    path.write_text(SUITE)
    return path


def test_tasks_have_names_answers_and_points(suite: Path) -> None:
    best, avoid, mate, points = read_suite(suite)
    assert [task.name for task in (best, avoid, mate, points)] == ["one", "two", "line 5", "points"]
    assert (best.score("a1a8", None), best.score("a1a7", None)) == (1, 0)
    assert (avoid.score("a1a8", None), avoid.score("a1a7", None)) == (0, 1)
    assert (mate.score("a1a8", None), mate.score("a1a8", 2), mate.score("a1a8", 1)) == (0, 0, 1)
    assert (points.score("a1a8", None), points.score("a1a7", None), points.score("e1e2", None)) == (10, 3, 0)
    assert points.most == 10
    assert [task.wanted for task in (best, avoid, mate)] == ["Ra8#", " not Ra8#", "mate in 1"]
    assert points.wanted == "Ra7=3 Ra8#=10"


def test_what_is_solved_is_counted(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "epd", str(suite), "--nodes", "200"]) == 0
    *rows, last = capsys.readouterr().out.splitlines()
    assert last.startswith("3 of 4 solved, 12 of 13 points (92.3 %); ")
    assert [row.split()[0] for row in rows] == ["position", "two"]


def test_answers_as_json(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "epd", str(suite), "--nodes", "200", "--every", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["points"], found["most"], found["solved"], found["positions"]) == (2, 2, 2, 2)
    assert [answer["id"] for answer in found["answers"]] == ["one", "line 5"]
    assert found["answers"][1]["mate"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no positions"),
        (f'{MATE} id "x";', "line 1: no answer: expected bm, am, dm, or points in c0"),
        (f"\n{MATE} bm Ra9;", "line 2: invalid san: 'Ra9'"),
        ("8/8 w - - bm Ra8;", "line 1: "),
        ("8/8/8/8/8/8/8/8 w - - dm 2;", "line 1: not a position of chess"),
        (f"{MATE} dm soon;", "line 1: invalid san: 'soon'"),
        (f"{MATE} dm 2.5;", "line 1: "),
    ],
)
def test_bad_suites_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.epd"
    path.write_text(text)
    with pytest.raises(PlayoutError, match=said) as refusal:
        read_suite(path)
    assert str(refusal.value).startswith(str(path)) and "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seconds", "1", "--nodes", "1"], "--seconds and --nodes: only one of the two"),
        (["--option", "Hash"], "--option 'Hash': expected NAME=VALUE"),
        (["--option", "Hush=1"], "Hush"),
    ],
)
def test_bad_words_are_refused(suite: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(["bench", "epd", str(suite), *words]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
