"""``playout book``: what it prints, writes and returns."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from chess import polyglot

from playout.books.shipped import FOLDER
from playout.cli.main import main

MNK = f"{Path(__file__).parents[2]}/users/mnk.py:Mnk"
BOOK = """\
game: hex:5
lines:
- c3:3 c2 {close}
- c3 b4:2+1=0-4 d2
- a5
"""
CHESS = "game: chess\nlines:\n- e4:3 e5 Nf3\n- d4:2+5=4-3~6 d5\n- e4 f6? d4\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "mine.yaml"
    file.write_text(BOOK)
    return file


def test_show_draws_the_board_and_the_tree(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "show", str(book)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["  a b c d e", "1 . . . . . 1"]
    at = lines.index("5/5/5/5/5 b")
    assert lines[at + 1 :] == [
        "mine.yaml, hex:5",
        "├── c3  75%  weight 3",
        "│   ├── b4  67%  weight 2  +1 =0 -4",
        "│   │   └── d2  100%  weight 1",
        "│   └── c2  33%  weight 1  (close)",
        "└── a5  25%  weight 1",
    ]


def test_show_takes_moves_position_depth_and_width(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "show", str(book), "--depth", "1", "--width", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "└── c3  75%  weight 3 ..."
    for where in (["--moves", "c3 b4"], ["--position", "5/5/2b2/1w3/5 b"]):
        assert main(["book", "show", str(book), *where]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "└── d2  100%  weight 1"
    assert main(["book", "show", str(book), "--moves", "b1"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "mine.yaml does not know this position"
    book.write_text("game: hex:5\npositions:\n  5/5/2b2/5/5 w: {b4: 1}\n")
    assert main(["book", "show", str(book)]) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == "mine.yaml does not know this position; it knows what follows c3"


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_show_draws_a_picture(suffix: str, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"tree.{suffix}"
    assert main(["book", "show", str(book), "--picture", str(file)]) == 0
    assert f"picture: {file}" in capsys.readouterr().out
    first = file.read_bytes()
    if suffix == "svg":
        texts = {
            "".join(node.itertext()).strip() for node in ElementTree.fromstring(first).iter() if "text" in node.tag
        }
        assert {"c3 75%", "b4 67% +1=0-4", "d2 100%", "a5 25%"} <= texts
        assert b"data:image/svg+xml,%3Csvg" in first, "the board"
    else:
        assert first.startswith(b"\x89PNG")
    assert main(["book", "show", str(book), "--picture", str(file)]) == 0
    assert file.read_bytes() == first


def test_show_without_matplotlib(
    book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    picture = tmp_path / "tree.svg"
    assert main(["book", "show", str(book), "--picture", str(picture)]) == 2
    out, error = capsys.readouterr()
    said = "matplotlib is not installed; pip install 'playout[plots]' brings it"
    assert (out, error) == ("", f"playout: --picture {picture}: {said}\n")
    assert not picture.exists()
    assert main(["book", "show", str(book)]) == 0, "without a picture it is not needed"


def test_check_lists_every_mistake_of_every_book(
    book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, cut = tmp_path / "wrong.yaml", tmp_path / "cut.bin"
    wrong.write_text("game: hex:5\nlines:\n- c3 c3\n- a1:-1\n")
    cut.write_bytes(bytes(17))
    assert main(["book", "check", str(book)]) == 0
    assert capsys.readouterr().out == f"{book}: no problem found in 3 positions, 5 moves\n"
    assert main(["book", "check", str(wrong), str(book), str(cut), str(tmp_path / "nowhere.yaml")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{wrong}, line 3, column 6: illegal move: 'c3'")
    assert lines[1].startswith(f"{wrong}, line 4, column 3: not a weight: '-1'")
    assert lines[2] == f"{wrong}: 2 problems"
    assert lines[3] == f"{book}: no problem found in 3 positions, 5 moves"
    assert lines[4] == f"{cut}: 17 bytes, no multiple of 16: cut off, or no Polyglot book"
    assert lines[6].startswith(f"{tmp_path}/nowhere.yaml: No such file")


def test_merge_adds_weights_and_counts(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line of the other book is a symmetry image of one of the first, by the half turn of Hex."""
    other, out = tmp_path / "other.yaml", tmp_path / "out.yaml"
    other.write_text("game: hex:5\nlines:\n- c3 d2:5+1=1-1\n- b1\n")
    assert main(["book", "merge", str(out), str(book), str(other)]) == 0
    assert capsys.readouterr().out == f"{out}: 3 positions, 6 moves\n"
    assert out.read_text() == ("version: 1\ngame: hex:5\nlines:\n- c3:4 b4:7+2=1-5 d2\n- c3 c2 {close}\n- a5\n- b1\n")
    assert main(["book", "merge", str(out), str(out), str(other)]) == 0
    assert "b4:12+3=2-6" in out.read_text()


def test_convert_and_stat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out, back = (tmp_path / name for name in ("a.yaml", "b.bin", "c.yaml"))
    source.write_text(CHESS)
    assert main(["book", "convert", str(source), str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: 5 positions, 7 moves\n"
    with polyglot.open_reader(out) as reader:
        assert len(reader) == 7
    assert main(["book", "convert", str(out), str(back)]) == 0
    assert "(7 of the file's 7 entries are reached from the start)" in capsys.readouterr().out
    assert back.read_text() == (
        "version: 1\ngame: chess\nlines:\n- e2e4:3 e7e5 g1f3\n- e2e4 f7f6? d2d4\n- d2d4:2~6 d7d5\n"
    )
    assert main(["book", "stat", str(source)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["positions", "5"] in lines and ["moves", "7", "(1", "of", "weight", "0)"] in lines
    assert ["games", "counted", "12"] in lines
    assert [line[:2] for line in lines[-3:]] == [["0", "1"], ["1", "2"], ["2", "2"]]


@pytest.mark.long
def test_a_book_of_games_whose_results_say_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has weights in place of wins, draws and losses, and its statistics claim no results."""
    game, book = tmp_path / "openings.pgn", tmp_path / "a.book"
    opening = '[Event "?"]\n[Result "1/2-1/2"]\n\n1. {} 1/2-1/2\n\n'
    game.write_text("".join(map(opening.format, ("e4 e5 2. Nf3", "e4 e5 2. Nc3", "d4 d5"))))
    words = ["book", "build", str(book), "--game", "chess", "--from", str(game), "--weights", "count", "--minimum", "2"]
    assert main([*words, "--no-results"]) == 2
    assert "--no-results needs --trim" in capsys.readouterr().err
    assert not book.exists()
    assert main([*words, "--trim", "--no-results"]) == 0
    capsys.readouterr()
    assert main(["book", "show", str(book)]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "└── e2e4  100%  weight 2",
        "    └── e7e5  100%  weight 2",
    ]
    assert main(["book", "stat", str(book)]) == 0
    assert "games counted     none: the moves have no results" in capsys.readouterr().out
    book.unlink()
    assert main([*words, "--trim"]) == 0
    capsys.readouterr()
    assert main(["book", "stat", str(book)]) == 0
    assert "games counted     2" in capsys.readouterr().out


def test_shipped_stands_for_the_books_of_the_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def lines(*words: str) -> list[str]:
        assert main(["book", *words, "--game", "tic_tac_toe"]) == 0
        return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    assert "tic_tac_toe.book, tic_tac_toe" in lines("show", "shipped", "--depth", "1")
    (checked,) = lines("check", "shipped")
    assert checked.endswith("tic_tac_toe.book: no problem found in 627 positions, 2,096 moves")
    assert "positions 627" in lines("stat", "shipped")
    for command in ("convert", "merge"):
        out = tmp_path / f"{command}.book"
        words = ("shipped", str(out)) if command == "convert" else (str(out), "shipped")
        assert lines(command, *words) == [f"{out}: 627 positions, 2,096 moves"]


def test_check_takes_a_bear_off_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, cut = FOLDER / "backgammon.bearoff", tmp_path / "cut.bearoff"
    cut.write_bytes(whole.read_bytes()[:-1])
    assert main(["book", "check", str(whole), str(cut), "--game", "backgammon"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{whole}: no problem found",
        f"{cut}: 3795573 bytes instead of 3795574",
        f"{cut}: 1 problem",
    ]


def test_a_game_in_a_file_is_allowed_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"game: {MNK}\nlines: [4 0 1]\n")
    assert main(["book", "stat", str(file)]) == 2
    assert "to load it, add --game" in capsys.readouterr().err
    assert main(["book", "stat", str(file), "--game", MNK]) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing command"),
        (["forget"], "No such command 'forget'"),
        (["show"], "FILE"),
        (["show", "nowhere.yaml"], "nowhere.yaml: No such file"),
        (["show", "book.txt"], "no book format has such a name"),
        (["show", "{book}", "--game", "chess"], "line 1, column 7: a book of hex:5, not of chess"),
        (["show", "{book}", "--moves", "c3 c3"], "illegal move: 'c3'"),
        (["show", "{book}", "--position", "x"], "not a hex position"),
        (["show", "{book}", "--picture", "tree.gif"], "--picture tree.gif: the name ends in .png or .svg"),
        (["show", "{book}", "--picture", "no/where.svg"], "no such folder"),
        (["convert", "{book}", "{book}"], "the output must be another file"),
        (["convert", "{book}", "out.pgn"], "are read, not written"),
        (["convert", "{book}", "out.bin"], "of chess, not of hex:5"),
        (["merge", "{book}"], "FILE..."),
        (["stat", "nowhere.bin"], "nowhere.bin: No such file"),
        (["stat", "shipped"], "shipped: name the game with --game"),
        (["check", "shipped", "--game", "hex:13"], "shipped: no book of hex:13 comes with playout"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    arguments: list[str],
    words: str,
    book: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["book", *(word.format(book=book) for word in arguments)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1 and words in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"] and book.read_text() == BOOK
