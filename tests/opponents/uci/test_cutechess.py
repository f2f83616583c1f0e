"""cutechess-cli as the referee of chess and of the games of UCI_Variant, where it is installed."""

from __future__ import annotations

import shlex
import stat
import subprocess
from pathlib import Path

import pytest

from ...needs import program
from ...patience import PATIENCE
from ..pipe import playout

CUTECHESS = program("cutechess-cli")


@pytest.mark.parametrize("variant", ["standard", "fischerandom", "tictactoe", "cfour"])
def test_two_games_to_their_end(variant: str, tmp_path: Path) -> None:
    assert CUTECHESS is not None
    engine = tmp_path / "playout-uci"
    engine.write_text(f"#!/bin/sh\nexec {shlex.join(playout('uci', '--option', 'OwnBook=false'))}\n")
    engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
    command = [
        *(CUTECHESS, "-variant", variant, "-games", "2", "-maxmoves", "30", "-debug"),
        *("-engine", f"cmd={engine}", "name=one", "-engine", f"cmd={engine}", "name=two", "option.Seed=1"),
        *("-each", "proto=uci", "tc=inf", "nodes=200", "option.Hash=16"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert said.count("Finished game") == 2
    for complaint in ("illegal", "disconnects", "stalls", "Invalid UCI option", "Illegal PV move"):
        assert complaint not in said
