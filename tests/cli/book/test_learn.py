"""``playout book learn``: what it writes, prints and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.books.store.reader import entries
from playout.cli.main import main
from playout.games import catalogue

MNK = f"{Path(__file__).parents[2]}/users/mnk.py:Mnk"
FEW = ["--nodes", "30", "--positions", "5"]


@pytest.fixture
def book(tmp_path: Path) -> str:
    return str(tmp_path / "own.book")


def test_it_says_how_far_it_came_and_goes_on(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["book", "learn", book, "--game", "hex:5", "--option", "EvalFile=", "--nodes", "30", "--positions"]
    assert main([*words, "5"]) == 0
    first, best = capsys.readouterr().out.splitlines()
    assert first.endswith("5 positions, 5 expanded; the same command goes on")
    assert best.startswith("best line: ") and "(value " in best
    assert main([*words, "8"]) == 0
    assert "8 positions, 3 expanded" in capsys.readouterr().out
    assert main(["book", "check", book]) == 0
    assert "no problem found in 8 positions" in capsys.readouterr().out
    assert main(["book", "show", book, "--depth", "1"]) == 0
    assert f"── {best.split()[2]}  " in capsys.readouterr().out


def test_nothing_is_left_to_expand_once_the_start_is_proven(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    for expanded in (1, 0):
        assert main(["book", "learn", book, "--game", "tic_tac_toe"]) == 0
        said = capsys.readouterr().out
        assert f"{expanded} expanded; nothing is left to expand" in said and "(value +0.000, exact)" in said


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("hex:5", ["--moves", "c3 b4"]),
        ("hex:5", ["--position", "5/5/2b2/1w3/5 b"]),
        ("chess", ["--position", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "--width", "1", "--alpha", "0"]),
        ("go:5", ["--seed", "7", "--option", "Exploration=1", "--option", "Rave=false", "--hash", "8"]),
        ("connect_four", ["--threads", "2", "--margin", "0.2"]),
        ("chess", ["--option", "UCI_Chess960=true"]),  # an option that a hook of the game brings
        ("backgammon", ["--minutes", "60"]),
        ("backgammon", ["--nodes", "1"]),
        ("go:5", ["--nodes", "1"]),
        (MNK, []),
    ],
)
def test_any_game_and_start(game: str, words: list[str], book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "learn", book, "--game", game, *FEW, *words]) == 0
    assert "5 positions, " in capsys.readouterr().out
    assert len(list(entries(Path(book), catalogue.load(game)))) == 5


def test_no_time_at_all_is_an_empty_book(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "learn", book, "--game", "hex:5", "--minutes", "0"]) == 0
    assert capsys.readouterr().out.endswith("0 positions, 0 expanded; the same command goes on\n")


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--game", "nosuch"], "nosuch"),
        (["--game", "hex:5", "--nodes", "0"], "nodes"),
        (["--game", "hex:5", "--width", "0"], "width"),
        (["--game", "hex:5", "--alpha", "-1"], "alpha"),
        (["--game", "hex:5", "--margin", "0"], "margin"),
        (["--game", "hex:5", "--positions", "none"], "positions"),
        (["--game", "hex:5", "--option", "Exploration"], "expected NAME=VALUE"),
        (["--game", "hex:5", "--option", "NoSuch=1"], "no option 'NoSuch'"),
        (["--game", "hex:5", "--option", "Exploration=-1"], "option Exploration"),
        (["--game", "backgammon", "--option", "Rave=true"], "option Rave true: it is undefined in backgammon"),
        (["--game", "hex:5", "--moves", "c3 c3"], "illegal move"),
        (["--game", "hex:5", "--position", "rubbish"], "rubbish"),
        (["--game", "tic_tac_toe", "--moves", "a1 a2 b1 b2 c1"], "the game is over"),
        ([], "game"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    words: list[str], said: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["book", "learn", book, *words]) == 2
    assert said in capsys.readouterr().err
    assert not Path(book).exists()


@pytest.mark.parametrize("name", ["own.yaml", "own.bin", "no/such/folder/own.book"])
def test_where_no_book_can_be(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "learn", str(tmp_path / name), "--game", "chess"]) == 2
    assert name.rpartition("/")[2].rpartition(".")[2] in capsys.readouterr().err


def test_a_book_of_another_game_is_left_alone(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "learn", book, "--game", "hex:5", *FEW]) == 0
    before = Path(book).read_bytes()
    assert main(["book", "learn", book, "--game", "go:5", *FEW]) == 2
    assert "hex:5" in capsys.readouterr().err
    assert Path(book).read_bytes() == before
