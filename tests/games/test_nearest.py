"""Suggestions for misspelt words and names of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.games.nearest import nearest, nearest_file, suggestion, unusable

WORDS = ("Hash", "Threads", "Move Overhead", "MultiPV")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("hash", ": did you mean 'Hash'?"),
        ("Thread", ": did you mean 'Threads'?"),
        ("MoveOverhead", ": did you mean 'Move Overhead'?"),
        ("xyzzy", ""),
        ("", ""),
    ],
)
def test_the_nearest_word(word: str, said: str) -> None:
    assert nearest(word, WORDS) == said
    assert suggestion(word, WORDS) == (said or f": one of {', '.join(WORDS)}")


def test_a_common_prefix_makes_no_word_alike() -> None:
    known = ("engine.hash", "engine.treepolicy")
    assert nearest("engine.ply", known) != ""
    assert nearest("engine.ply", known, "engine.") == ""
    assert nearest("engine.hsh", known, "engine.") == ": did you mean 'engine.hash'?"


def test_the_nearest_file(tmp_path: Path) -> None:
    (tmp_path / "chess.book").touch()
    (tmp_path / "books").mkdir()
    assert nearest_file(tmp_path / "ches.book") == ": did you mean 'chess.book'?"
    assert nearest_file(tmp_path / "chess.bok") == ": did you mean 'chess.book'?"
    assert nearest_file(tmp_path / "boks") == ": did you mean 'books'?"
    assert nearest_file(tmp_path / "chest.yaml") == "", "neither its ending nor its stem"
    assert nearest_file(tmp_path / "nowhere" / "ches.book") == ""


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "chess.book").touch()
    path = tmp_path / "ches.book"
    with pytest.raises(FileNotFoundError) as missing:
        path.open()
    assert unusable(path, missing.value) == f"{path}: No such file or directory: did you mean 'chess.book'?"
    with pytest.raises(IsADirectoryError) as folder:
        tmp_path.open()
    assert unusable(tmp_path, folder.value) == f"{tmp_path}: Is a directory"
