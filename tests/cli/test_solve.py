"""``playout solve``: what it prints, stores and returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.books.tables.solved import read_solved
from playout.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tic_tac_toe"], "tic_tac_toe: draw, X to move"),
        (["tic_tac_toe", "--moves", "b2 b1"], "tic_tac_toe: X, to move, wins in 5 plies"),
        (["tic_tac_toe", "--moves", "a1,b1,b2,c3,a3,c1"], "tic_tac_toe: X, to move, wins in 1 ply"),
        (["tic_tac_toe", "--moves", "a1 b1 a2 b2 a3"], "tic_tac_toe: the game is over: X has won"),
        (["tic_tac_toe", "--position", "xxo/oox/xox o"], "tic_tac_toe: the game is over: draw"),
        (["hex:3", "--moves", "b2"], "hex:3: White, to move, loses"),
        (["hex:3", "--method", "alpha-beta"], "hex:3: Black, to move, wins in 5 plies"),
        (["connect_four:rows=4,columns=4"], "connect_four:4,rows=4: draw, X to move"),
    ],
)
def test_it_says_who_wins(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *arguments]) == 0
    assert capsys.readouterr().out.splitlines()[0] == said


def test_every_move_has_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "tic_tac_toe", "--position", "xo1/3/2x o", "--all-moves"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if len(line.split()) == 3 and line.split()[1] == "loses"]
    draws = [line.split()[0] for line in lines if line.split()[1:] == ["draws"]]
    assert len(rows) + len(draws) == 6
    assert "alpha-beta" in lines[-1]


def test_results_are_added_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "solved.jsonl"
    assert main(["solve", "tic_tac_toe", "--moves", "b2", "--all-moves", "--out", str(file)]) == 0
    assert main(["solve", "hex:3", "--out", str(file)]) == 0
    assert main(["solve", "tic_tac_toe", "--position", "3/1x1/3 o", "--out", str(file)]) == 0
    hexes, ttt = sorted(read_solved(file), key=lambda one: one.game)
    assert (hexes.game, hexes.player, hexes.value, hexes.plies, hexes.moves) == ("hex:3", 0, 1.0, None, ())
    assert (ttt.position, ttt.player, ttt.value, ttt.results) == ("3/1x1/3 o", 1, 0.0, {})
    assert ttt.best[0] in ("a1", "a3", "c1", "c3")
    assert main(["solve", "tic_tac_toe", "--moves", "b2", "--all-moves", "--out", str(file)]) == 0
    ttt = next(one for one in read_solved(file) if one.game == "tic_tac_toe")
    assert sorted(ttt.best) == ["a1", "a3", "c1", "c3"]
    assert {move: value for move, (value, _) in ttt.results.items()} == {
        **dict.fromkeys(("a1", "a3", "c1", "c3"), 0.0),
        **dict.fromkeys(("a2", "b1", "b3", "c2"), -1.0),
    }
    capsys.readouterr()


def test_a_users_game_is_stored_with_its_parameters(tmp_path: Path) -> None:
    file = tmp_path / "solved.jsonl"
    name = f"{Path(__file__).parent.parent / 'users' / 'mnk.py'}:Mnk:3,2,3"
    assert main(["solve", name, "--out", str(file)]) == 0
    (one,) = read_solved(file)
    assert (one.game, one.position, one.value) == (name, None, 0.0)


def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", "connect_four", "--out", str(tmp_path / "none" / "x.jsonl")]) == 2
    assert "x.jsonl: no such folder" in capsys.readouterr().err
    assert main(["solve", "connect_four", "--out", str(tmp_path)]) == 2
    assert "a folder, not a file" in capsys.readouterr().err


def test_unsolved_is_status_1_and_stores_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "solved.jsonl"
    assert main(["solve", "connect_four", "--time", "0.05", "--hash", "8", "--out", str(file)]) == 1
    assert "not solved: the value for X, to move, is in [-1, 1]" in capsys.readouterr().out
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "GAME"),
        (["shogi"], "no game 'shogi'"),
        (["hex:3", "--method", "magic"], "playout: --method: 'magic' is not one of 'auto', "),
        (["hex:3", "--moves", "a1 a1"], "a1"),
        (["hex:3", "--position", "x"], "not a hex position"),
        (["backgammon", "--method", "proof-number"], "cannot solve a game with dice"),
        (["hex:3", "--hash", "0"], "playout: --hash: Input should be"),
        (["hex:3", "--out", __file__], "not a solved position"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert words in said.err
