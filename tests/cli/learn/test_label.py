"""``playout learn label`` and the nets that learn from it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from playout import Engine
from playout.cli.main import main

from ...engine.learning.test_labels import ENGINE


def test_a_policy_learns_from_labels_and_the_weights_say_where_they_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records, labelled, weights = (str(tmp_path / name) for name in ("r", "l", "w.safetensors"))
    (tmp_path / "first.py").write_text(ENGINE)
    assert main(["learn", "generate", "chess", records, "--games", "2", "--simulations", "8"]) == 0
    label = ["learn", "label", "chess", records, "--out", labelled, "--nodes", "1", "--share", "0.2"]
    assert main([*label, "--engine", f"{sys.executable} {tmp_path}/first.py"]) == 0
    assert "positions labelled" in capsys.readouterr().out
    train = ["learn", "train", "chess", labelled, "--out", weights, "--only", "policy", "--hidden", "8"]
    assert main([*train, "--origin", "labels of first.py"]) == 0
    said = capsys.readouterr().out
    assert "held out: policy " in said and "outcome" not in said
    header = json.loads(Path(weights).read_bytes()[8:].split(b"}}", 1)[0] + b"}}")["__metadata__"]
    assert header["provenance.data"] == "2 games of l: labels of first.py"
    with Engine("chess", own_book=False, hash=8, eval_file="") as engine:
        by_hand = engine.priors()
        engine.set_option("EvalFile", weights)
        assert engine.priors() != by_hand
        assert engine.think(nodes=1).remarks == ()
    assert main([*label, "--engine", "no-such-engine"]) == 2
    assert "no-such-engine: " in capsys.readouterr().err
    assert main([*label, "--engine", ""]) == 2
    assert "engine '': it has no words" in capsys.readouterr().err
    assert main([*label, "--engine", "a 'b"]) == 2
    assert """engine "a 'b": No closing quotation""" in capsys.readouterr().err
    assert main(["learn", "label", "hex:5", records, "--out", labelled, "--engine", "x"]) == 2
    assert "hex:5: only positions of chess" in capsys.readouterr().err
    assert main([*train, "--only", "moves"]) == 2
    assert "only 'moves': one of values, policy" in capsys.readouterr().err
