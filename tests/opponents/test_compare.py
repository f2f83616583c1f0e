"""The benchmark beside OpenSpiel runs, and its answers are right. Its measurements are not checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ..needs import needs

COMPARE = Path(__file__).parents[2] / "benches" / "compare.py"


@pytest.mark.slow
@needs("pyspiel")
def test_the_comparison_runs() -> None:
    words = ["--rounds", "1", "--seconds", "0.01", "--simulations", "500", "--only", "tic_tac_toe", "--only", "hex:11"]
    done = subprocess.run([sys.executable, str(COMPARE), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| hex:11 |") == 3
    assert "tic-tac-toe proven a draw" in done.stdout
