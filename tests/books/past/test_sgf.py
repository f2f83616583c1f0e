"""SGF: Go with handicap and set-up stones, Hex with the swap in its dialects, variations, collections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.books.base.past_games import BrokenGame, PastGame, replay
from playout.books.formats import book_game, open_book
from playout.books.past import sgf
from playout.games import catalogue
from playout.games.errors import BookError, GameError
from playout.games.support.sgf import main_line, tree


def read(tmp_path: Path, game: str, text: str, **options: Any) -> list[PastGame | BrokenGame]:
    path = tmp_path / "a.sgf"
    path.write_text(text, encoding="utf-8")
    return list(sgf.read_games(path, catalogue.load(game), **options))


def one(tmp_path: Path, game: str, text: str, **options: Any) -> PastGame:
    (past,) = read(tmp_path, game, text, **options)
    assert isinstance(past, PastGame), past
    return past


def moves(name: str, past: PastGame, turns: Any = None) -> list[str]:
    game: Any = catalogue.load(name)
    steps = replay(game, past.start, past.turns if turns is None else turns)
    return ["BW"[game.current_player(state)] + " " + game.action_to_text(state, action) for state, action in steps]


def why(tmp_path: Path, game: str, text: str) -> str:
    (broken,) = read(tmp_path, game, text)
    assert isinstance(broken, BrokenGame)
    return broken.message


def test_a_game_of_go(tmp_path: Path) -> None:
    text = "(;GameMode[1]FF[3]GM[1]SZ[5]PlayerBlack[a \\] b]PW[w]RE[W+3.5]KM[6.5];B[cc];W[dc]\n;B[];W[tt])"
    past = one(tmp_path, "go:5", text)
    assert moves("go:5", past) == ["B C3", "W D3", "B pass", "W pass"]
    assert (past.result, past.players) == (-1, ("a ] b", "w"))


@pytest.mark.parametrize(
    ("root", "board", "mover"),
    [
        ("HA[2]AB[gc][cg];W[ee]", {"G7", "C3"}, 1),
        ("HA[2];W[ee]", {"G7", "C3"}, 1),
        ("AB[gc];AB[cg];W[ee]", {"G7", "C3"}, 1),
        ("AB[aa:bb]AE[bb]PL[W]", {"A9", "B9", "A8"}, 1),
        ("HA[2]AB[gc][cg]", {"G7", "C3"}, 1),
        ("AB[gc]PL[B];B[ee]", {"G7"}, 0),
    ],
)
def test_handicap_and_setup_make_the_start(root: str, board: set[str], mover: int, tmp_path: Path) -> None:
    game: Any = catalogue.load("go:9")
    past = one(tmp_path, "go:9", f"(;GM[1]SZ[9]{root})")
    assert past.start.player == mover
    black, white = game.stones(past.start)
    assert ({game.action_to_text(past.start, point) for point in black}, white) == (board, frozenset())


def test_a_board_that_is_not_square(tmp_path: Path) -> None:
    text = "(;GM[1]SZ[13:9]HA[2];W[ae];B[ma])"
    past = one(tmp_path, "go:13x9", text)
    assert {(point % 13, point // 13) for point in catalogue.load("go:13x9").stones(past.start)[0]} == {(3, 2), (9, 6)}
    assert moves("go:13x9", past) == ["W A5", "B N9"]
    assert "a board of 13x9, not 9" in why(tmp_path, "go:9", text)
    assert book_game(tmp_path / "a.sgf") == "go:13x9"


def test_free_handicap_stones_are_moves_out_of_turn(tmp_path: Path) -> None:
    past = one(tmp_path, "go:9", "(;SZ[9]HA[2];B[gc];B[cg];W[ee])")
    assert moves("go:9", past) == ["B G7", "B C3", "W E5"]


def test_play_after_the_end_is_left_out(tmp_path: Path) -> None:
    assert len(one(tmp_path, "go:5", "(;SZ[5];B[aa];W[];B[];W[bb])").turns) == 3
    assert len(one(tmp_path, "hex:2", "(;GM[11]SZ[2];B[a1];W[b1];B[a2];W[b2])").turns) == 3


def test_results_are_those_of_resigning_and_of_the_board(tmp_path: Path) -> None:
    assert one(tmp_path, "hex:3", "(;GM[11]SZ[3];B[a1];W[resign])").result == 1
    assert one(tmp_path, "hex:2", "(;GM[11]SZ[2];B[a1];W[b1];B[a2])").result == 1
    assert one(tmp_path, "hex:3", "(;GM[11]SZ[3];B[a1])").result is None
    assert one(tmp_path, "go:5", "(;SZ[5]RE[Draw];B[aa])").result == 0
    assert one(tmp_path, "go:5", "(;SZ[5]RE[Void];B[aa])").result is None


PLAIN = ["B b1", "W c2", "B a3"]
"""A game without the swap rule, as swapped sides leave it."""
SWAPPED = ["B b1", "W swap-pieces", "B b3", "W c1"]
"""The same with the rule: the board reflected, the colours exchanged."""


@pytest.mark.parametrize(
    "record",
    [
        "B[b1];W[swap-sides];W[c2];B[a3]",
        "B[b1];W[swap-pieces];W[c2];B[a3]",
        "B[b1];W[SWAP];W[c2];B[a3]",
        "B[b1];W[swap-pieces];B[b3];W[c1]",
        # White first, by the letters of cells: the whole board stands on its other side.
        "W[a2];B[swap-pieces];W[c2];B[a3]",
        # Little Golem: White first, and White connects top and bottom.
        "W[ba];B[swap];W[bc];B[ca]",
    ],
)
def test_swaps_of_all_dialects_are_one_game(record: str, tmp_path: Path) -> None:
    text = f"(;GM[11]SZ[3]PB[x]PW[y]RE[{'B' if 'swap-pieces];B' in record else 'W'}+];{record})"
    plain, swapped = one(tmp_path, "hex:3", text), one(tmp_path, "hex:3,swap=true", text)
    assert moves("hex:3", plain) == PLAIN
    assert moves("hex:3,swap=true", swapped) == SWAPPED
    first = "y" if record.startswith("W") else "x"
    assert swapped.players[0] == first
    assert plain.players[1] == first
    if record.startswith("B"):
        assert (plain.result, swapped.result) == (-1, 1)


def test_a_swap_at_another_time_is_broken(tmp_path: Path) -> None:
    assert "not the answer to the first move" in why(tmp_path, "hex:3", "(;GM[11]SZ[3];B[a1];W[b1];B[swap])")
    assert "the same colour is to move" in why(tmp_path, "hex:3", "(;GM[11]SZ[3];B[a1];W[swap-sides];B[b1])")


def test_a_hex_position_that_is_set_up(tmp_path: Path) -> None:
    past = one(tmp_path, "hex:3", "(;GM[11]SZ[3]AB[a1][b1]AW[c3]PL[W];W[c2];W[c1])")
    assert (past.start.board, past.start.player) == ("bb......w", 1)
    assert moves("hex:3", past) == ["W c2", "W c1"]


def test_variations(tmp_path: Path) -> None:
    text = "(;GM[1]SZ[9];B[ee](;W[ec];B[cc](;W[aa])(;W[bb]))(;W[cc](;B[dd];W[hh])))"
    past = one(tmp_path, "go:9", text, variations=True)
    assert moves("go:9", past) == ["B E5", "W E7", "B C7", "W A9"]
    assert [(variation.branch, moves("go:9", past, variation.turns)[-1]) for variation in past.variations] == [
        (3, "W B8"),
        (1, "W H2"),
    ]
    assert one(tmp_path, "go:9", text).variations == ()


COLLECTION = (
    "(;SZ[5];B[aa])\njunk (;SZ[5];B[bb];C[ \\] ( )])\n"
    "(;FF[4]SZ[5];B[cc]\n(;FF[4]SZ[9];B[aa])(;SZ[5];B[zz])(;SZ[5];B[dd])"
)


def test_a_collection_with_broken_games(tmp_path: Path) -> None:
    games = read(tmp_path, "go:5", COLLECTION)
    good = [past for past in games if isinstance(past, PastGame)]
    assert [moves("go:5", past) for past in good] == [["B A5"], ["B B4"], ["B D2"]]
    messages = [past.message for past in games if isinstance(past, BrokenGame)]
    assert "line 3 (byte 46), game 3: not SGF: no end of the game" in messages[0]
    assert "line 4 (byte 65), game 4: a record of a board of 9, not 5" in messages[1]
    assert "SGF: no point 'zz' on a board of 5" in messages[2]
    for number, past in enumerate(games, 1):
        assert read(tmp_path, "go:5", COLLECTION, after=past.end) == games[number:]


def test_a_game_that_is_too_long_does_not_swallow_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sgf, "LONGEST_GAME", 1000)
    monkeypatch.setattr(sgf, "CHUNK", 100)
    text = "(;SZ[5]C[" + "x" * 3000 + "])\n(;GM[1]SZ[5];B[bb])"
    games = read(tmp_path, "go:5", text)
    assert isinstance(games[0], BrokenGame)
    assert isinstance(games[-1], PastGame)
    assert games[-1].end.offset == len(text)


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        ("go:5", "(;GM[11]SZ[5];B[a1])", "another game (GM[11])"),
        ("go:5", "(;B[aa])", "a board of 19, not 5"),
        ("go:5", "(;SZ[5];B[aa];W[aa])", "move 2: illegal move: 'A5'"),
        ("go:5", "(;SZ[5];B[aa];AB[bb])", "in the middle"),
        ("go:5", "(;SZ[5]AB[])", "without a point"),
        ("go:5", "(;SZ[5]AB[aa]AW[ab][ba])", "no liberty"),
        ("hex:3", "(;GM[11]SZ[3];B[d1])", "a cell of a board of 3"),
        ("hex:3", "(;GM[11]SZ[3];B[pass])", "a cell"),
        ("go:5", "(;SZ[5]HA[\u00b2];W[aa];W[aa])", "illegal move: 'A5'"),
    ],
)
def test_what_is_wrong_is_said(game: str, text: str, words: str, tmp_path: Path) -> None:
    assert words in why(tmp_path, game, text)


def test_properties_without_a_value_say_nothing(tmp_path: Path) -> None:
    for text in ("(;GM SZ[5]RE PB;B[aa])", "(;GM[1]SZ[5]PB[a]PW KM HA PL;B[aa];W)"):
        past = one(tmp_path, "go:5", text)
        assert (past.result, moves("go:5", past)) == (None, ["B A5"])
    assert "a board of 19" in why(tmp_path, "go:5", "(;GM[1]SZ;B[aa])")


def test_other_games_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="not of chess"):
        read(tmp_path, "chess", "(;B[aa])")
    with pytest.raises(BookError, match="No such file"):
        list(sgf.read_games(tmp_path / "none.sgf", catalogue.load("go:9")))


@settings(max_examples=75, deadline=None)
@given(st.text(alphabet="();BW[]SZ5ab\\ \n", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        nodes = tree(text)
    except GameError as error:
        assert "\n" not in str(error)
        return
    first = next((number for number, node in enumerate(nodes) if number and node.parent != number - 1), len(nodes))
    assert main_line(text) == [node.properties for node in nodes[:first]]


def test_a_file_of_games_is_a_book(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_text("(;SZ[5]RE[B+1];B[bb];W[cc])(;SZ[5]RE[W+1];B[dd])", encoding="utf-8")
    game: Any = catalogue.load("go:5")
    (move,) = open_book(path, game).lookup(game.initial_state())
    assert (move.wins, move.losses, move.weight) == (1, 1, 1.0)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("(;FF[4]GM[1]SZ[9];B[ee])", "go:9"),
        ("(;GM[11]FF[4]\nSZ[13];B[a1])", "hex:13"),
        ("(;FF[4]GM[1];B[pd])", "go:19"),
    ],
)
def test_a_file_names_its_game(text: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.sgf"
    file.write_text(text)
    assert book_game(file) == name
    file.write_text("(;FF[4]GM[2])")
    with pytest.raises(BookError, match=r"a\.sgf: no record of Go"):
        book_game(file)
    file.write_text(f"(;GM[1]SZ[{'9' * 5000}])")
    with pytest.raises(BookError, match=r"a\.sgf: SGF: '9{20}' is not the size of a board"):
        book_game(file)
