"""Openings of a tournament: every format of files, their mistakes, order, and random plies."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.arena.file.openings import OpeningBook, read_openings
from playout.arena.file.types import Openings
from playout.arena.play.board import board_of
from playout.arena.terms.job import Opening
from playout.books.base.past_games import PastGame
from playout.books.past.pgn import read_games
from playout.cli.main import main
from playout.games import catalogue
from playout.games.errors import PlayoutError


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_openings_come_from_epd_and_fen(tmp_path: Path) -> None:
    text = (
        "# two positions\n"
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id "e4";\n'
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n"
    )
    found = read_openings(written(tmp_path, "two.epd", text), catalogue.load("chess"))
    assert [opening.start for opening in found] == [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1",
    ]
    assert [opening.name for opening in found] == ["two.epd, line 2", "two.epd, line 3"]


def test_openings_come_from_pgn_cut_to_plies(tmp_path: Path) -> None:
    path = written(tmp_path, "two.pgn", "1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n")
    assert [one.moves for one in read_openings(path, catalogue.load("chess"))] == [
        ("e2e4", "e7e5", "g1f3"),
        ("d2d4", "d7d5"),
    ]
    assert [one.moves for one in read_openings(path, catalogue.load("chess"), 1)] == [("e2e4",), ("d2d4",)]


TAGGED = """
[Event "one"]

1. e4 {1-0 or 1/2-1/2} e5 ; 0-1
*

[Event "two"]
[Result "1-0"]
1. d4 (1. c4) d5 1-0
[White "three"]

1. g3 { [Event "none"] } 1/2-1/2
"""


@pytest.mark.parametrize("more", ["", "{ *\n\n1. b3 }\n", "\n1. b3 *\n", '[Event "four"]\n\n1. b3\n\n1. f4\n'])
def test_games_of_pgn_are_found_without_reading_them(tmp_path: Path, more: str) -> None:
    path = written(tmp_path, "x.pgn", TAGGED + more)
    game = catalogue.load("chess")
    found = read_openings(path, game)
    assert isinstance(found, list) == more.endswith(("*\n", "4\n"))
    past = [one for one in read_games(path, game) if isinstance(one, PastGame)]
    assert [opening.name for opening in found] == [f"x.pgn, line {one.begin.line}" for one in past]
    assert [len(opening.moves) for opening in found] == [len(one.turns) for one in past]
    assert found[0].moves == ("e2e4", "e7e5")


def test_a_file_that_is_cut_off_meanwhile_is_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, "x.pgn", TAGGED)
    found = read_openings(path, catalogue.load("chess"))
    path.write_text("")
    with pytest.raises(PlayoutError, match=r"x\.pgn, line 7: the game that stood there is gone$"):
        found[1]


def test_pgn_of_another_game_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match="PGN holds chess games, not go:9"):
        read_openings(written(tmp_path, "x.pgn", TAGGED), catalogue.load("go:9"))


def test_openings_come_from_sgf(tmp_path: Path) -> None:
    path = written(tmp_path, "one.sgf", "(;GM[1]SZ[9];B[ee];W[gg])")
    assert [one.moves for one in read_openings(path, catalogue.load("go:9"))] == [("E5", "G3")]


def test_openings_come_from_lines_of_text(tmp_path: Path) -> None:
    path = written(tmp_path, "one.games", "playout games of connect_four:7,6\n*\t\td\tc\n")
    game = catalogue.load("connect_four")
    path.write_text(path.read_text().replace("connect_four:7,6", game.name))
    assert [one.moves for one in read_openings(path, game)] == [("d", "c")]


def test_openings_come_from_yaml(tmp_path: Path) -> None:
    path = written(tmp_path, "two.yaml", "- a1 b1\n- {moves: [c3], name: corner}\n")
    found = read_openings(path, catalogue.load("tic_tac_toe"))
    assert list(found) == [
        Opening(moves=("a1", "b1"), name="two.yaml, opening 1"),
        Opening(moves=("c3",), name="corner"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.epd", "", "x.epd: no openings"),
        ("x.epd", "# nothing\n\nnonsense\n", "x.epd, line 3: "),
        ("x.epd", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n", "x.epd, line 1: the game is over"),
        ("x.pgn", "1. e4 e4 *\n", "x.pgn, line 1"),
        ("x.pgn", "1. f3 e5 2. g4 Qh4# 0-1\n", "the opening ends the game; openings.plies cuts it"),
        ("x.yaml", "- e2e4 e2e4\n", "x.yaml, opening 1: illegal move"),
        ("x.yaml", "moves: 5\n", "x.yaml: a list of lines of moves expected"),
        ("x.yaml", "- [\n", "x.yaml, line 2: "),
    ],
)
def test_a_mistake_in_the_openings_is_told(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(PlayoutError, match=r"^[^\n]*$") as found:
        list(read_openings(written(tmp_path, name, text), catalogue.load("chess")))
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "x.epd",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n# two\n\nnonsense\n",
            r"x\.epd, line 4: ",
        ),
        ("x.yaml", "- e2e4\n- e2e5\n", r"x\.yaml, opening 2: illegal move"),
        (
            "x.pgn",
            '[Event "1"]\n\n1. e4 *\n\n[Event "2"]\n\n1. e5 *\n',
            r"x\.pgn, line 5 \(byte 22\), game 2: illegal san",
        ),
    ],
)
def test_an_opening_is_checked_when_it_is_drawn(tmp_path: Path, name: str, text: str, said: str) -> None:
    """A book may have hundreds of thousands of them."""
    book = OpeningBook(catalogue.load("chess"), Openings(file=str(written(tmp_path, name, text))), 1)
    assert len(book) == 2
    assert book[0] == book[2]
    with pytest.raises(PlayoutError, match=rf"^[^\n]*{said}[^\n]*$"):
        book[1]
    with pytest.raises(PlayoutError, match=said):
        book.check()


def test_the_check_of_a_tournament_reads_every_opening(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "x.yaml", "- a1\n- b1 b1\n")
    text = "engines: {a: {}, b: {}}\ngame: tic_tac_toe\nopenings: {file: x.yaml}\n"
    assert main(["arena", "check", str(written(tmp_path, "cup.yaml", text))]) == 2
    assert "x.yaml, opening 2: illegal move" in capsys.readouterr().err


def test_the_openings_begin_anew_after_the_last(tmp_path: Path) -> None:
    path = written(tmp_path, "three.yaml", "- a1\n- b1\n- c1\n")
    game = catalogue.load("tic_tac_toe")
    book = OpeningBook(game, Openings(file=str(path), start=2), 1)
    assert [book[number].moves[0] for number in range(4)] == ["b1", "c1", "a1", "b1"]
    with pytest.raises(PlayoutError, match="3 openings"):
        OpeningBook(game, Openings(file=str(path), start=4), 1)


def test_random_order_depends_on_the_seed_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "many.yaml", "".join(f"- {column}{row}\n" for column in "abc" for row in "123"))
    game, wanted = catalogue.load("tic_tac_toe"), Openings(file=str(path), order="random")
    orders = [[OpeningBook(game, wanted, seed)[number].moves[0] for number in range(9)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


@pytest.mark.parametrize("name", ["chess", "backgammon", "hex:5", "tic_tac_toe"])
def test_random_plies_differ_by_number_and_never_end_the_game(name: str) -> None:
    game = catalogue.load(name)
    book = OpeningBook(game, Openings(random=4), 1)
    found = [book[number] for number in range(20)]
    assert found == [OpeningBook(game, Openings(random=4), 1)[number] for number in range(20)]
    assert len({opening.moves for opening in found}) > 10
    for opening in found:
        board = board_of(game)
        for text in opening.moves:
            board.play(text)
        assert board.player is not None


def test_random_plies_that_always_end_the_game_are_told() -> None:
    with pytest.raises(PlayoutError, match="every line of tic_tac_toe"):
        OpeningBook(catalogue.load("tic_tac_toe"), Openings(random=9), 1)[0]
