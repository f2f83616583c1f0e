"""PolyGlot, which lets XBoard play UCI engines, on top of the engine's UCI."""

from __future__ import annotations

import shlex
from pathlib import Path

import chess

from ...needs import needs, program
from ..pipe import Pipe, playout

POLYGLOT = program("polyglot")


@needs("polyglot")
def test_polyglot_plays_analyses_and_leaves(tmp_path: Path) -> None:
    script = tmp_path / "engine"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(playout('uci', '--option', 'OwnBook=false'))}\n")
    script.chmod(0o755)
    with Pipe([str(POLYGLOT), "-noini", "-ec", str(script)]) as adaptor:
        adaptor.send("xboard", "protover 2")
        features = adaptor.until("feature done=1")
        assert any(line.startswith('feature option="MultiPV -spin 1 1 500') for line in features)
        adaptor.send("new", "level 0 0:03 0.05", "post", "hard", "ping 1")
        adaptor.until("pong 1")
        board = chess.Board()
        clocks = "time 300", "otim 300"
        for reply in range(4):
            moves = [move.uci() for move in board.legal_moves]
            adaptor.send(*clocks, f"usermove {moves[reply]}")
            board.push_uci(moves[reply])
            board.push_san(adaptor.until("move ")[-1].split()[1])
        adaptor.send("force", "undo", "analyze")
        board.pop()
        thought = next(line for line in iter(adaptor.line, "") if line.split()[:1] and line.split()[0].isdigit())
        assert len(thought.split()) > 4
        adaptor.send("exit", "ping 2")
        adaptor.until("pong 2")
        adaptor.send("quit")
        assert adaptor.exit_status() == 0
