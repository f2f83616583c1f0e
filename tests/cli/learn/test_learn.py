"""``playout learn``: the stages and the loop, what they print and refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout import Engine
from playout.cli.main import main
from playout.games import catalogue

ROW = f"{Path(__file__).parents[2]}/users/learnable.py:Row"
FEW = ["--games", "30", "--simulations", "20"]


@pytest.mark.parametrize(("game", "tower"), [("tic_tac_toe", []), (ROW, []), ("hex:3,swap=true", ["--tower", "2,16"])])
def test_the_stages_work_hand_in_hand(
    game: str, tower: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records, weights, checkpoint = (str(tmp_path / name) for name in ("r", "w.safetensors", "c"))
    assert main(["learn", "generate", game, records, *FEW]) == 0
    assert capsys.readouterr().out == f"{records}: 30 games\n"
    train = ["learn", "train", game, records, "--hidden", "16", "--out", weights, "--checkpoint", checkpoint]
    assert main([*train, *tower]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{weights}: 30 games, ") and "held out: outcome " in said
    assert main([*train[:4], "--out", weights, "--resume", checkpoint]) == 0
    assert main(["learn", "generate", game, records, "--games", "40", "--simulations", "20", "--weights", weights]) == 0
    capsys.readouterr()
    gate = ["learn", "gate", game, weights, "--simulations", "20", "--opening-plies", "1", "--pairs", "10"]
    assert main([*gate, "--all", "--against", weights]) == 0
    assert " of 10 pairs, " in capsys.readouterr().out
    assert main([*gate, "--gate-elo", "700,800"]) == 1
    assert "SPRT 700 to 800 Elo: " in capsys.readouterr().out
    with Engine(catalogue.load(game)) as engine:
        engine.set_option("EvalFile", weights)
        found = engine.think(nodes=50)
    assert found.move is not None and not found.remarks


def test_a_run_is_begun_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["learn", ROW, "--out", str(tmp_path), "--gate-pairs", "20", "--rating-pairs", "5", "--opening-plies", "1"]
    assert main([*words, *FEW, "--gate-elo", "-500,-200", "--generations", "1"]) == 0
    caught = capsys.readouterr()
    assert "1: 30 games, " in caught.err and "new best" in caught.err
    best = tmp_path / "best.safetensors"
    assert f"{best}: generation 1, " in caught.out and "over nets drawn at random" in caught.out
    assert f"playout play --game {ROW} --option EvalFile={best}" in caught.out
    assert main(["learn", ROW, "--out", str(tmp_path), "--generations", "2"]) == 0
    assert "2: 60 games, " in capsys.readouterr().err
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 3
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["go:9,scoring=territory", "--out", "x"],
            "no inputs for nets; a game in Python gives them with features(state)",
        ),
        (["tic_tac_toe", "--out", "x", "--hidden", "a,b"], "--hidden 'a,b': expected numbers with commas between them"),
        (["tic_tac_toe", "--out", "x", "--tower", "4"], "tower (4,): blocks from 0 up and channels from 16 to 1024"),
        (["hex:3", "--out", "x", "--tower", "4,20"], "tower (4, 20): channels are a multiple of 16"),
        (["tic_tac_toe", "--out", "x", "--tower", "1,16"], "a tower of convolutions needs inputs that are planes"),
        (["tic_tac_toe", "--out", "x", "--gate-elo", "1"], "--gate-elo '1': expected LOW,HIGH"),
        (["generate", "tic_tac_toe", "no/such/file"], "RECORDS no/such/file: no such folder"),
        (["train", "tic_tac_toe", "missing", "--out", "w"], "missing: No such file or directory"),
        (["gate", "tic_tac_toe", "missing"], "missing: No such file or directory"),
        (["tic_tac_toe"], "Missing option '--out'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["learn", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
