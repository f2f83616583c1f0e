"""A misspelt word on the command line or in a file gets one line that suggests the right one, and status 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.cli.main import main

FILES = {
    "chess.book": "",
    "a.yaml": "gme: chess\n",
    "b.yaml": "gane: hex:5\nlines:\n- a1\n",
    "mine.py": "",
    "games.pgn": "",
}


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        ("perft --game ches", "'chess'"),
        ("uci --game chess:ches960=true", "'chess960'"),
        ("play --game mime.py:Game", "'mine.py'"),
        ("protocols gtb", "'gtp'"),
        ("bok", "'book'"),
        ("book shwo", "'show'"),
        ("perft --gmae chess", "--game"),
        ("uci --gmae chess", "'--game'"),
        ("serve --lisen x", "'--listen'"),
        ("connect --tokn-file=x y", "'--token-file'"),
        ("uci --option Hsah=3", "'Hash'"),
        ("uci --option TreePolicy=ucb1-tund", "'ucb1-tuned'"),
        ("options Hsah", "'Hash'"),
        ("solve tic_tac_toe --method alphabeta", "'alpha-beta'"),
        ("experiment convergance", "'convergence'"),
        ("experiment heuristics --technique progresive-bias", "'progressive-bias'"),
        ("uci --config aa.yaml", "'a.yaml'"),
        ("uci --config a.yaml", "'game'"),
        ("book show ches.book --game chess", "'chess.book'"),
        ("book show b.yaml --game hex:5", "'game'"),
        ("book stat chess.bok --game chess", "'.book'"),
        ("book build new.book --game chess --from game.pgn", "'games.pgn'"),
        ("arena check a.yml", "'a.yaml'"),
        ("match ./mine.pi playout --nodes 9", "'mine.py'"),
    ],
)
def test_a_misspelt_word_gets_a_suggestion(
    arguments: str, right: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    assert right in error.lower() if right.startswith("--") else right in error, error
    assert any(words in error for words in ("did you mean", "Did you mean", "Possible options")), error
