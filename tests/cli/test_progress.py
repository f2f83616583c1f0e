"""Progress of long commands: shown where standard error is a terminal, and nowhere else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ..opponents.pipe import forked
from .terminal import on_terminal

pytestmark = pytest.mark.opponents


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["perft", "--depth", "3"], ["depth 3", "0/20"]),
        (["perft", "--game", "tic_tac_toe", "--depth", "6", "--python", "--divide"], ["depth 6", "0/9"]),
        (["bench", "--game", "hex:3", "--seconds", "0.01"], ["games", "0/1 hex:3"]),
        (["solve", "tic_tac_toe"], ["solving"]),
        (["experiment", "random-walk", "--quick"], ["steps", "0/10"]),
        pytest.param(["experiment", "learned-cuts", "--quick"], ["episodes", "regret"], marks=pytest.mark.slow),
        (["book", "solve", "x.book", "--game", "tic_tac_toe", "--plies", "2"], ["solving"]),
        (["book", "learn", "l.book", "--game", "tic_tac_toe", "--positions", "3"], ["learning", "0/3"]),
        (["book", "build", "n.book", "--game", "tic_tac_toe", "g.games"], ["per cent", "games"]),
        (["book", "convert", "--game", "tic_tac_toe", "b.yaml", "c.book"], ["converting", "0 positions"]),
    ],
)
def test_a_terminal_shows_progress_and_a_pipe_none(words: list[str], shown: list[str], tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("game: tic_tac_toe\nlines:\n  - b2 a1\n")
    (tmp_path / "g.games").write_text("playout games of tic_tac_toe\n*\t\tb2\ta1\n")
    environment = {**os.environ, "FORCE_COLOR": "1"}
    piped = subprocess.run(forked(*words), capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert piped.stderr == ""
    for made in ("x.book", "l.book", "c.book", "n.book"):
        (tmp_path / made).unlink(missing_ok=True)
    terminal = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    out, screen = on_terminal(forked(*words), terminal, piped=True, folder=tmp_path)
    assert out
    for text in shown:
        assert text in screen, screen
