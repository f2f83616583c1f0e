"""``playout learn td``: nets, checkpoints, bad files."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.cli.main import main
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue

TIC_TAC_TOE = ["learn", "td", "tic_tac_toe", "--horizon", "lambda:0.7", "--round", "20", "--hidden", "16"]


def test_nets_are_learned_and_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "net.safetensors"
    assert main([*TIC_TAC_TOE, "--games", "2000", "--rate", "0.01", "--explore", "0.1", "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip().endswith("2,000 games")
    game = catalogue.load("tic_tac_toe")
    searcher = Searcher(game, search_config(game, {"LeafEvaluation": "static"}))
    searcher.set_nets(out)
    searcher.set_position(None, ["a1", "b2", "b1", "c3"])
    assert searcher.run(nodes=60).move == "c1"


def test_a_learner_that_stopped_learns_what_it_would_have_learned(tmp_path: Path) -> None:
    stopped, whole = tmp_path / "stopped.safetensors", tmp_path / "whole.safetensors"
    for games in ("40", "100"):
        # One rate throughout, as it depends on the number of games at the end.
        assert main([*TIC_TAC_TOE, "--games", games, "--last-rate", "0.001", "--out", str(stopped)]) == 0
    assert main([*TIC_TAC_TOE, "--games", "100", "--last-rate", "0.001", "--out", str(whole)]) == 0
    assert _tensors(stopped) == _tensors(whole)


def _tensors(path: Path) -> bytes:
    data = path.read_bytes()
    return data[8 + int.from_bytes(data[:8], "little") :]


def test_backgammon_looks_ahead_over_the_dice(tmp_path: Path) -> None:
    out = tmp_path / "net.safetensors"
    arguments = ["learn", "td", "backgammon", "--games", "2", "--round", "1", "--horizon", "ahead:0.01"]
    assert main([*arguments, "--hidden", "8", "--out", str(out)]) == 0
    assert b"ahead:0.01" in out.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--horizon", "lambda:2"], "the number must be from 0.0 to 1.0"),
        (["--horizon", "far"], "expected lambda:X, steps:N, ahead:X or rollouts:X"),
        (["--hidden", "80,x"], "expected numbers"),
        (["--weights", "nothing.safetensors"], "nothing.safetensors: No such file"),
    ],
)
def test_a_wrong_argument_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "net.safetensors"
    assert main([*TIC_TAC_TOE, "--games", "20", "--out", str(out), *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_a_bad_checkpoint_stays_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "net.safetensors"
    checkpoint = tmp_path / "net.safetensors.checkpoint"
    checkpoint.write_bytes(b"nothing of the kind")
    assert main([*TIC_TAC_TOE, "--games", "20", "--out", str(out)]) == 2
    assert "net.safetensors.checkpoint: not a checkpoint" in capsys.readouterr().err
    assert checkpoint.read_bytes() == b"nothing of the kind"


def test_games_without_inputs_and_games_in_python_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "net.safetensors")
    assert main(["learn", "td", "go:9,scoring=territory", "--games", "1", "--out", out]) == 2
    assert "no inputs for nets" in capsys.readouterr().err
