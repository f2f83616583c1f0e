"""Scores of positions of chess by another engine."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from playout.engine.learning.data import scores
from playout.engine.learning.data.scores import SURE, Scoring, score
from playout.engine.learning.training.watch import Silent
from playout.games.errors import PlayoutError

ENGINE = """
import sys
depths = open(sys.argv[1], "a")
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        moves = int(words[7])
    elif words[0] == "go":
        print(line, end="", file=depths, flush=True)
        said = {7: "mate 3", 8: "mate -2"}.get(moves, f"cp {100 * moves}")
        if moves != 9:
            print("info depth 1 score", said, "pv e1e2")
        print("bestmove e1e2", flush=True)
    elif words[0] == "quit":
        break
"""
"""An engine whose score is a hundred times the number of the move. It mates in move 7, is mated in 8, says nothing in
9."""


def line(number: int, end: str = "\n") -> str:
    return f"4k3/8/8/8/8/8/8/4K2R w K - 0 {number};0.250;0.10000;-1{end}"


@pytest.fixture
def scoring(tmp_path: Path) -> Scoring:
    (tmp_path / "engine.py").write_text(ENGINE)
    return Scoring(f"{sys.executable} {tmp_path}/engine.py {tmp_path}/depths", depth=4, scale=200.0)


def test_scores_take_the_place_of_what_was_searched(
    tmp_path: Path, scoring: Scoring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "BATCH", 2)
    one, two, out = tmp_path / "one", tmp_path / "two", tmp_path / "out"
    one.write_text(line(1) + line(2))
    two.write_text(line(7) + line(8) + line(3, end=""))
    assert score([one, two], out, scoring, Silent()) == 4
    values = [math.tanh(0.5), math.tanh(1.0), SURE, -SURE]
    expected = [line(number).replace("0.10000", f"{v:.5f}") for number, v in zip((1, 2, 7, 8), values, strict=True)]
    assert out.read_text() == "".join(expected)
    assert (tmp_path / "depths").read_text() == "go depth 4\n" * 4


def test_a_share_is_mixed_with_what_was_searched(tmp_path: Path, scoring: Scoring) -> None:
    (tmp_path / "one").write_text(line(1))
    score([tmp_path / "one"], tmp_path / "out", replace(scoring, share=0.75), Silent())
    value = 0.75 * math.tanh(0.5) + 0.25 * 0.1
    assert (tmp_path / "out").read_text() == line(1).replace("0.10000", f"{value:.5f}")


def test_scoring_goes_on_after_the_last_whole_line(tmp_path: Path, scoring: Scoring) -> None:
    one, out = tmp_path / "one", tmp_path / "out"
    one.write_text(line(1) + line(2) + line(3))
    score([one], out, scoring, Silent())
    whole = out.read_text()
    out.write_text(whole[:-10])
    assert score([one], out, scoring, Silent()) == 1
    assert out.read_text() == whole
    assert score([one], out, scoring, Silent()) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (line(9), r"one: line 1: .* gives no score$"),
        (line(1) + "a;b;c\n", r"one: line 2: not FEN;VALUE;VALUE;RESULT: "),
        ("a;0;0;0\n", r"one: line 1: not FEN;VALUE;VALUE;RESULT: "),
        (line(1).replace("0.1", "x"), r"one: line 1: not FEN;VALUE;VALUE;RESULT: "),
        (line(1).replace("0.10000", "nan"), r"one: line 1: .*a value beyond 1$"),
        (line(1).replace("4K2R w K", "7R w -"), r"one: line 1: .* is no position$"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_a_line(tmp_path: Path, scoring: Scoring, text: str, said: str) -> None:
    (tmp_path / "one").write_text(text)
    with pytest.raises(PlayoutError, match=said):
        score([tmp_path / "one"], tmp_path / "out", scoring, Silent())


def test_files_and_engines_that_are_not_there_are_named(tmp_path: Path, scoring: Scoring) -> None:
    (tmp_path / "one").write_text(line(1))
    with pytest.raises(PlayoutError, match=r"/none: No such file"):
        score([tmp_path / "none"], tmp_path / "out", scoring, Silent())
    with pytest.raises(PlayoutError, match=r"/none/out: No such file"):
        score([tmp_path / "one"], tmp_path / "none" / "out", scoring, Silent())
    with pytest.raises(PlayoutError, match=r"^no-such-engine: "):
        score([tmp_path / "one"], tmp_path / "out", Scoring("no-such-engine"), Silent())
