"""PGN: games with their results and players; broken ones are named and passed over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playout.books.base.past_games import BrokenGame, PastGame, replay
from playout.books.formats import open_book
from playout.books.past import pgn
from playout.games import catalogue
from playout.games.errors import BookError

CHESS: Any = catalogue.load("chess")
CHESS960: Any = catalogue.load("chess:chess960=true")

GAMES = """\
[Event "one"]
[White "Müller, Ä"]
[Black "?"]
[Result "1-0"]

{A comment with
[Event] in it.} 1. e4 e5 2. Nf3 (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 3. Bc4 ; to the end {
Nf6 4. O-O 1-0

[Event "two"]
[Result "0-1"]

1. e4 e5 2. Ke4 0-1

[White "no event"]
[Result "*"]

1. f3 e5 2. g4 Qh4# *

[Event "set up"]
[SetUp "1"]
[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]
[Result "1/2-1/2"]

1. a8=Q+ Kd7 1/2-1/2

[Event "open comment"]
[Result "1-0"]

1. d4 { never closed

[Event "variant"]
[Variant "Crazyhouse"]

1. d4 d5 *

[Event "last"]
[Result "0-1"]

1. c4 0-1
"""


def read(path: Path, game: Any = CHESS, **options: Any) -> list[PastGame | BrokenGame]:
    return list(pgn.read_games(path, game, **options))


def moves(game: Any, past: PastGame) -> list[str]:
    return [game.action_to_text(state, action) for state, action in replay(game, past.start, past.turns)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES, encoding="utf-8")
    return path


def test_games_are_read_and_broken_ones_named(file: Path) -> None:
    one, two, third, setup, comment, variant, last = read(file)
    assert isinstance(one, PastGame)
    assert moves(CHESS, one) == ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "e1g1"]
    assert (one.result, one.players) == (1, ("Müller, Ä", ""))
    assert isinstance(two, BrokenGame)
    assert two.message.startswith(f"{file}, line 10 (byte ")
    assert "game 2: illegal san: 'Ke4'" in two.message
    assert isinstance(third, PastGame)
    assert (third.result, third.players) == (-1, ("no event", ""))
    assert isinstance(setup, PastGame)
    assert moves(CHESS, setup) == ["a7a8q", "e8d7"]
    assert setup.result == 0
    assert isinstance(comment, PastGame)
    assert moves(CHESS, comment) == ["d2d4"]
    assert isinstance(variant, BrokenGame)
    assert "game 6: a game of crazyhouse" in variant.message
    assert isinstance(last, PastGame)
    assert moves(CHESS, last) == ["c2c4"]
    assert last.end.offset == file.stat().st_size


def test_reading_goes_on_from_any_mark(file: Path) -> None:
    games = read(file)
    for number, game in enumerate(games, 1):
        assert read(file, after=game.end) == games[number:]


def test_variations_are_read_if_wanted(file: Path) -> None:
    one = read(file, variations=True)[0]
    assert isinstance(one, PastGame)
    assert sorted((variation.branch, len(variation.turns)) for variation in one.variations) == [(2, 5), (3, 4)]
    for variation in one.variations:
        list(replay(CHESS, one.start, variation.turns))
    plain = read(file)[0]
    assert isinstance(plain, PastGame)
    assert plain.variations == ()


def test_chess960_castles_onto_the_rook(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(
        '[Event "x"]\n[Variant "Chess960"]\n[SetUp "1"]\n[Result "1-0"]\n'
        '[FEN "bbqnn1kr/pppppppp/8/8/8/8/PPPPPPPP/BBQNN1KR w Hh - 0 1"]\n\n1. O-O g6 1-0\n',
        encoding="utf-8",
    )
    (past,) = read(path, CHESS960)
    assert isinstance(past, PastGame)
    assert moves(CHESS960, past) == ["g1h1", "g7g6"]
    (refused,) = read(path)
    assert isinstance(refused, BrokenGame)
    assert "needs chess960=true" in refused.message


def test_latin_1_and_missing_tags_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_bytes(b'\xef\xbb\xbf[White "M\xfcller"]\n\n1. e4 *\n')
    (past,) = read(path)
    assert isinstance(past, PastGame)
    assert past.players[0] == "Müller"
    path.write_text("1. e4 e5 1-0\n\n1. d4 0-1\n", encoding="utf-8")
    first, second = read(path)
    assert isinstance(first, PastGame)
    assert isinstance(second, PastGame)
    assert (first.result, second.result) == (1, -1)


@pytest.mark.parametrize("text", ["", "\n\n", "hello", "[Event", '[Event "x"]\n', "{", "\0" * 300])
def test_what_is_no_game_breaks_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(text, encoding="utf-8")
    for past in read(path):
        assert isinstance(past, BrokenGame) or past.turns == ()
    with pytest.raises(BookError, match=r"a\.pgn"):
        open_book(path, CHESS)


def test_a_game_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgn, "LONGEST_GAME", 1000)
    path = tmp_path / "a.pgn"
    path.write_text('[Event "x"]\n\n1. e4 {' + "a " * 5000 + '} *\n\n[Event "y"]\n\n1. d4 *\n', encoding="utf-8")
    broken, past = read(path)
    assert isinstance(broken, BrokenGame)
    assert "longer than 1000 bytes" in broken.message
    assert isinstance(past, PastGame)
    assert moves(CHESS, past) == ["d2d4"]
    assert past.end.offset == path.stat().st_size


def test_a_file_of_games_is_a_book(file: Path) -> None:
    book = open_book(file, CHESS)
    names = {
        CHESS.action_to_text(CHESS.initial_state(), move.action): move for move in book.lookup(CHESS.initial_state())
    }
    assert set(names) == {"e2e4", "d2d4", "c2c4", "f2f3"}
    assert (names["e2e4"].wins, names["c2c4"].losses, names["e2e4"].weight) == (1, 1, 1.0)


def test_other_games_and_missing_files_are_refused(file: Path) -> None:
    with pytest.raises(BookError, match="PGN holds chess games, not hex:5"):
        read(file, catalogue.load("hex:5"))
    with pytest.raises(BookError, match="No such file"):
        read(file.parent / "none.pgn")
