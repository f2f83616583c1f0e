"""Engines with a book: whose move is played, what the engine is told, and wrong books."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from playout.arena.drivers import gtp, xboard
from playout.arena.drivers.booked import BookedDriver, book_of
from playout.arena.drivers.driver import Driver
from playout.arena.drivers.table import start
from playout.arena.terms.job import PlayerBook
from playout.games import catalogue
from playout.games.errors import BookError

from ..players import ScriptedDriver
from .playing import UNBOUNDED, ask, play, player
from .scripted import script

TIC_TAC_TOE = catalogue.load("tic_tac_toe")
EMPTY = "3/3/3 x"
LINES = "game: tic_tac_toe\nlines:\n  - b2 a1 c3\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "book.yaml"
    path.write_text(LINES)
    return path


def booked(driver: Driver, file: Path, game: Any = TIC_TAC_TOE, plies: int | None = None, seed: int = 1) -> Driver:
    """The engine with a book, at the beginning of a game."""
    found = BookedDriver(driver, book_of(PlayerBook(str(file)), game), plies)
    found.begin(game, None, UNBOUNDED, afresh=True, seed=seed)
    return found


def test_the_book_plays_before_the_engine(file: Path) -> None:
    driver = booked(ScriptedDriver(["a3", "b3"]), file)
    answer = ask(driver, [])
    assert (answer.move, answer.seconds, answer.book) == ("b2", 0.0, True)
    answer = ask(driver, ["b2", "a1"])
    assert (answer.move, answer.book) == ("c3", True)
    answer = ask(driver, ["b2", "a1", "c3", "c1"])
    assert (answer.move, answer.book) == ("a3", False)


def test_the_book_is_asked_in_the_first_plies(file: Path) -> None:
    driver = booked(ScriptedDriver(["a3"]), file, plies=2)
    assert ask(driver, []).move == "b2"
    assert ask(driver, ["b2", "a1"]).move == "a3"


def test_moves_are_drawn_by_their_weights(file: Path) -> None:
    file.write_text(f"game: tic_tac_toe\npositions:\n  {EMPTY}: {{b2: 3, a1: 1, b1: 0}}\n")
    drawn = Counter(ask(booked(ScriptedDriver([]), file, seed=seed), []).move for seed in range(200))
    assert set(drawn) == {"b2", "a1"}
    assert 120 < drawn["b2"] < 180


def test_an_engine_of_gtp_hears_the_moves_of_its_book(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = catalogue.load("go:5")
    (tmp_path / "go.yaml").write_text('game: "go:5"\nlines:\n  - C3 D3 C4\n')
    replies = {"list_commands": "= name", "genmove b": "= A1"}
    started = script(monkeypatch, gtp, lambda line: [replies.get(line, "="), ""])
    driver = booked(start(player(["engine"], "gtp", UNBOUNDED), game), tmp_path / "go.yaml", game)
    moves = ["C3", "D3", "C4", "D4"]
    assert [ask(driver, moves[:count]).move for count in (0, 2)] == ["C3", "C4"]
    started[0].take()
    assert ask(driver, moves).move == "A1"
    assert started[0].take() == ["play b C3", "play w D3", "play b C4", "play w D4", "genmove b"]


def test_an_engine_of_xboard_hears_the_moves_of_its_book(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = catalogue.load("chess")
    (tmp_path / "chess.yaml").write_text("game: chess\nlines:\n  - e4 e5 Nf3\n")
    replies = {"protover 2": ["feature ping=1 colors=0 done=1"], "go": ["move f1b5"]}
    started = script(monkeypatch, xboard, lambda line: replies.get(line, [line.replace("ping", "pong")]))
    driver = booked(start(player(["engine"], "xboard", UNBOUNDED), game), tmp_path / "chess.yaml", game)
    moves = ["e2e4", "e7e5", "g1f3", "b8c6"]
    assert [ask(driver, moves[:count]).move for count in (0, 2)] == ["e2e4", "g1f3"]
    started[0].take()
    assert ask(driver, moves).move == "f1b5"
    assert started[0].take() == ["e2e4", "e7e5", "g1f3", "b8c6", "go"]


def test_playout_itself_goes_on_from_the_book(file: Path) -> None:
    game = TIC_TAC_TOE
    driver = start(player([], "inside", book=PlayerBook(str(file))), game)
    try:
        record = play(game, (driver, driver))
    finally:
        driver.close()
    assert record.moves[:3] == ["b2", "a1", "c3"]
    assert [answer.book for answer in record.answers] == [True] * 3 + [False] * (len(record.answers) - 3)


@pytest.mark.parametrize(
    ("name", "said"),
    [("none.bin", "No such file"), ("book.txt", "no book format has such a name"), ("book.yaml", "tic_tac_toe")],
)
def test_wrong_books(file: Path, name: str, said: str) -> None:
    """One line names the file; no engine is started."""
    wanted = player(["no-such-engine"], "uci", book=PlayerBook(str(file.with_name(name))))
    with pytest.raises(BookError, match=said) as caught:
        start(wanted, catalogue.load("chess"))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
