"""``playout book build`` from the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from playout.books import formats
from playout.books.formats import open_book
from playout.books.store import reader
from playout.cli import console
from playout.cli.book import build
from playout.games import catalogue
from playout.games.errors import BookError

from .past_games import random_pgn

CHESS: Any = catalogue.load("chess")


def run(*words: object) -> str:
    """The standard output of the command."""
    console.console.cache_clear()
    app = typer.Typer()
    app.command()(build.command)
    done = CliRunner().invoke(app, [str(word) for word in words])
    console.console.cache_clear()
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(random_pgn(30, 2) + "\n1. e4 e4 *\n", encoding="utf-8")
    return path


def test_a_book_is_built_and_added_to(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.book"
    said = run(out, "--game", "chess", "--from", games)
    assert "30 games added, 0 known already, 0 not wanted, 1 broken" in said
    assert f"skipped: {games}, line" in said
    assert "0 games added, 0 known already" in run(out, "--game", "chess", "--from", games)
    more = tmp_path / "more.pgn"
    more.write_text(random_pgn(5, 3), encoding="utf-8")
    assert "5 games added, 30 known already" in run(
        out, games, more, "--game", "chess", "--min-length", 1, "--player", "P"
    )
    assert open_book(out, CHESS).lookup(CHESS.initial_state())


def test_weights_minimum_and_trimming(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.book"
    run(out, games, "--game", "chess", "--weights", "count", "--minimum", 3)
    moves = open_book(out, CHESS).lookup(CHESS.initial_state())
    assert all(move.weight == move.wins + move.draws + move.losses >= 3 for move in moves)
    book = reader.open_book(out, CHESS)
    size = len(book)
    book.close()
    run(out, "--game", "chess", "--weights", "count", "--minimum", 3, "--trim")
    assert list(open_book(out, CHESS).lookup(CHESS.initial_state())) == list(moves)
    book = reader.open_book(out, CHESS)
    assert len(book) < size
    book.close()
    with pytest.raises(BookError, match="explicit weights"):
        run(out, games, "--game", "chess")
    run(tmp_path / "b.book", out, games, "--game", "chess")


def test_what_another_book_gives_no_weight_is_never_played(games: Path, tmp_path: Path) -> None:
    out, never = tmp_path / "a.book", tmp_path / "never.yaml"
    run(out, games, "--game", "chess")
    start = CHESS.initial_state()
    best, second, *_ = open_book(out, CHESS).lookup(start)
    one, two = (CHESS.action_to_text(start, move.action) for move in (best, second))
    never.write_text(f"game: chess\nlines:\n- {one}: 0\n- {two}: 5\n- a3 e5:0\n- {one} f6?\n", encoding="utf-8")
    for words in ([], ["--trim"]):
        run(out, games, "--game", "chess", "--never", never, *words)
        known = {move.action: move for move in open_book(out, CHESS).lookup(start)}
        assert known[best.action] == replace(best, weight=0.0)
        assert known[second.action] == second
        after = CHESS.next_state(start, best.action)
        assert all(CHESS.action_to_text(after, move.action) != "f7f6" for move in open_book(out, CHESS).lookup(after))
    assert formats.problems(out, CHESS) == []
    with pytest.raises(BookError, match="No such file"):
        run(tmp_path / "b.book", games, "--game", "chess", "--never", tmp_path / "none.yaml")


def test_players_and_colours(games: Path, tmp_path: Path) -> None:
    white = run(tmp_path / "a.book", games, "--game", "chess", "--player", "player 1", "--colour", "white")
    first = run(tmp_path / "a2.book", games, "--game", "chess", "--player", "player 1", "--colour", "first")
    black = run(tmp_path / "b.book", games, "--game", "chess", "--player", "player 1", "--colour", "black")
    assert white.partition("positions;")[2] == first.partition("positions;")[2] != black.partition("positions;")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.bin"], "must end in .book"),
        (["a.book"], "no input files"),
        (["a.book", "--colour", "white"], "--colour needs --player"),
        (["a.book", "none.pgn"], "no such file"),
        (["folder.book"], "a folder"),
        (["nowhere/a.book", "games.pgn"], "unable to open"),
        (["games.book", "games.pgn"], "not a book store"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: list[str], message: str, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.book").mkdir()
    (tmp_path / "games.book").write_bytes(games.read_bytes())
    with pytest.raises(BookError, match=message) as raised:
        run(*words, "--game", "chess")
    assert "\n" not in str(raised.value)
