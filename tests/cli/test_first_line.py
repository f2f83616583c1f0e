"""``playout`` without arguments on a pipe, for clients that can only name a program."""

from __future__ import annotations

import subprocess
import sys

import chess
import chess.engine
import pytest

from playout.engine.session import Session
from playout.games import catalogue
from playout.protocols.first_line import UCI_WORDS, protocol_of
from playout.protocols.gtp.protocol import Gtp
from playout.protocols.uci.uci import Uci

from ..opponents.pipe import playout
from ..patience import PATIENCE


@pytest.mark.parametrize(
    ("line", "protocol"),
    [
        ("uci", "uci"),
        ("\ufeffuci\r", "uci"),
        ("isready", "uci"),
        ("position startpos", "uci"),
        ("", "uci"),
        ("hello", "uci"),
        ("quit", "uci"),
        ("ugi", "ugi"),
        ("ubgi", "ubgi"),
        ("xboard", "xboard"),
        ("protover 2", "xboard"),
        ('{"id": "a", "moves": []}', "analysis"),
        ("list_commands", "gtp"),
        ("17 boardsize 9", "gtp"),
        ("hexgui-analyze_commands", "gtp"),
    ],
)
def test_the_first_line_tells_the_protocol(line: str, protocol: str) -> None:
    assert protocol_of(line) == protocol


def test_words_of_two_protocols_are_uci() -> None:
    session = Session(catalogue.load("go"), post=lambda _: None)
    both = set(Gtp(session).commands())
    session.close()
    session = Session(catalogue.load("chess"), post=lambda _: None)
    both &= set(Uci(session).commands())
    session.close()
    assert both <= UCI_WORDS


@pytest.mark.parametrize(
    ("sent", "first"),
    [
        ("uci\nquit\n", "id name playout"),
        ("\n \r\n3 name\nquit\n", "=3 playout"),
        ("3 name\nquit\n", "=3 playout"),
        ("xboard\nprotover 2\nquit\n", "feature done=0"),
        ('{"id":"v","action":"query_version"}\n', '{"id":"v","action":"query_version","version"'),
        ("isready", "readyok"),
        ("", "Usage: playout"),
    ],
)
def test_it_speaks_the_protocol(sent: str, first: str) -> None:
    command = [sys.executable, "-m", "playout"]
    done = subprocess.run(command, input=sent, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert next(line for line in done.stdout.splitlines() if line.strip()).startswith(first)


def test_a_client_that_names_only_the_program_plays_chess() -> None:
    """As lichess-bot does."""
    with chess.engine.SimpleEngine.popen_uci(playout(), timeout=PATIENCE) as engine:
        engine.configure({"Hash": 16})
        result = engine.play(chess.Board(), chess.engine.Limit(nodes=50))
        assert result.move in chess.Board().legal_moves
