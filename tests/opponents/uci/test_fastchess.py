"""fastchess (github.com/Disservin/fastchess), where installed: its compliance test, and games without a warning."""

from __future__ import annotations

import shlex
import stat
import subprocess
from pathlib import Path

import pytest

from ...needs import program
from ...patience import PATIENCE
from ..pipe import playout

FASTCHESS = program("fastchess")


@pytest.fixture
def engine(tmp_path: Path) -> str:
    """A program without arguments, as fastchess starts it."""
    script = tmp_path / "playout-uci"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(playout('uci', '--option', 'OwnBook=false'))}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def run(*arguments: str) -> str:
    """The output of fastchess."""
    assert FASTCHESS is not None
    done = subprocess.run([FASTCHESS, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_engine_complies(engine: str) -> None:
    assert "Engine passed all compliance checks." in run("--compliance", engine)


def test_games_go_without_a_warning(engine: str, tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("r4rk1/2q2ppp/p2bpn2/1p6/3B4/P2B4/1P2QPPP/R4RK1 b - -\n8/5k2/8/8/3QK3/8/8/8 w - -\n")
    said = run(
        *("-engine", f"cmd={engine}", "name=one", "-engine", f"cmd={engine}", "name=two", "option.Seed=1"),
        *("-each", "tc=60+1", "nodes=300", "option.Hash=16", "-rounds", "2", "-repeat", "-maxmoves", "40"),
        *("-openings", f"file={book}", "format=epd", "-check-mate-pvs", "-strict"),
        *("-config", f"outname={tmp_path / 'config.json'}"),
    )
    assert said.count("Finished game") == 4
    assert "Warning; " not in said
    assert "disconnects" not in said
    assert "illegal" not in said
