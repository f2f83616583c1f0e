"""The table of formats: what every format offers, and the checks of those that have none of their own."""

from __future__ import annotations

import math
import types
from pathlib import Path
from typing import Any

import pytest

from playout.books import formats
from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.games import catalogue
from playout.games.errors import BookError

GAME: Any = catalogue.load("tic_tac_toe")


def test_names_tell_the_format() -> None:
    assert formats.format_of(Path("a/B.YAML")).name == "yaml"
    assert formats.format_of(Path("a.b.bin")).name == "polyglot"
    with pytest.raises(BookError, match=r"a.txt: no book format has such a name; allowed: .yaml, "):
        formats.format_of(Path("a.txt"))


def test_a_format_without_a_check_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = [BookMove(4, 1.0), BookMove(9, 1.0), BookMove(0, -1.0), BookMove(1, math.nan), BookMove(2, 0.0)]

    def entries(path: Path, game: Any) -> Any:
        yield BookEntry(game.initial_state(), moves)
        raise BookError(f"{path}: cut off")

    monkeypatch.setattr(formats, "format_module", lambda _: types.SimpleNamespace(entries=entries))
    assert formats.problems(Path("a.sgf"), GAME) == [
        "a.sgf: illegal move 9 at 3/3/3 x",
        "a.sgf: weight -1.0 of a1 at 3/3/3 x",
        "a.sgf: weight nan of b1 at 3/3/3 x",
        "a.sgf: cut off",
    ]
    assert formats.book_game(Path("a.sgf")) is None


def test_the_game_of_a_file(tmp_path: Path) -> None:
    assert formats.book_game(tmp_path / "nowhere.bin") == "chess"
    file = tmp_path / "a.yml"
    file.write_text("lines: []\ngame: go:9\n")
    assert formats.book_game(file) == "go:9"
    with pytest.raises(BookError, match=r"are read, not written"):
        formats.write_book(tmp_path / "a.pgn", GAME, [])
