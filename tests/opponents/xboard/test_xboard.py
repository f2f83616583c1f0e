"""XBoard itself, on a screen that nobody sees, plays the engine against itself: natively and by way of PolyGlot."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pytest

from ...needs import needs, program, require
from ...patience import PATIENCE
from ..pipe import Pipe, forked, playout

XBOARD, XVFB, POLYGLOT = map(program, ("xboard", "Xvfb", "polyglot"))
MOVES = 4
"""After which the referee calls the game drawn."""
OPTIONS = ("--option", "MaxNodes=100", "--option", "OwnBook=false")


@pytest.fixture
def display() -> Iterator[str]:
    read, write = os.pipe()
    screen = subprocess.Popen(
        [str(XVFB), "-displayfd", str(write), "-screen", "0", "800x600x24"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as numbers:
        yield f":{numbers.readline().strip()}"
    screen.terminate()
    screen.wait(PATIENCE)


def script(path: Path, *command: str) -> str:
    path.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
    path.chmod(0o755)
    return str(path)


@needs("xboard", "Xvfb")
@pytest.mark.parametrize(("opponent", "ponder"), [("xboard", "true"), ("polyglot", "false")])
def test_a_game_in_xboard(opponent: str, ponder: str, display: str, tmp_path: Path) -> None:
    """XBoard accepts every move, and no line of the engine's is one that the protocol does not know."""
    if opponent == "polyglot":
        require("polyglot")
    native = script(tmp_path / "native", *playout("xboard", *OPTIONS))
    other = native
    if opponent == "polyglot":
        engine = script(tmp_path / "uci", *playout("uci", *OPTIONS))
        other = shlex.join([str(POLYGLOT), "-noini", "-ec", engine])
    log, record = tmp_path / "debug", tmp_path / "game.pgn"
    match = ["-mode", "TwoMachines", "-mg", "1", "-tc", "1", "-inc", "0.5", "-adjudicateDrawMoves", str(MOVES)]
    files = ["-debug", "-nameOfDebugFile", str(log), "-sgf", str(record), "-saveSettingsOnExit", "false"]
    xboard = subprocess.Popen(
        [str(XBOARD), "-fcp", native, "-scp", other, *match, *files, "-ponderNextMove", ponder],
        env={**os.environ, "DISPLAY": display, "HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + PATIENCE
        while not record.exists() or not record.read_text().strip().endswith("1/2-1/2"):
            said = log.read_text(errors="replace")[-4000:] if log.exists() else ""
            assert xboard.poll() is None, said
            assert time.monotonic() < end, said
            time.sleep(0.1)
    finally:
        xboard.kill()  # SIGTERM in the midst of a dialogue's drawing leaves XBoard waiting for a lock of its own
        xboard.wait(PATIENCE)
    with record.open() as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    assert game.errors == []
    assert len(list(game.mainline())) >= 2 * MOVES
    assert "adjudication" in record.read_text()
    lines = re.findall(r"^\d+ <first : (.*)$", log.read_text(errors="replace"), re.MULTILINE)
    assert [line for line in lines if "NON-COMPLIANT" in line or line.startswith(("Illegal", "tell"))] == []
    assert {line for line in lines if line.startswith("Error")} <= {
        "Error (no such folder): egtpath syzygy /EGT/Syzygy"
    }


def test_the_first_line_comes_before_anything_is_asked() -> None:
    with Pipe(forked("xboard")) as engine:
        assert engine.line() == "feature done=0"


def test_a_search_goes_on_when_the_expected_reply_comes() -> None:
    """The search of the opponent's time is not repeated: the count of simulations goes on."""
    with Pipe(forked("xboard", "--option", "OwnBook=false", "--option", "InfoInterval=10")) as engine:
        engine.send("xboard", "protover 2", "new", "level 0 60 0", "post", "hard", "ping 1", "e2e4")
        engine.until("pong 1")
        while len(engine.line().split()) < 12:  # until its variation has a reply
            pass
        engine.send("?")
        hint = engine.until("Hint: ")[-1].split()[1]
        thought = [engine.line().split("\t")[0] for _ in range(5)]
        engine.send(hint, "?")
        *_, last, move = engine.until("move ")
        assert move.startswith("move ")
        assert int(last.split()[3]) >= int(thought[-1].split()[3]) > 0


def test_the_log_is_comments() -> None:
    """XBoard reads standard error as if it were standard output, and gives up at ``No such file``."""
    with Pipe(forked("xboard", "--option", "BookFile=/nowhere.bin")) as engine:
        engine.send("xboard", "protover 2", "new", "st 0.01", "e2e4")
        engine.until("move ")
        engine.send("quit")
        engine.rest()
        lines = engine.errors().splitlines()
    assert any("/nowhere.bin" in line for line in lines)
    assert [line for line in lines if not line.startswith("# ")] == []
