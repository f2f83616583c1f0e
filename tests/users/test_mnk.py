"""A game in thirty lines of Python, without a hook, on the commands that a user runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from playout.cli.main import main

from ..opponents.pipe import Pipe, forked, playout

NODES = 200
SITUATIONS = [
    ("", "0 3 1 4", "2"),
    ("", "4 0 8 2", "1"),
    ("", "0 4 8 2 1", "6"),
    ("", "0 4 1", "2"),
    ("", "4 0 2", "6"),
    ("", "0 1 4", "8"),
    (":4,4,4", "0 4 1 5 2 6", "3"),
    (":4,4,4", "0 4 1 5 15 6", "7"),
    (":5,5,4", "6 20 7 21 12 22", "23"),
    (":7,1,3", "2 0 3", None),
]
"""Parameters, moves, and the only move that does not throw away a win in one or lose in one; None if nothing helps."""


@pytest.fixture
def game(tmp_path: Path) -> str:
    """The user's file, somewhere."""
    return f"{shutil.copy(Path(__file__).with_name('mnk.py'), tmp_path / 'my.py')}:Mnk"


@pytest.mark.opponents
@pytest.mark.parametrize(("parameters", "moves", "wanted"), SITUATIONS)
def test_ugi_wins_in_one_and_blocks_a_loss_in_one(game: str, parameters: str, moves: str, wanted: str | None) -> None:
    with Pipe(forked("ugi", "--game", game + parameters)) as engine:
        engine.send("ugi", f"position startpos moves {moves}", f"go nodes {NODES}")
        best = engine.until("bestmove")[-1]
        assert len(best.split()) == 2
        if wanted is not None:
            assert best == f"bestmove {wanted}"
        engine.send(f"position startpos moves {moves} {best.split()[1]}", "query gameover", "quit")
        replies = engine.rest()
        assert replies[0] in ("response true", "response false")
        assert engine.exit_status() == 0
        assert engine.errors() == ""


@pytest.mark.opponents
@pytest.mark.parametrize(("parameters", "moves", "wanted"), SITUATIONS[:-1])
def test_gtp_wins_in_one_and_blocks_a_loss_in_one(game: str, parameters: str, moves: str, wanted: str) -> None:
    with Pipe(forked("gtp", "--game", game + parameters, "--option", f"MaxNodes={NODES}")) as engine:
        for number, move in enumerate(moves.split()):
            engine.ask(f"play {'bw'[number % 2]} {move}")
        assert engine.ask(f"genmove {'bw'[len(moves.split()) % 2]}") == wanted
        assert engine.respond("play b nowhere") == "? illegal move"
        engine.ask("undo")
        engine.ask("quit")
        assert engine.exit_status() == 0
        assert engine.errors() == ""


@pytest.mark.opponents
def test_a_whole_game_is_played(game: str) -> None:
    """Two perfect players draw."""
    with Pipe(playout("gtp", "--game", game, "--option", f"MaxNodes={NODES}")) as engine:
        moves = [engine.ask(f"genmove {'bw'[ply % 2]}") for ply in range(9)]
        assert sorted(moves) == [str(cell) for cell in range(9)]
        assert engine.ask("final_score") == "0"
        assert engine.ask("genmove w") == "pass"


@pytest.mark.long
def test_check_finds_nothing(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{game}:5,4,4"]) == 0
    assert "no problem found" in capsys.readouterr().out


def test_the_file_is_a_game_of_thirty_lines() -> None:
    lines = Path(__file__).with_name("mnk.py").read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 30


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Mnk(:\n    pass\n", "my.py, line 1: SyntaxError"),
        ("import json\n\njson.loads('?')\n", "my.py, line 3: JSONDecodeError"),
        ("import nowhere\n", "my.py, line 1: ModuleNotFoundError: No module named 'nowhere'"),
        ("x = 1\n\n\nclass Other:\n    pass\n", "no class 'Mnk'; it has Other"),
        ("class Mnk:\n    def returns(self, state):\n        return None\n", "it lacks initial_state"),
        ("class Mnk:\n    def __init__(self):\n        raise ValueError('no')\n", "my.py:Mnk: no"),
        ("Mnk = 3\n", "no class 'Mnk'"),
        (None, "no file"),
    ],
)
@pytest.mark.parametrize("command", ["ugi", "gtp"])
def test_a_wrong_file_gets_one_line(
    command: str, text: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "my.py").write_text(text)
    assert main([command, "--game", f"{tmp_path}/my.py:Mnk"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1


def test_a_file_without_a_class_is_asked_for_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "my.py").write_text("class Mnk:\n    pass\n")
    assert main(["ugi", "--game", f"{tmp_path}/my.py"]) == 2
    assert "which class? FILE:CLASS names one; it has Mnk" in capsys.readouterr().err
